"""The byte map as lines of text: offset, bytes, path, type, value, what the field is for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._generated.types import ValueType
from ..byte_map.spans import TensorBytes, doc_of
from ..core.values import text_of
from ..errors import ParseError
from .escaping import name_text, quote

if TYPE_CHECKING:
    from ..byte_map.blocks import BlockPlace
    from ..byte_map.find import Found
    from ..runtime.tracing import Span
    from ..runtime.views import Buffer

_SHOWN_BYTES = 8
_SHOWN_VALUES = 8
_BOOL = ValueType.BOOL.name.lower()
_WIDTHS = (10, 3 * _SHOWN_BYTES + 1, 40, 10)


def span_columns(span: Span, buffer: Buffer) -> tuple[str, str, str, str, str, str]:
    """Offset, bytes, path, type, value, documentation; the first four are padded."""
    hex_bytes = bytes_text(buffer, span.start, span.end)
    columns = (f"0x{span.start:08x}", hex_bytes, span.path, span.type)
    offset, data, path, type = (
        text.ljust(width) for text, width in zip(columns, _WIDTHS, strict=True)
    )
    return offset, data, path, type, value_of(span), doc_of(span)


def bytes_text(buffer: Buffer, start: int, end: int, most: int = _SHOWN_BYTES) -> str:
    """The first bytes in hexadecimal."""
    shown = bytes(buffer[start : min(end, start + most)]).hex(" ")
    return f"{shown} .." if end - start > most else shown


def value_of(span: Span) -> str:
    """A span's value on one line; safe to print whatever is in it."""
    value = span.value
    if isinstance(value, bytes):
        return quote(text_of(value))
    if isinstance(value, TensorBytes):
        return str(value._replace(name=name_text(value.name)))
    if isinstance(value, ParseError):
        return str(value)
    if span.type == _BOOL and isinstance(value, int):
        return ("true" if value else "false") + (f" (byte {value})" if value > 1 else "")
    return str(value)


def found_rows(found: Found, buffer: Buffer, offset: int) -> list[tuple[str, str]]:
    """What to tell about one byte, as (label, text)."""
    span = found.span
    rows = [("field", f"{span.path}, byte {offset - span.start} of {span.nbytes}")]
    if found.name is not None:
        is_tensor = span.path.startswith("tensor_infos")
        rows.append(("tensor" if is_tensor else "key", name_text(found.name)))
    rows += [
        ("range", f"0x{span.start:x} to 0x{span.end - 1:x}"),
        ("bytes", bytes_text(buffer, span.start, span.end, 16)),
        ("type", span.type),
        ("value", value_of(span)),
        ("meaning", doc_of(span)),
    ]
    return rows + (_block_rows(found.block, buffer) if found.block else [])


def _block_rows(place: BlockPlace, buffer: Buffer) -> list[tuple[str, str]]:
    field, first = place.field, place.elements.start
    item = f", item {place.item} of {field.count}" if field.count > 1 else ""
    value = "" if place.value is None else f" = {place.value}"
    index = f" at [{', '.join(map(str, place.position))}]" if place.position else ""
    start = place.start + field.offset + place.item * field.width
    if len(place.elements) == 1:
        elements = f"{first}{index}"
    else:
        elements = f"{first} to {place.elements.stop - 1}, the first{index}"
    rows = [
        ("block", f"{place.block} of {place.num_blocks}, 0x{place.start:x} to 0x{place.end - 1:x}"),
        ("in block", f"{field.name} ({field.type}){item}{value}: {field.doc}"),
        ("item", f"0x{start:x}: {bytes_text(buffer, start, start + field.width)}"),
        ("elements", f"{elements} (fastest dimension first)" if index else elements),
    ]
    if place.values is not None:
        shown = ", ".join(f"{number:.6g}" for number in place.values[:_SHOWN_VALUES])
        rows.append(("decoded", shown + (", .." if len(place.values) > _SHOWN_VALUES else "")))
    return rows
