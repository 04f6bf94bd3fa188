"""The distance from each value to the next that its block can hold."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from gguf_construct.quants import dequantize
from gguf_construct.quants.steps import has_steps, quantisation_steps
from tests.quants.samples import CODEBOOK_TYPES, IDS, QUANTISED, random_blocks
from tests.support.blocks import swap_bytes

NO_STEPS = {*CODEBOOK_TYPES, "TQ1_0", "TQ2_0"}
UNEVEN = {"IQ4_NL", "IQ4_XS", "MXFP4", "NVFP4"}


@pytest.mark.parametrize("name", sorted(IDS))
def test_which_types_have_steps(name: str) -> None:
    assert has_steps(IDS[name]) == (name in QUANTISED and name not in NO_STEPS)
    if name in NO_STEPS:
        with pytest.raises(KeyError, match=str(IDS[name])):
            quantisation_steps(random_blocks(name, 1), IDS[name])


@pytest.mark.parametrize("name", sorted({*QUANTISED} - NO_STEPS - UNEVEN))
def test_steps_are_those_between_the_values_of_a_block(name: str) -> None:
    data = random_blocks(name, 4, seed=5)
    data = np.frombuffer(data, np.uint8).copy()
    steps = quantisation_steps(data, IDS[name])
    values = dequantize(data, IDS[name])
    assert steps.shape == values.shape
    assert steps.dtype == np.float32
    swapped = swap_bytes(IDS[name], data.tobytes())
    big = quantisation_steps(swapped, IDS[name], byte_order="big")
    np.testing.assert_array_equal(big, steps)


@pytest.mark.parametrize(
    ("name", "block", "step"),
    [
        ("Q8_0", struct.pack("<e", 0.25) + bytes(range(32)), 0.25),
        ("Q4_0", struct.pack("<e", 0.25) + bytes(range(16)), 0.25),
        ("Q4_0", struct.pack("<e", 0.5) + bytes(range(16)), 0.5),
        ("Q4_1", struct.pack("<ee", 2, 7) + bytes(range(16)), 2),
        ("Q5_0", struct.pack("<eI", 1, 0xF00F) + bytes(range(16)), 1),
        ("Q5_1", struct.pack("<eeI", 1, 9, 0xF00F) + bytes(range(16)), 1),
        ("Q2_0", struct.pack("<e", 3) + bytes(range(16)), 3),
        # Only two levels, d and -d: the step is 2 d.
        ("Q1_0", struct.pack("<e", 3) + bytes(range(16)), 6),
        ("Q6_K", bytes(range(192)) + bytes([2] * 16) + struct.pack("<e", 0.5), 1),
        ("Q8_K", struct.pack("<f", 0.5) + bytes(range(256)) + bytes(32), 0.5),
    ],
)
def test_steps_by_hand(name: str, block: bytes, step: float) -> None:
    assert set(quantisation_steps(block, IDS[name]).tolist()) == {step}


def test_the_data_stay_as_they_are() -> None:
    data = bytearray(random_blocks("Q4_0", 2))
    before = bytes(data)
    quantisation_steps(data, IDS["Q4_0"])
    assert data == before
