"""Plain element types: floats and integers that need no decoding, and the two half floats."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from .._generated.types import BlockLayout
    from .bits import F32
    from .dtypes import Blocks

_PLAIN_FIELDS = frozenset({"f4", "f8", "s1", "s2", "s4", "s8"})


def is_plain(layout: BlockLayout) -> bool:
    """Whether numpy has the element type: F32, F64, I8, I16, I32, I64."""
    return layout.num_elements == 1 and layout.fields[0].type in _PLAIN_FIELDS


def plain_dtype(layout: BlockLayout) -> np.dtype[Any]:
    """The dtype of the values, in the host's byte order: the type's own for plain types,
    float32 for all others."""
    if not is_plain(layout):
        return np.dtype(np.float32)
    kind = layout.fields[0].type
    return np.dtype({"f": "f", "s": "i"}[kind[0]] + kind[1:])


def plain_values(blocks: Blocks, layout: BlockLayout) -> npt.NDArray[Any]:
    """The elements in the host's byte order: a view of the data where that is possible."""
    values = blocks[layout.fields[0].name].astype(plain_dtype(layout), copy=False)
    return np.require(values, requirements=["A", "C"])


@cache
def _half_values() -> F32:
    table = np.arange(1 << 16, dtype=np.uint16).view(np.float16).astype(np.float32)
    # Hardware conversion, which ggml's tables come from, makes signalling NaNs quiet.
    table.view(np.uint32)[np.isnan(table)] |= 0x00400000
    return table


def f16(blocks: Blocks, y: F32) -> None:
    """Half floats, by table: faster than numpy's conversion.  (`ggml_fp16_to_fp32_row`)"""
    codes = blocks["v"]
    codes = codes.view(codes.dtype.str.replace("f", "u")).astype(np.uint16, copy=False)
    np.take(_half_values(), codes, out=y[:, 0], mode="clip")


def bf16(blocks: Blocks, y: F32) -> None:
    """The upper half of a single float.  (`ggml_bf16_to_fp32_row`)"""
    bits = y[:, 0].view(np.uint32)
    np.copyto(bits, blocks["v"])
    np.left_shift(bits, 16, out=bits)
