"""Documents as text for people: one line per value, whatever is in it."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from .._generated.types import ValueType
from ..core.values import text_of
from ..planning.reserve import reserve_nbytes
from ..runtime.views import StringArray
from .escaping import WIDTH, name_text, quote
from .sizes import count_text, shape_text, size_text

if TYPE_CHECKING:
    from ..core.document import Document
    from ..core.field import Field
    from ..core.tensors import TensorInfo

_HEAD = 5


def value_text(field: Field, full: bool = False) -> str:
    """A metadata value on one line; long strings and arrays are cut unless `full`."""
    return _text(field.record.value_type, field.record.value, full)


def _text(value_type: int, value: Any, full: bool) -> str:
    if value_type == ValueType.STRING:
        return quote(text_of(value), None if full else WIDTH)
    if value_type == ValueType.BOOL:
        return ("true" if value else "false") + (f" (byte {value})" if value > 1 else "")
    if value_type != ValueType.ARRAY:
        return repr(value)
    elements = value.elements
    items = elements.iter_raw() if isinstance(elements, StringArray) else elements
    count = value.num_elements
    shown = count if full or count <= _HEAD + 1 else _HEAD
    parts = [_text(value.element_type, item, full) for item in islice(items, shown)]
    if shown < count:
        parts.append("...")
    return f"[{', '.join(parts)}]" + (f" ({count} elements)" if shown < count else "")


def summary_rows(document: Document, path: str | None) -> list[tuple[str, str]]:
    """What a person wants to know first."""
    metadata = document.metadata
    tensors = document.tensors.all
    parameters = sum(tensor.num_elements for tensor in tensors)
    rows = [
        ("file", f"{path or 'in memory'} ({size_text(document.file_size)})"),
        ("format", f"GGUF v{document.version}, {document.byte_order}-endian"),
        ("architecture", metadata.architecture or "none"),
    ]
    name = metadata.text("general.name")
    if name:
        rows.append(("name", quote(name)))
    counts = f"{count_text(len(metadata.fields()), 'metadata pair')}, "
    counts += count_text(len(tensors), "tensor")
    if tensors:
        counts += f", {count_text(parameters, 'element')}"
    rows.append(("content", counts))
    types: dict[str, int] = {}
    for tensor in tensors:
        types[tensor.type_name] = types.get(tensor.type_name, 0) + 1
    if types:
        ordered = sorted(types.items(), key=lambda item: -item[1])
        rows.append(("tensor types", ", ".join(f"{name} x{count}" for name, count in ordered)))
    rows.append(
        ("data section", f"from 0x{document.data_start:x}, aligned to {document.alignment}")
    )
    reserve = reserve_nbytes(document)
    if reserve is not None:
        rows.append(("reserve", f"{size_text(reserve)} left for edits in place"))
    return rows


def field_rows(document: Document, full: bool) -> list[tuple[str, str, str]]:
    """Key, type and value of every pair, in file order; repeated keys are marked."""
    rows = []
    seen: dict[str, int] = {}
    for field in document.metadata.fields():
        key = field.key
        seen[key] = seen.get(key, 0) + 1
        mark = f" (repeated, at 0x{field.start:x})" if seen[key] > 1 else ""
        rows.append((name_text(key) + mark, field.type, value_text(field, full)))
    return rows


def tensor_rows(tensors: tuple[TensorInfo, ...]) -> list[tuple[str, str, str, str, str]]:
    """Name, type, shape (numpy's order), bytes and absolute offset of every tensor."""
    rows = []
    for tensor in tensors:
        nbytes = tensor.nbytes
        size = size_text(nbytes) if nbytes is not None else f"unknown, <= {tensor.extent} B"
        where = f"0x{tensor.data_offset:x}"
        shape = shape_text(tensor.shape)
        rows.append((name_text(tensor.name), tensor.type_name, shape, size, where))
    return rows
