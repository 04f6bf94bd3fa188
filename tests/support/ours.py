"""Our own readers as engines, in the same shape as the independent ones.

`CODEC` is the generated code alone, without Document: what it decodes, element by element;
`CONSTRUCT` the generated declaration for the construct package.
"""

from __future__ import annotations

import struct
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gguf_construct._generated import codec, types
from gguf_construct.runtime import views

from .builders import ARRAY, BIG, FLOAT32, FLOAT64, LITTLE, Array, Value, align, f32_bits, f64_bits
from .engines import Engine, each
from .seen import Seen, alignment_of

if TYPE_CHECKING:
    from pathlib import Path


def float_bits(type_id: int, number: float) -> int:
    """The bits of a float of ours; a NaN remembers its own."""
    if isinstance(number, views.NaN):
        return number.bits
    return f32_bits(number) if type_id == FLOAT32 else f64_bits(number)


def canonical(type_id: int, item: Any) -> Any:
    """A value of the codec in canonical form (see builders)."""
    if type_id == ARRAY:
        element: int = item.element_type
        raw = isinstance(item.elements, views.StringArray)
        items = item.elements.iter_raw() if raw else item.elements
        return Array(element, tuple(canonical(element, one) for one in items))
    return float_bits(type_id, item) if type_id in (FLOAT32, FLOAT64) else item


def codec_body(value: Any, type_id: int) -> Any:
    """A canonical value as what the codec writes: the inverse of `canonical`."""
    if type_id == ARRAY:
        items = [codec_body(item, value.type) for item in value.items]
        return types.Array(value.type, len(items), items)
    if type_id in (FLOAT32, FLOAT64):
        width = 4 if type_id == FLOAT32 else 8
        return _float(value, width)
    return value


def _float(bits: int, width: int) -> float:
    number: float = struct.unpack({4: "<f", 8: "<d"}[width], bits.to_bytes(width, "little"))[0]
    return number if number == number else views.NaN(bits, width)


def seen_by_codec(body: types.Body, big: bool) -> Seen:
    """What the generated codec read."""
    metadata = tuple(
        (pair.key, Value(pair.value_type, canonical(pair.value_type, pair.value)))
        for pair in body.metadata
    )
    tensors = tuple(
        (info.name, tuple(info.dims), info.ggml_type, info.ofs_data) for info in body.tensor_infos
    )
    start = body.ofs_data if tensors else None
    order = BIG if big else LITTLE
    return Seen(body.version, order, body.alignment, start, metadata, tensors)


def body_of(seen: Seen) -> types.Body:
    """A body for the codec to write, made from values that no file holds."""
    metadata = [
        types.MetadataKv(key, value.type, codec_body(value.payload, value.type))
        for key, value in seen.metadata
    ]
    infos = [
        types.TensorInfo(name, len(dims), dims, kind, at) for name, dims, kind, at in seen.tensors
    ]
    return types.Body(seen.version, len(infos), len(metadata), metadata, infos)


def _read_codec(path: Path) -> Seen:
    data = path.read_bytes()
    return seen_by_codec(codec.read(data), codec.probe(data).is_be)


def seen_by_construct(found: Any) -> Seen:
    """What the generated Construct declaration read; the alignment is worked out here."""
    body = found.body
    metadata = tuple(
        (pair.key, Value(pair.value_type, canonical(pair.value_type, pair.value)))
        for pair in body.metadata
    )
    tensors = tuple(
        (info.name, tuple(info.dims), info.ggml_type, info.ofs_data) for info in body.tensor_infos
    )
    alignment = alignment_of(metadata)
    start = align(body.ofs_header_end, alignment) if tensors else None
    return Seen(body.version, LITTLE, alignment, start, metadata, tensors)


def construct_values(seen: Seen) -> dict[str, Any]:
    """Plain values for the Construct declaration to build; lengths and counts left out."""

    def value(type_id: int, payload: Any) -> Any:
        if type_id == ARRAY:
            items = [value(payload.type, item) for item in payload.items]
            return {"element_type": payload.type, "elements": items}
        return codec_body(payload, type_id)

    metadata = [
        {"key": key, "value_type": one.type, "value": value(one.type, one.payload)}
        for key, one in seen.metadata
    ]
    infos = [
        {"name": name, "dims": list(dims), "ggml_type": kind, "ofs_data": at}
        for name, dims, kind, at in seen.tensors
    ]
    body = {"version": seen.version, "metadata": metadata, "tensor_infos": infos}
    return {"body": body}


def _read_construct(path: Path) -> Seen:
    from gguf_construct._generated import construct_schema

    data = path.read_bytes()
    seen = seen_by_construct(construct_schema.header_for(data).parse(data))
    return replace(seen, byte_order=BIG if codec.probe(data).is_be else LITTLE)


CODEC = Engine("codec", each(_read_codec))
CONSTRUCT = Engine("construct", each(_read_construct))
