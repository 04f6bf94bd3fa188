"""Decoders of the k-quants: super-blocks of 256 with scaled sub-blocks of 16 or 32.

Evaluation order of ggml: the super-block scale times the sub-block scale first, then times the
integer, then minus the scaled minimum.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .bits import F32, I8, U8, contiguous, planes, signed
from .simple import column

if TYPE_CHECKING:
    from .dtypes import Blocks

_Words = npt.NDArray[Any]  # uint32


def apply_scales(values: U8 | I8, scales: F32, y: F32) -> F32:
    """y = scales * values, scales (n, k) for k equal sub-blocks; returns y as (n, k, m)."""
    parts = y.reshape(*scales.shape, -1)
    np.copyto(y, values)
    np.multiply(parts, scales[..., None], out=parts)
    return parts


def _scaled(values: npt.NDArray[Any], d: F32) -> F32:
    out = values.astype(np.float32)
    np.multiply(out, d, out=out)
    return out


def _words(part: npt.NDArray[Any]) -> tuple[_Words, _Words, _Words]:
    # Three words of four bytes: every operation on them masks each byte on its own, so the
    # byte order of the host does not matter.
    words = contiguous(part).view(np.uint32)
    return words[:, 0], words[:, 1], words[:, 2]


def _joined(*words: _Words) -> U8:
    return np.stack(words, axis=1).view(np.uint8)


def q2_k(blocks: Blocks, y: F32) -> None:
    """4-bit scale and minimum per 16.  (`dequantize_row_q2_K`)"""
    packed = contiguous(blocks["scales"])
    scales = _scaled(packed & 15, column(blocks["d"]))
    mins = _scaled(packed >> 4, column(blocks["dmin"]))
    parts = apply_scales(planes(contiguous(blocks["qs"]), 32, 2), scales, y)
    np.subtract(parts, mins[..., None], out=parts)


def q3_k(blocks: Blocks, y: F32) -> None:
    """6-bit scale, biased by 32, per 16.  (`dequantize_row_q3_K`)"""
    a, b, c = _words(blocks["scales"])
    low, two = 0x0F0F0F0F, 0x30303030
    packed = _joined(
        (a & low) | ((c << 4) & two),
        (b & low) | ((c << 2) & two),
        ((a >> 4) & low) | (c & two),
        ((b >> 4) & low) | ((c >> 2) & two),
    )
    values = planes(contiguous(blocks["hmask"]), 32, 1)
    np.left_shift(values, 2, out=values)
    np.bitwise_or(values, planes(contiguous(blocks["qs"]), 32, 2), out=values)
    apply_scales(signed(values, 4), _scaled(signed(packed, 32), column(blocks["d"])), y)


def _scales_and_mins(blocks: Blocks) -> tuple[F32, F32]:
    """Eight 6-bit scales and minimums from 12 bytes.  (`get_scale_min_k4`)"""
    a, b, c = _words(blocks["scales"])
    six, low, two = 0x3F3F3F3F, 0x0F0F0F0F, 0x30303030
    scales = _joined(a & six, (c & low) | ((a >> 2) & two))
    mins = _joined(b & six, ((c >> 4) & low) | ((b >> 2) & two))
    return _scaled(scales, column(blocks["d"])), _scaled(mins, column(blocks["dmin"]))


def q4_k(blocks: Blocks, y: F32) -> None:
    """6-bit scale and minimum per 32.  (`dequantize_row_q4_K`)"""
    scales, mins = _scales_and_mins(blocks)
    parts = apply_scales(planes(contiguous(blocks["qs"]), 32, 4), scales, y)
    np.subtract(parts, mins[..., None], out=parts)


def q5_k(blocks: Blocks, y: F32) -> None:
    """As Q4_K with a fifth bit.  (`dequantize_row_q5_K`)"""
    scales, mins = _scales_and_mins(blocks)
    values = planes(contiguous(blocks["qh"]), 32, 1)
    np.left_shift(values, 4, out=values)
    np.bitwise_or(values, planes(contiguous(blocks["qs"]), 32, 4), out=values)
    parts = apply_scales(values, scales, y)
    np.subtract(parts, mins[..., None], out=parts)


def q6_k(blocks: Blocks, y: F32) -> None:
    """Signed 8-bit scale per 16.  (`dequantize_row_q6_K`)"""
    values = planes(contiguous(blocks["qh"]), 32, 2)
    np.left_shift(values, 4, out=values)
    np.bitwise_or(values, planes(contiguous(blocks["ql"]), 64, 4), out=values)
    scales = contiguous(blocks["scales"]).view(np.int8)
    apply_scales(signed(values, 32), _scaled(scales, column(blocks["d"])), y)
