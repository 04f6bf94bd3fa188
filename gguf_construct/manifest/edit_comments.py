"""What a person who edits a key as text wants to see beside it."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from .._generated.types import ValueType
from ..core.registry import file_type_name, find
from ..core.token_arrays import token_arrays
from ..core.values import text_of
from ..runtime.views import StringArray
from .yaml_write import quoted

if TYPE_CHECKING:
    from ..core.document import Document
    from ..core.field import Field

_HEAD = 4
_WIDTH = 70


def comment_on(document: Document, field: Field) -> str:
    """One line: the token of an id, the name of a number, or what the key means."""
    info = find(field.key, document.metadata.architecture)
    if info is None:
        return ""
    value = field.record.value
    if "token_id" in info.roles and isinstance(value, int):
        return _token(document, value)
    if "file_type" in info.roles and isinstance(value, int):
        return file_type_name(value) or ""
    named = {known: name for known, name in info.values if name}
    if isinstance(value, int) and value in named:
        return named[value]
    return info.doc if len(info.doc) <= _WIDTH else ""


def summary_of(field: Field) -> str:
    """One line on an array or a long text: type, size, the first elements."""
    value: Any = field.record.value
    if field.value_type == ValueType.STRING:
        return f"{len(value)} bytes of text"
    if field.value_type != ValueType.ARRAY or value.element_type == ValueType.ARRAY:
        return field.type
    elements = value.elements
    if isinstance(elements, StringArray):
        items = [_short(item) for item in islice(elements.iter_raw(), _HEAD)]
    else:
        items = [repr(item) for item in islice(elements, _HEAD)]
    more = ", ..." if value.num_elements > _HEAD else ""
    return f"{field.type}, {value.num_elements} elements: {', '.join(items)}{more}"


def _short(data: bytes) -> str:
    text = text_of(data[:40]).encode("utf-8", "replace").decode()
    return quoted(text)


def _token(document: Document, token: int) -> str:
    texts = token_arrays(document.metadata).texts
    elements = texts.record.value.elements if texts is not None else None
    if isinstance(elements, StringArray) and 0 <= token < len(elements):
        return _short(elements.raw(token))
    return "not in the vocabulary"
