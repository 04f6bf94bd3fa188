"""Dequantization: tensor bytes in, elements out.

Strategy: one decoder per type, called on cache-sized groups of blocks, each writing straight
into its slice of the result.  Values are those that ggml computes, bit for bit, NaN and
infinite scales included.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from .._generated.types import BlockLayout, GGMLType
from ..errors import BuildError
from . import fp4, iq, k_quants, plain, simple, ternary
from .bits import F32
from .dtypes import Blocks, Buffer, as_blocks, layout_of

Decoder = Callable[[Blocks, F32], None]

_DECODERS: dict[int, Decoder] = {
    GGMLType.F16: plain.f16,
    GGMLType.BF16: plain.bf16,
    GGMLType.Q1_0: simple.q1_0,
    GGMLType.Q2_0: simple.q2_0,
    GGMLType.Q4_0: simple.q4_0,
    GGMLType.Q4_1: simple.q4_1,
    GGMLType.Q5_0: simple.q5_0,
    GGMLType.Q5_1: simple.q5_1,
    GGMLType.Q8_0: simple.q8,
    GGMLType.Q8_1: simple.q8,
    GGMLType.Q8_K: simple.q8,
    GGMLType.Q2_K: k_quants.q2_k,
    GGMLType.Q3_K: k_quants.q3_k,
    GGMLType.Q4_K: k_quants.q4_k,
    GGMLType.Q5_K: k_quants.q5_k,
    GGMLType.Q6_K: k_quants.q6_k,
    GGMLType.TQ1_0: ternary.tq1_0,
    GGMLType.TQ2_0: ternary.tq2_0,
    GGMLType.MXFP4: fp4.mxfp4,
    GGMLType.NVFP4: fp4.nvfp4,
    GGMLType.IQ4_NL: fp4.iq4_nl,
    GGMLType.IQ4_XS: fp4.iq4_xs,
    GGMLType.IQ1_S: iq.iq1_s,
    GGMLType.IQ1_M: iq.iq1_m,
    GGMLType.IQ2_XXS: iq.iq2_xxs,
    GGMLType.IQ2_XS: iq.iq2_xs,
    GGMLType.IQ2_S: iq.iq2_s,
    GGMLType.IQ3_XXS: iq.iq3_xxs,
    GGMLType.IQ3_S: iq.iq3_s,
}

# Elements decoded at a time: the result and the temporaries stay in a core's own cache, and
# the fixed cost of some 20 numpy calls is spread thinly.
_GROUP_ELEMENTS = 1 << 18


def dequantize(
    data: Buffer,
    type: GGMLType | int,
    *,
    byte_order: str = "little",
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> npt.NDArray[Any]:
    """All elements of a tensor, one-dimensional, in storage order.

    Args:
        data: whole blocks of the type.
        byte_order: of the data, "little" or "big".
        out: a contiguous array of the result's type and number of elements to decode into;
            it is flattened and returned.
        threads: how many of them decode.

    Returns:
        float32; but F64 as float64 and I8 to I64 as signed integers of their width, because
        float32 cannot hold them.  F32, F64 and integers are a view of `data` where byte order
        and alignment allow it, so the result may be read-only and keeps `data` alive.

    Raises:
        BuildError: an unknown or removed type; an IQ type without its codebook; an `out` that
            does not fit.
        InvalidFieldError: `data` is not a whole number of blocks.
    """
    layout = layout_of(type)
    blocks = as_blocks(data, layout, byte_order)
    return _values(blocks, layout, _decoder(layout), out, threads)


def iter_dequantize(
    data: Buffer,
    type: GGMLType | int,
    byte_order: str = "little",
    *,
    max_nbytes: int = 1 << 20,
) -> Iterator[npt.NDArray[Any]]:
    """The elements of a tensor piece by piece, for tensors larger than memory.

    Each piece is a new array of at most `max_nbytes` bytes (but of one block at least); the
    pieces joined are what `dequantize` returns.  Raises like `dequantize`, at the call.
    """
    layout = layout_of(type)
    blocks = as_blocks(data, layout, byte_order)
    decoder = _decoder(layout)
    value_nbytes = plain.plain_dtype(layout).itemsize
    step = max(1, max_nbytes // (value_nbytes * layout.num_elements))
    return (
        _values(blocks[start : start + step], layout, decoder)
        for start in range(0, blocks.size, step)
    )


def _decoder(layout: BlockLayout) -> Decoder | None:
    if plain.is_plain(layout):
        return None
    decoder = _DECODERS.get(layout.type)
    if decoder is None:
        raise BuildError(f"decoding {layout.name} is not supported")
    return decoder


def _values(
    blocks: Blocks,
    layout: BlockLayout,
    decoder: Decoder | None,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> npt.NDArray[Any]:
    shape = (blocks.size, layout.num_elements)
    if decoder is None:
        values = plain.plain_values(blocks, layout)
        if out is None:
            return values
        flat = _flat(out, values.dtype, values.size)
        flat[:] = values
        return flat
    y: npt.NDArray[Any] = np.empty(shape if out is None else 0, np.float32)
    if out is not None:
        y = _flat(out, y.dtype, blocks.size * layout.num_elements).reshape(shape)
    step = max(1, _GROUP_ELEMENTS // layout.num_elements)
    starts = range(0, blocks.size, step)

    def decode(start: int) -> None:
        # Broken scales (NaN, infinity) are for the validator to report; here they just compute.
        with np.errstate(all="ignore"):
            decoder(blocks[start : start + step], y[start : start + step])

    if threads > 1 and len(starts) > 1:
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(decode, starts))
    else:
        for start in starts:
            decode(start)
    return y.reshape(-1)


def _flat(out: npt.NDArray[Any], dtype: np.dtype[Any], size: int) -> npt.NDArray[Any]:
    if out.dtype != dtype or out.size != size or not out.flags.c_contiguous:
        raise BuildError(
            f"out holds {out.size} elements of {out.dtype}: {size} of {dtype} in a contiguous "
            "array are needed",
            hint=f"make it with numpy.empty({size}, '{dtype}')",
        )
    return out.reshape(-1)
