"""JSON for programs: valid whatever the file holds, exact where JSON can be, keys only added.

Bytes that are not UTF-8 appear as ``{"base64": ...}``, NaN and infinities as strings, long
arrays as ``{"count", "head"}`` unless they are asked for in full.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from .._generated.types import ValueType
from ..planning.options import STRATEGIES
from ..planning.reserve import reserve_nbytes
from ..runtime.views import StringArray
from .escaping import encoded, escape_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.document import Document
    from ..core.field import Field
    from ..core.tensors import TensorInfo
    from ..editing.changes import Change
    from ..storage.write.new_file import WriteResult

SCHEMA = 1
"""Version of our JSON documents."""

_HEAD = 8
_FOLD_FROM = 64
# Python reads a byte that is not UTF-8 as U+DC00 plus its value (surrogateescape).
_UNDECODED = re.compile("[\udc80-\udcff]")


def dump(document: Any) -> str:
    """One JSON document, indented; nothing in it acts on a terminal."""
    return _encoded(document, indent=2)


def compact(document: Any) -> str:
    """One JSON document on one line."""
    return _encoded(document)


def _encoded(document: Any, **how: Any) -> str:
    # Names of files that are not UTF-8 appear in many places: they are taken care of here.
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, **how)
    if not text.isascii() and _UNDECODED.search(text):
        text = json.dumps(_decoded(document), ensure_ascii=False, allow_nan=False, **how)
    return escape_json(text)


def _decoded(value: Any) -> Any:
    """The same, with every text that holds undecodable bytes in base64."""
    if isinstance(value, str):
        return text_json(value)
    if isinstance(value, dict):
        return {name: _decoded(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_decoded(item) for item in value]
    return value


def text_json(data: bytes | str) -> Any:
    """A string, or its bytes in base64 where they are not UTF-8."""
    if isinstance(data, str):
        if not _UNDECODED.search(data):
            return data
        data = encoded(data)
    try:
        return data.decode()
    except UnicodeDecodeError:
        from base64 import b64encode

        return {"base64": b64encode(data).decode()}


def number_json(value: Any) -> Any:
    """A number; NaN and infinities by name."""
    if isinstance(value, float):
        if value != value:
            return "NaN"
        if value in (float("inf"), float("-inf")):
            return "Infinity" if value > 0 else "-Infinity"
    return value


def value_json(field: Field, full: bool = True) -> Any:
    """A metadata value."""
    return _value(field.record.value_type, field.record.value, full)


def _value(value_type: int, value: Any, full: bool) -> Any:
    if value_type == ValueType.STRING:
        return text_json(value)
    if value_type == ValueType.BOOL:
        return bool(value)
    if value_type != ValueType.ARRAY:
        return number_json(value)
    count = value.num_elements
    if full or count <= _FOLD_FROM:
        return [_value(value.element_type, item, full) for item in _items(value, count)]
    head = [_value(value.element_type, item, full) for item in _items(value, _HEAD)]
    return {"count": count, "head": head}


def _items(array: Any, count: int) -> Any:
    from itertools import islice

    elements = array.elements
    source = elements.iter_raw() if isinstance(elements, StringArray) else elements
    return islice(source, count)


def field_json(field: Field, full: bool = True) -> dict[str, Any]:
    """A metadata pair as `show --json` lists it."""
    return {
        "key": text_json(field.raw_key),
        "type": field.type,
        "value": value_json(field, full),
        "offset": field.start,
    }


def tensor_json(tensor: TensorInfo) -> dict[str, Any]:
    """A tensor as `show --json` lists it; `offset` is absolute."""
    return {
        "name": text_json(tensor.record.name),
        "type": tensor.type_name,
        "dims": list(tensor.dims),
        "shape": list(tensor.shape),
        "offset": tensor.data_offset,
        "nbytes": tensor.nbytes,
    }


def show_json(document: Document, path: str | None, *, full: bool, tensors: bool) -> dict[str, Any]:
    """The document of `show --json`; long arrays are folded unless `full`."""
    shown = {
        "path": path,
        "version": document.version,
        "byte_order": document.byte_order,
        "alignment": document.alignment,
        "data_start": document.data_start,
        "file_size": document.file_size,
        "reserve": reserve_nbytes(document),
        "metadata": [field_json(field, full) for field in document.metadata.fields()],
    }
    if tensors:
        shown["tensors"] = [tensor_json(tensor) for tensor in document.tensors.all]
    return shown


def write_json(result: WriteResult, changes: Sequence[Change]) -> dict[str, Any]:
    """The document of a verb that wrote a file."""
    return {
        "path": result.path,
        "strategy": STRATEGIES[result.strategy],
        "bytes_written": result.nbytes_written,
        "seconds": round(result.seconds, 3),
        "reserve": result.reserve,
        "notes": list(result.notes),
        "changes": changes_json(changes),
    }


def changes_json(changes: Sequence[Change]) -> list[dict[str, Any]]:
    """The edits of a verb, without those that changed nothing."""
    return [_change_json(change) for change in changes if change.is_change]


def _change_json(change: Change) -> dict[str, Any]:
    from ..core.field import Field

    def side(value: Any) -> Any:
        return value_json(value, full=False) if isinstance(value, Field) else value

    return {
        "action": change.action,
        "key": text_json(change.key),
        "type": change.type,
        "old": side(change.old),
        "new": side(change.new),
        "notes": list(change.notes),
    }
