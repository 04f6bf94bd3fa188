"""Decoders of the ternary types."""

from __future__ import annotations

import numpy as np

from .bits import F32, U8, contiguous, planes, signed
from .dtypes import Blocks
from .simple import column, scale

__all__ = ["tq1_0", "tq2_0"]


def _digits(src: U8, num_digits: int, out: U8) -> None:
    """Base-3 digits of fixed-point bytes: digit 0 of all bytes, then digit 1 of all, ..."""
    rows = out.view(f"V{src.shape[1]}")
    shifted = src
    for i in range(num_digits):
        # (3 * t) >> 8, without leaving 8 bits.
        digit = (shifted >= 86).view(np.uint8) + (shifted >= 171).view(np.uint8)
        rows[:, i : i + 1] = digit.view(rows.dtype)
        shifted = shifted * np.uint8(3)


def tq1_0(blocks: Blocks, y: F32) -> None:
    """d * (digit - 1), five digits per byte.  (`dequantize_row_tq1_0`)"""
    values = np.empty(y.shape, np.uint8)
    qs = blocks["qs"]
    start = 0
    for part, num_digits in ((qs[:, :32], 5), (qs[:, 32:], 5), (blocks["qh"], 4)):
        end = start + part.shape[1] * num_digits
        _digits(contiguous(part), num_digits, values[:, start:end])
        start = end
    scale(signed(values, 1), column(blocks["d"]), y)


def tq2_0(blocks: Blocks, y: F32) -> None:
    """d * (2-bit value - 1).  (`dequantize_row_tq2_0`)"""
    scale(signed(planes(contiguous(blocks["qs"]), 32, 2), 1), column(blocks["d"]), y)
