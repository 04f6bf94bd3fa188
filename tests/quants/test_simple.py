"""Types with one scale per block, by hand."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from gguf_construct.quants import dequantize
from tests.quants.hands import Hand, at, check_hand, of_types
from tests.quants.samples import IDS

HANDS = of_types(*["Q1_0", "Q2_0", "Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "Q8_1", "Q8_K"])


@pytest.mark.parametrize("hand", HANDS, ids=lambda hand: hand.name)
def test_elements_are_those_worked_out_by_hand(hand: Hand) -> None:
    check_hand(hand)


def test_negating_a_broken_scale_flips_only_its_sign() -> None:
    block = struct.pack("<H", 0x7E00) + at(16, b0=1)
    bits = dequantize(block, IDS["Q1_0"]).view(np.uint32)
    assert bits[:2].tolist() == [0x7FC00000, 0xFFC00000]
