"""Types with sub-blocks, by hand."""

from __future__ import annotations

import pytest

from tests.quants.hands import Hand, check_hand, of_types

HANDS = of_types(*["Q2_K", "Q3_K", "Q4_K", "Q5_K", "Q6_K"])


@pytest.mark.parametrize("hand", HANDS, ids=lambda hand: hand.name)
def test_elements_are_those_worked_out_by_hand(hand: Hand) -> None:
    check_hand(hand)
