"""Decoders of the types with one scale (and perhaps a minimum) per block, without sub-blocks.

Each decoder takes n blocks and fills `y`, (n, elements per block), as the scalar code of
ggml-quants.c does: the same products in the same order, in single precision.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .bits import F32, I8, U8, contiguous, planes, signed, spread

if TYPE_CHECKING:
    from .dtypes import Blocks


def column(part: npt.NDArray[Any]) -> F32:
    """A scale field as single precision, (n, 1)."""
    return part.astype(np.float32)[:, None]


def scale(values: U8 | I8, d: F32, y: F32) -> None:
    """y = d * values."""
    np.copyto(y, values)
    np.multiply(y, d, out=y)


def q1_0(blocks: Blocks, y: F32) -> None:
    """Bit set: d, clear: -d.  (`dequantize_row_q1_0`)"""
    clear = spread(~contiguous(blocks["qs"]), 1)
    bits = y.view(np.uint32)
    np.copyto(bits, clear)
    np.left_shift(bits, 31, out=bits)
    # Flip the sign bit itself: that is what negation does to a NaN, too.
    d = blocks["d"].astype(np.float32) * np.float32(1)
    np.bitwise_xor(bits, d.view(np.uint32)[:, None], out=bits)


def q2_0(blocks: Blocks, y: F32) -> None:
    """d * (2-bit value - 1).  (`dequantize_row_q2_0`)"""
    scale(signed(spread(contiguous(blocks["qs"]), 2), 1), column(blocks["d"]), y)


def q4_0(blocks: Blocks, y: F32) -> None:
    """d * (nibble - 8).  (`dequantize_row_q4_0`)"""
    scale(signed(planes(contiguous(blocks["qs"]), 16, 4), 8), column(blocks["d"]), y)


def q4_1(blocks: Blocks, y: F32) -> None:
    """d * nibble + m.  (`dequantize_row_q4_1`)"""
    scale(planes(contiguous(blocks["qs"]), 16, 4), column(blocks["d"]), y)
    np.add(y, column(blocks["m"]), out=y)


def _five_bits(blocks: Blocks) -> U8:
    high = blocks["qh"].astype("<u4").view(np.uint8).reshape(-1, 4)
    values = spread(high, 1)
    np.left_shift(values, 4, out=values)
    np.bitwise_or(values, planes(contiguous(blocks["qs"]), 16, 4), out=values)
    return values


def q5_0(blocks: Blocks, y: F32) -> None:
    """d * (5-bit value - 16).  (`dequantize_row_q5_0`)"""
    scale(signed(_five_bits(blocks), 16), column(blocks["d"]), y)


def q5_1(blocks: Blocks, y: F32) -> None:
    """d * 5-bit value + m.  (`dequantize_row_q5_1`)"""
    scale(_five_bits(blocks), column(blocks["d"]), y)
    np.add(y, column(blocks["m"]), out=y)


def q8(blocks: Blocks, y: F32) -> None:
    """d * signed byte: Q8_0, Q8_1 and Q8_K.  (`dequantize_row_q8_0`, `dequantize_row_q8_K`)"""
    scale(blocks["qs"], column(blocks["d"]), y)
