"""Numpy views of tensor blocks, in either byte order, from the generated block table.

Strategy: a block becomes a structured dtype with explicit '<' or '>' fields, so nothing below
depends on the byte order of the host.  Bytes are viewed, never copied, unless they are not
contiguous.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .._generated.types import BLOCKS, BYTE_ORDERS, REMOVED_TYPES, BlockField, BlockLayout, GGMLType
from ..errors import BuildError, InvalidFieldError

if TYPE_CHECKING:
    from collections.abc import Sequence

Blocks = npt.NDArray[np.void]
Buffer = bytes | bytearray | memoryview | npt.NDArray[Any]

# Field type of the schema -> numpy type code.  Numpy has no bfloat16 and no 8-bit floats: the
# decoders read their bits as unsigned integers.
_CODES = {
    "u1": "u1",
    "s1": "i1",
    "u2": "u2",
    "s2": "i2",
    "u4": "u4",
    "s4": "i4",
    "s8": "i8",
    "f2": "f2",
    "bf2": "u2",
    "f4": "f4",
    "f8": "f8",
    "e8m0": "u1",
    "ue4m3": "u1",
}


def layout_of(type: GGMLType | int) -> BlockLayout:
    """The block layout of a tensor type.

    Raises:
        BuildError: the type was removed from ggml (says what it was), or is unknown.
    """
    layout = BLOCKS.get(int(type))
    if layout is not None:
        return layout
    note = REMOVED_TYPES.get(int(type))
    if note is not None:
        raise BuildError(
            f"tensor type {_name(type)} was removed from ggml ({note})",
            hint="convert the model again from its original weights",
        )
    raise BuildError(
        f"unknown tensor type {int(type)}: its block layout is not known",
        hint="a newer gguf-construct may know it",
    )


def _name(type: GGMLType | int) -> str:
    try:
        return f"{GGMLType(int(type)).name} ({int(type)})"
    except ValueError:
        return str(int(type))


def field_dtype(field: BlockField, byte_order: str) -> np.dtype[Any]:
    """The dtype of one item of a block field; bf2, e8m0 and ue4m3 as unsigned integers.

    Raises:
        BuildError: `byte_order` is neither "little" nor "big".
    """
    order = BYTE_ORDERS.get(byte_order)
    if order is None:
        raise BuildError(f"byte order must be 'little' or 'big', not {byte_order!r}")
    return np.dtype(order + _CODES[field.type])


@lru_cache(maxsize=256)
def block_dtype(type: GGMLType | int, byte_order: str = "little") -> np.dtype[np.void]:
    """The structured dtype of one block: fields named and placed as in the schema.

    Raises:
        BuildError: no layout is known for the type, or `byte_order` is not a byte order.
    """
    layout = layout_of(type)
    formats: list[Any] = []
    for field in layout.fields:
        item = field_dtype(field, byte_order)
        formats.append(item if field.count == 1 else (item, (field.count,)))
    return np.dtype(
        {
            "names": [field.name for field in layout.fields],
            "formats": formats,
            "offsets": [field.offset for field in layout.fields],
            "itemsize": layout.nbytes,
        }
    )


def as_bytes(data: Buffer) -> npt.NDArray[np.uint8]:
    """One-dimensional byte view of a buffer or array (a copy only if it is not contiguous).

    Raises:
        BuildError: an array of Python objects.
    """
    if isinstance(data, np.ndarray):
        if data.dtype.hasobject:
            raise BuildError("an array of Python objects has no tensor data")
        return np.ascontiguousarray(data).reshape(-1).view(np.uint8)
    view = memoryview(data)
    if not view.nbytes:
        return np.empty(0, np.uint8)
    return np.frombuffer(view if view.c_contiguous else view.tobytes(), np.uint8)


def as_blocks(data: Buffer, layout: BlockLayout, byte_order: str = "little") -> Blocks:
    """View tensor data as a one-dimensional array of blocks.

    Raises:
        InvalidFieldError: the data is not a whole number of blocks.
    """
    raw = as_bytes(data)
    if raw.size % layout.nbytes:
        raise InvalidFieldError(
            f"{raw.size} bytes of {layout.name} data are not a whole number of "
            f"{layout.nbytes}-byte blocks",
            expected=f"a multiple of {layout.nbytes} bytes",
            actual=raw.size,
        )
    return raw.view(block_dtype(layout.type, byte_order))


def typed_array(
    data: Buffer, type: GGMLType | int, shape: Sequence[int], byte_order: str = "little"
) -> npt.NDArray[Any]:
    """Tensor data as an array of what it holds, without decoding or copying.

    Numbers have numpy's type for them, in the byte order of the data: float16 for F16, the bits as
    uint16 for BF16, which numpy has no type for.  Blocks are a structured array with the fields of
    the schema; its last dimension counts blocks.

    Args:
        data: whole rows of the type.
        type: the tensor type.
        shape: in numpy's order.
        byte_order: of the data, "little" or "big".

    Raises:
        BuildError: no layout is known for the type.
        InvalidFieldError: `data` is not a whole number of blocks.
    """
    layout = layout_of(type)
    blocks = as_blocks(data, layout, byte_order)
    if layout.num_elements == 1:
        return blocks[layout.fields[0].name].reshape(shape)
    return blocks.reshape(*shape[:-1], shape[-1] // layout.num_elements)
