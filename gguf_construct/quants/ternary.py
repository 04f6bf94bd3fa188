"""Decoders of the ternary types."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from .bits import F32, U8, contiguous, interleaved, planes, signed
from .simple import column, scale

if TYPE_CHECKING:
    from .dtypes import Blocks

_POWERS = np.array([1, 3, 9, 27, 81], np.uint8)[:, None, None]


def _digits(part: npt.NDArray[np.uint8], num_digits: int) -> U8:
    """Base-3 digits of fixed-point bytes: digit 0 of all bytes, then digit 1 of all, ..."""
    shifted = contiguous(part) * _POWERS[:num_digits]
    # (3 * t) >> 8, without leaving 8 bits.
    digits = (shifted >= 86).view(np.uint8)
    np.add(digits, (shifted >= 171).view(np.uint8), out=digits)
    return interleaved(digits, part.shape[1])


def tq1_0(blocks: Blocks, y: F32) -> None:
    """d * (digit - 1), five digits per byte.  (`dequantize_row_tq1_0`)"""
    qs, qh = blocks["qs"], blocks["qh"]
    groups = (_digits(qs[:, :32], 5), _digits(qs[:, 32:], 5), _digits(qh, 4))
    scale(signed(np.concatenate(groups, axis=1), 1), column(blocks["d"]), y)


def tq2_0(blocks: Blocks, y: F32) -> None:
    """d * (2-bit value - 1).  (`dequantize_row_tq2_0`)"""
    scale(signed(planes(contiguous(blocks["qs"]), 32, 2), 1), column(blocks["d"]), y)
