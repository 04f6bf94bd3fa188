"""Problems: severities in order."""

from __future__ import annotations

from typing import get_args

from gguf_construct.core.problem import SEVERITIES, Problem, Severity


def test_severities_go_from_the_worst_to_the_mildest() -> None:
    assert SEVERITIES == ("error", "warning", "info")
    assert set(SEVERITIES) == set(get_args(Severity))


def test_a_problem_need_not_know_its_place() -> None:
    problem = Problem("a-code", "error", "it is wrong")
    assert (problem.path, problem.offset, problem.hint) == (None, None, None)
