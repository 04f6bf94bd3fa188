"""Texts that are no UTF-8: each breach is reported, its neighbour is not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.validation.rules.rule_checks import cases_of, check_breach, check_neighbour

if TYPE_CHECKING:
    from tests.validation.rule_case import RuleCase

CASES = cases_of("text")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.code)
def test_a_breach_is_reported(case: RuleCase) -> None:
    check_breach(case)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.code)
def test_its_neighbour_is_not(case: RuleCase) -> None:
    check_neighbour(case)
