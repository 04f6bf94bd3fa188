"""The vocabulary: each breach is reported, its neighbour is not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import gguf_construct as gc
from gguf_construct.validation.rules import tokenizer
from tests.tokens.token_data import vocabulary_file
from tests.validation.rules.rule_checks import cases_of, check_breach, check_neighbour

if TYPE_CHECKING:
    from tests.validation.rule_case import RuleCase

CASES = cases_of("tokenizer")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.code)
def test_a_breach_is_reported(case: RuleCase) -> None:
    check_breach(case)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.code)
def test_its_neighbour_is_not(case: RuleCase) -> None:
    check_neighbour(case)


def test_a_vocabulary_over_the_limit_is_said_not_to_be_compared(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tokenizer, "MOST_COMPARED", 10)
    with gc.open(vocabulary_file()) as model:
        (found,) = [one for one in gc.validate(model).problems if one.code == "token-duplicate"]
    assert found.severity == "warning"
    assert "11 tokens were not compared with each other: the limit is 10" in found.message
