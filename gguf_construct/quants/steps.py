"""How far apart the values are that a quantised type can hold, element by element.

Strategy: flip the lowest bit of every quant and decode again.  The difference is one step, exact
for the scale of each block and sub-block, without a second copy of any type's arithmetic.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from .._generated.types import GGMLType
from .decode import dequantize
from .dtypes import Buffer, as_bytes, layout_of

# Field of the quants and their lowest bits.  Types with codebooks and packed trits have no step.
_LOWEST: dict[int, tuple[str, int]] = {
    GGMLType.Q4_0: ("qs", 0x11),
    GGMLType.Q4_1: ("qs", 0x11),
    GGMLType.Q5_0: ("qs", 0x11),
    GGMLType.Q5_1: ("qs", 0x11),
    GGMLType.Q8_0: ("qs", 0x01),
    GGMLType.Q8_1: ("qs", 0x01),
    GGMLType.Q2_K: ("qs", 0x55),
    GGMLType.Q3_K: ("qs", 0x55),
    GGMLType.Q4_K: ("qs", 0x11),
    GGMLType.Q5_K: ("qs", 0x11),
    GGMLType.Q6_K: ("ql", 0x11),
    GGMLType.Q8_K: ("qs", 0x01),
    GGMLType.IQ4_NL: ("qs", 0x11),
    GGMLType.IQ4_XS: ("qs", 0x11),
    GGMLType.MXFP4: ("qs", 0x11),
    GGMLType.NVFP4: ("qs", 0x11),
    GGMLType.Q2_0: ("qs", 0x55),
    GGMLType.Q1_0: ("qs", 0xFF),
}


def has_steps(type: GGMLType | int) -> bool:
    """Whether the type's values lie on steps that `quantisation_steps` knows."""
    return int(type) in _LOWEST


def quantisation_steps(
    data: Buffer, type: GGMLType | int, *, byte_order: str = "little"
) -> npt.NDArray[Any]:
    """For each element, the distance to the value next to it that its block can hold.

    float32, one-dimensional, in storage order.  Where levels are not evenly spaced (IQ4_NL,
    MXFP4, NVFP4) it is the distance to one of its two neighbours.

    Raises:
        KeyError: the type has no steps, see `has_steps`.
        BuildError, InvalidFieldError: as `dequantize`.
    """
    layout = layout_of(type)
    name, bits = _LOWEST[int(type)]
    field = next(one for one in layout.fields if one.name == name)
    there = dequantize(data, type, byte_order=byte_order)
    flipped = as_bytes(data).copy().reshape(-1, layout.nbytes)
    flipped[:, field.offset : field.offset + field.count] ^= np.uint8(bits)
    beside = dequantize(flipped, type, byte_order=byte_order)
    with np.errstate(all="ignore"):
        steps: npt.NDArray[Any] = np.abs(beside - there)
    return steps
