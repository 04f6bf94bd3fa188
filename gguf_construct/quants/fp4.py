"""Decoders of the types whose 4-bit codes index a table: MXFP4, NVFP4, IQ4_NL, IQ4_XS."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from .bits import F32, I8, U8, contiguous, native
from .k_quants import apply_scales
from .simple import column, scale

if TYPE_CHECKING:
    from .dtypes import Blocks

# E2M1 doubled, so that all values are integers.  (`kvalues_mxfp4`)
_E2M1_DOUBLED = (0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12)
# The non-linear 4-bit levels.  (`kvalues_iq4nl`)
_LEVELS = (-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113)


def e8m0_value(code: int) -> float:
    """Value of an e8m0 scale: a power of two with exponent bias 127 (255 is not special)."""
    return 2.0 ** (code - 127)


def ue4m3_value(code: int) -> float:
    """Value of an unsigned e4m3 scale; bit 7 is ignored and 0x7f means zero."""
    exponent, mantissa = code >> 3 & 15, code & 7
    if code == 0x7F:
        return 0.0
    return mantissa * 2.0**-9 if exponent == 0 else (1 + mantissa / 8) * 2.0 ** (exponent - 7)


@cache
def _pairs(levels: tuple[int, ...]) -> tuple[I8, I8]:
    """For each byte the level of its low nibble, and of its high nibble."""
    table = np.array(levels, np.int8)
    codes = np.arange(256)
    return table[codes & 15], table[codes >> 4]


def _look_up(src: U8, width: int, levels: tuple[int, ...]) -> I8:
    """Levels in nibble order per run of `width` bytes.  (n, m) -> (n, 2 * m)."""
    out = np.empty((src.shape[0], src.shape[1] // width, 2), f"V{width}")
    for k, table in enumerate(_pairs(levels)):
        out[:, :, k] = np.take(table, src).view(f"V{width}")
    return out.view(np.int8).reshape(src.shape[0], -1)


@cache
def _halved_scales(kind: str) -> F32:
    # Halved, because the E2M1 table is doubled.  All of them are exact in single precision.
    value = {"e8m0": e8m0_value, "ue4m3": ue4m3_value}[kind]
    return np.array([value(code) / 2 for code in range(256)], np.float32)


def mxfp4(blocks: Blocks, y: F32) -> None:
    """Power-of-two scale per 32.  (`dequantize_row_mxfp4`)"""
    scales = np.take(_halved_scales("e8m0"), blocks["e"])
    scale(_look_up(contiguous(blocks["qs"]), 16, _E2M1_DOUBLED), scales[:, None], y)


def nvfp4(blocks: Blocks, y: F32) -> None:
    """8-bit float scale per 16.  (`dequantize_row_nvfp4`)"""
    scales = np.take(_halved_scales("ue4m3"), contiguous(blocks["d"]))
    apply_scales(_look_up(contiguous(blocks["qs"]), 8, _E2M1_DOUBLED), scales, y)


def iq4_nl(blocks: Blocks, y: F32) -> None:
    """Table value times one scale per 32.  (`dequantize_row_iq4_nl`)"""
    scale(_look_up(contiguous(blocks["qs"]), 16, _LEVELS), column(blocks["d"]), y)


def iq4_xs(blocks: Blocks, y: F32) -> None:
    """Table value times a 6-bit scale, biased by 32, per 32.  (`dequantize_row_iq4_xs`)"""
    low = contiguous(blocks["scales_l"]).view("<u4").astype(np.uint32)
    high = native(blocks["scales_h"], "u4")[:, None]
    steps = np.arange(8, dtype=np.uint32)
    codes = ((low >> (4 * steps)) & 15) | (((high >> (2 * steps)) & 3) << 4)
    scales = codes.astype(np.float32)
    np.subtract(scales, np.float32(32), out=scales)
    np.multiply(scales, column(blocks["d"]), out=scales)
    apply_scales(_look_up(contiguous(blocks["qs"]), 16, _LEVELS), scales, y)
