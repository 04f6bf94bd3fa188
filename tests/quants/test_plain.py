"""Plain element types: what is a view, what is widened, and bits that must survive."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from gguf_construct._generated.types import BLOCKS
from gguf_construct.quants import dequantize
from gguf_construct.quants.plain import is_plain, plain_dtype
from tests.quants.hands import Hand, check_hand, of_types
from tests.quants.samples import IDS

PLAIN = {"F32": "f4", "F64": "f8", "I8": "i1", "I16": "i2", "I32": "i4", "I64": "i8"}


@pytest.mark.parametrize("hand", of_types("F16", "BF16"), ids=lambda hand: hand.name)
def test_elements_are_those_worked_out_by_hand(hand: Hand) -> None:
    check_hand(hand)


@pytest.mark.parametrize("name", sorted(IDS))
def test_plain_is_what_numpy_has(name: str) -> None:
    layout = BLOCKS[IDS[name]]
    assert is_plain(layout) == (name in PLAIN)
    assert plain_dtype(layout) == np.dtype(PLAIN.get(name, "f4"))
    assert plain_dtype(layout).isnative


def test_a_signalling_half_nan_becomes_quiet() -> None:
    bits = dequantize(struct.pack("<H", 0xFC01), IDS["F16"]).view(np.uint32)
    assert bits.tolist() == [0xFFC02000]


@pytest.mark.parametrize("code", [0x7F81, 0xFFC1, 0x7FFF])
def test_a_bfloat16_nan_keeps_its_bits(code: int) -> None:
    bits = dequantize(struct.pack("<H", code), IDS["BF16"]).view(np.uint32)
    assert bits.tolist() == [code << 16]


def test_values_are_aligned_wherever_the_data_lie() -> None:
    data = memoryview(b"?" + struct.pack("<2d", 1.5, -2.5))[1:]
    values = dequantize(data, IDS["F64"])
    assert values.flags.aligned
    assert values.flags.c_contiguous
    assert values.tolist() == [1.5, -2.5]
