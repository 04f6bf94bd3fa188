"""One block taken apart by hand: each field with its place, bytes and value, then the elements."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import InvalidFieldError
from .decode import dequantize
from .dtypes import Buffer, as_bytes, field_dtype, layout_of
from .fp4 import e8m0_value, ue4m3_value

if TYPE_CHECKING:
    from .._generated.types import BlockField, GGMLType


class DecodedField(NamedTuple):
    """One field of one block.

    `offset` counts bytes from the start of the data; `value` is an int or float, or a list of
    them when the field holds more than one item.
    """

    field: BlockField
    offset: int
    raw: bytes
    value: Any


class DecodedBlock(NamedTuple):
    """A block's fields in file order, and its elements."""

    fields: tuple[DecodedField, ...]
    elements: npt.NDArray[Any]


def block_fields(
    data: Buffer, type: GGMLType | int, byte_order: str = "little", index: int = 0
) -> DecodedBlock:
    """Take block number `index` of tensor data apart.

    Raises:
        BuildError: an unknown or removed type; an IQ type without its codebook.
        InvalidFieldError: there is no such block.
    """
    layout = layout_of(type)
    raw = as_bytes(data)
    num_blocks = raw.size // layout.nbytes
    if not 0 <= index < num_blocks:
        raise InvalidFieldError(
            f"there is no block {index}: the data holds {num_blocks} {layout.name} blocks",
            expected=f"0 to {num_blocks - 1}" if num_blocks else "no block at all",
            actual=index,
        )
    start = index * layout.nbytes
    block = raw[start : start + layout.nbytes].tobytes()
    fields = tuple(_decode(field, block, start, byte_order) for field in layout.fields)
    return DecodedBlock(fields, dequantize(block, type, byte_order=byte_order))


def _decode(field: BlockField, block: bytes, start: int, byte_order: str) -> DecodedField:
    raw = block[field.offset : field.offset + field.width * field.count]
    items = np.frombuffer(raw, field_dtype(field, byte_order)).tolist()
    values = [_item_value(field.type, item) for item in items]
    value = values[0] if field.count == 1 else values
    return DecodedField(field, start + field.offset, raw, value)


def _item_value(type: str, item: Any) -> Any:
    if type == "bf2":
        return struct.unpack("<f", struct.pack("<I", item << 16))[0]
    if type == "e8m0":
        return e8m0_value(item)
    if type == "ue4m3":
        return ue4m3_value(item)
    return item
