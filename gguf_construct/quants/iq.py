"""Decoders of the codebook types: IQ1_S, IQ1_M, IQ2_XXS, IQ2_XS, IQ2_S, IQ3_XXS, IQ3_S.

Strategy: entries and signs are looked up as whole groups of 4 or 8 signed bytes, multiplied as
bytes, and only then widened.  A sign commutes with every rounding, so the result is the one
that ggml gets by multiplying single floats.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .bits import F32, I8, contiguous, native, spread
from .codebook import packed_entries, signs, ternary_entries
from .k_quants import apply_scales
from .simple import column

if TYPE_CHECKING:
    from .dtypes import Blocks

_Codes = npt.NDArray[Any]  # unsigned, of any width


def _signed_entries(book: str, indices: _Codes, sign_bits: int, sign_codes: _Codes) -> I8:
    """(blocks, groups) of entry numbers and of sign codes -> (blocks, elements)."""
    values = np.take(packed_entries(book), indices).view(np.int8)
    np.multiply(values, np.take(signs(sign_bits), sign_codes).view(np.int8), out=values)
    return values


def _scales(blocks: Blocks, codes: _Codes, plus: float, times: float = 1) -> F32:
    """d * (plus + code) * times, in this order."""
    scales = codes.astype(np.float32)
    np.add(scales, np.float32(plus), out=scales)
    np.multiply(scales, column(blocks["d"]), out=scales)
    np.multiply(scales, np.float32(times), out=scales)
    return scales


def _sign_indices(words: _Codes) -> npt.NDArray[np.uint8]:
    """Four 7-bit sign indices per word, (blocks, words) -> (blocks, 4 * words)."""
    out = np.empty((*words.shape, 4), np.uint8)
    for k in range(4):
        out[..., k] = (words >> (7 * k)) & 127
    return out.reshape(words.shape[0], -1)


def iq2_xxs(blocks: Blocks, y: F32) -> None:
    """256 entries; scale per 32.  (`dequantize_row_iq2_xxs`)"""
    pairs = blocks["qs"]
    # The first word of a pair is four entry numbers, the lowest byte first.
    indices = pairs[:, 0::2].astype("<u4").view(np.uint8)
    words = native(pairs[:, 1::2], "u4")
    values = _signed_entries("IQ2_XXS", indices, 7, _sign_indices(words))
    apply_scales(values, _scales(blocks, words >> 28, 0.5, 0.25), y)


def iq2_xs(blocks: Blocks, y: F32) -> None:
    """512 entries; scale per 16.  (`dequantize_row_iq2_xs`)"""
    words = native(blocks["qs"], "u2")
    values = _signed_entries("IQ2_XS", words & 511, 7, words >> 9)
    apply_scales(values, _scales(blocks, spread(contiguous(blocks["scales"]), 4), 0.5, 0.25), y)


def iq2_s(blocks: Blocks, y: F32) -> None:
    """1024 entries; scale per 16.  (`dequantize_row_iq2_s`)"""
    indices = spread(contiguous(blocks["qh"]), 2).astype(np.uint16) << 8
    indices |= contiguous(blocks["qs"])
    values = _signed_entries("IQ2_S", indices, 8, contiguous(blocks["signs"]))
    apply_scales(values, _scales(blocks, spread(contiguous(blocks["scales"]), 4), 0.5, 0.25), y)


def iq3_xxs(blocks: Blocks, y: F32) -> None:
    """256 entries of 4; scale per 32.  (`dequantize_row_iq3_xxs`)"""
    words = native(blocks["sas"], "u4")
    values = _signed_entries("IQ3_XXS", contiguous(blocks["qs"]), 7, _sign_indices(words))
    apply_scales(values, _scales(blocks, words >> 28, 0.5, 0.5), y)


def iq3_s(blocks: Blocks, y: F32) -> None:
    """512 entries of 4; scale per 32.  (`dequantize_row_iq3_s`)"""
    indices = spread(contiguous(blocks["qh"]), 1).astype(np.uint16) << 8
    indices |= contiguous(blocks["qs"])
    values = _signed_entries("IQ3_S", indices, 8, contiguous(blocks["signs"]))
    codes = spread(contiguous(blocks["scales"]), 4)
    apply_scales(values, _scales(blocks, 2 * codes, 1), y)


def _ternary(indices: _Codes, d: F32, codes: _Codes, y: F32) -> None:
    """y = d * (2 * code + 1) * (entry + delta), entries numbered as in `ternary_entries`."""
    scales = (2 * codes + 1).astype(np.float32)
    np.multiply(scales, d, out=scales)
    # The entries are eightfold.  An eighth of a product of half floats is exact, so it does not
    # matter that it is taken before the last multiplication.
    np.multiply(scales, np.float32(0.125), out=scales)
    apply_scales(np.take(ternary_entries(), indices).view(np.int8), scales, y)


def iq1_s(blocks: Blocks, y: F32) -> None:
    """2048 entries; scale and delta per 32.  (`dequantize_row_iq1_s`)"""
    words = native(blocks["qh"], "u2")
    indices = np.empty((*words.shape, 4), np.uint16)
    negative = words >> 15 << 11
    for k in range(4):
        indices[..., k] = ((words >> (3 * k)) & 7) << 8 | negative
    numbers = indices.reshape(words.shape[0], -1)
    numbers |= contiguous(blocks["qs"])
    _ternary(numbers, column(blocks["d"]), (words >> 12) & 7, y)


def iq1_m(blocks: Blocks, y: F32) -> None:
    """2048 entries; scale per 16, delta per 8.  (`dequantize_row_iq1_m`)"""
    words = native(blocks["scales"], "u2")
    tops = words & 0xF000
    d = tops[:, 0] >> 12 | tops[:, 1] >> 8 | tops[:, 2] >> 4 | tops[:, 3]
    codes = np.empty((*words.shape, 4), np.uint16)
    for k in range(4):
        codes[..., k] = (words >> (3 * k)) & 7
    # Bits 0-2 of the nibble are bits 8-10 of the entry number; bit 3 picks the half of the
    # table that has the negative delta.
    indices = spread(contiguous(blocks["qh"]), 4).astype(np.uint16) << 8
    indices |= contiguous(blocks["qs"])
    _ternary(indices, column(d.view(np.float16)), codes.reshape(words.shape[0], -1), y)
