"""Types of four-bit floats, by hand."""

from __future__ import annotations

import pytest

from gguf_construct.quants.fp4 import e8m0_value, ue4m3_value
from tests.quants.hands import Hand, check_hand, of_types

HANDS = of_types(*["MXFP4", "NVFP4", "IQ4_NL", "IQ4_XS"])


@pytest.mark.parametrize("hand", HANDS, ids=lambda hand: hand.name)
def test_elements_are_those_worked_out_by_hand(hand: Hand) -> None:
    check_hand(hand)


@pytest.mark.parametrize(
    ("code", "value"), [(0, 2.0**-127), (1, 2.0**-126), (127, 1), (128, 2), (255, 2.0**128)]
)
def test_scales_that_are_powers_of_two(code: int, value: float) -> None:
    assert e8m0_value(code) == value


# Below 8 there is no implied one; bit 7 counts for nothing; 0x7f is zero.
EIGHT_BIT_SCALES = [
    (0x00, 0),
    (0x01, 2.0**-9),
    (0x07, 7 * 2.0**-9),
    (0x08, 2.0**-6),
    (0x38, 1),
    (0x39, 1.125),
    (0x7E, 448),
    (0x7F, 0),
    (0x81, 2.0**-9),
    (0xFF, 480),  # ggml asks for 0x7f before it masks
]


@pytest.mark.parametrize(("code", "value"), EIGHT_BIT_SCALES)
def test_scales_that_are_floats_of_eight_bits(code: int, value: float) -> None:
    assert ue4m3_value(code) == value
