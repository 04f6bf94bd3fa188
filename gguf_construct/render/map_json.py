"""The byte map as JSON, span by span, so that a map of any length needs no memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._generated.types import ValueType
from ..byte_map.spans import TensorBytes, doc_of
from ..errors import ParseError
from .json_text import SCHEMA, compact, number_json, text_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..byte_map.blocks import BlockPlace
    from ..byte_map.find import Found
    from ..runtime.tracing import Span

_BOOL = ValueType.BOOL.name.lower()


def map_lines(
    spans: Iterable[Span], path: str | None, file_size: int, fault: ParseError | None
) -> Iterator[str]:
    """The lines of one JSON document; empty spans are left out."""
    head = {"schema": SCHEMA, "path": path, "file_size": file_size}
    yield f'{compact(head)[:-1]}, "spans": ['
    before = ""
    for span in spans:
        if span.start < span.end:
            if before:
                yield f"{before},"
            before = "  " + compact(span_json(span))
    if before:
        yield before
    yield f'], "error": {compact(None if fault is None else error_json(fault))}}}'


def span_json(span: Span) -> dict[str, Any]:
    """One span."""
    return {
        "start": span.start,
        "end": span.end,
        "path": span.path,
        "type": span.type,
        "value": _value_json(span),
    }


def _value_json(span: Span) -> Any:
    value = span.value
    if isinstance(value, bytes):
        return text_json(value)
    if isinstance(value, TensorBytes):
        return {
            **value._asdict(),
            "name": text_json(value.name),
            "dims": list(value.dims),
            "overlaps": list(value.overlaps),
        }
    if isinstance(value, ParseError):
        return str(value)
    if span.type == _BOOL and isinstance(value, int):
        return bool(value)
    return number_json(value)


def error_json(error: ParseError) -> dict[str, Any]:
    """Why the rest of a file cannot be read."""
    return {name: getattr(error, name) for name in ("message", "path", "offset", "hint")}


def found_json(found: Found, path: str | None, offset: int) -> dict[str, Any]:
    """The document of `map --at`."""
    return {
        "path": path,
        "offset": offset,
        "name": None if found.name is None else text_json(found.name),
        "span": span_json(found.span),
        "doc": doc_of(found.span),
        "block": None if found.block is None else _block_json(found.block),
    }


def _block_json(place: BlockPlace) -> dict[str, Any]:
    return {
        "type": place.layout.name,
        "index": place.block,
        "count": place.num_blocks,
        "start": place.start,
        "end": place.end,
        "field": place.field.name,
        "field_type": place.field.type,
        "field_doc": place.field.doc,
        "item": place.item,
        "value": number_json(place.value),
        "first_element": place.elements.start,
        "num_elements": len(place.elements),
        "position": list(place.position),
        "values": None if place.values is None else [number_json(one) for one in place.values],
    }
