"""Taking packed bits apart, for many blocks at once.

Strategy: numpy pays some 10 ns for each row of a strided operation, and a block's rows are
only 16 to 64 bytes long.  So rows are moved as single items (a void dtype of the row's width),
and arithmetic runs over flat contiguous arrays.  All arrays here are (blocks, ...) shaped.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

U8 = npt.NDArray[np.uint8]
I8 = npt.NDArray[np.int8]
F32 = npt.NDArray[np.float32]


def contiguous(part: npt.NDArray[Any]) -> U8:
    """A packed copy of a byte field of many blocks, (blocks, width)."""
    width = part.shape[1]
    packed: U8 = part.view(f"V{width}").copy().view(np.uint8)
    return packed


def native(part: npt.NDArray[Any], code: str) -> npt.NDArray[Any]:
    """A packed copy of a multi-byte field in the host's byte order, as dtype `code`."""
    return part.astype(np.dtype(code).newbyteorder("="))


def planes(src: U8, width: int, bits: int) -> U8:
    """Unpack `bits`-wide values: for each run of `width` bytes the lowest bits of all its
    bytes, then the next bits of all, and so on.  (blocks, m) -> (blocks, m * 8 // bits).

    `src` must be contiguous.
    """
    steps = np.arange(0, 8, bits, dtype=np.uint8)[:, None, None]
    values = np.right_shift(src, steps)
    np.bitwise_and(values, (1 << bits) - 1, out=values)
    return interleaved(values, width)


def interleaved(values: U8, width: int) -> U8:
    """Bring planes into block order: runs of `width` bytes, for each run plane after plane.

    (planes, blocks, m) -> (blocks, m * planes).
    """
    rows = values.view(f"V{width}").transpose(1, 2, 0)
    return np.ascontiguousarray(rows).view(np.uint8).reshape(values.shape[1], -1)


def spread(src: U8, bits: int) -> U8:
    """Unpack `bits`-wide values byte by byte, lowest bits first.

    (blocks, m) -> (blocks, m * 8 // bits).
    """
    if bits == 1:
        return np.unpackbits(src, axis=-1, bitorder="little")
    num = 8 // bits
    mask = (1 << bits) - 1
    out = np.empty((*src.shape, num), np.uint8)
    for k in range(num):
        out[..., k] = (src >> (k * bits)) & mask
    return out.reshape(src.shape[0], -1)


def signed(values: U8, bias: int) -> I8:
    """`values - bias` as signed bytes, in place; the results must fit."""
    out = values.view(np.int8)
    out -= np.int8(bias)
    return out
