"""The rules as a table: each has cases, each place that finds something is tried."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from gguf_construct.validation import rules
from gguf_construct.validation.rules import PROFILES, SUBJECTS, load, tokenizer
from gguf_construct.validation.validate import validate
from tests.support.cases import NOT_GGUF
from tests.validation.rule_cases import RULE_CASES
from tests.validation.rules.rule_checks import report_of

if TYPE_CHECKING:
    from types import FrameType

TraceFunction = Callable[..., Any]

# Files that are no GGUF have cases of their own; the last two need a fault of ours, or of a disk.
NOT_IN_CASES = {"header-unreadable", "file-unreadable"}


def test_every_rule_has_a_case() -> None:
    covered = {case.code for case in RULE_CASES} | {
        one.code for sample in NOT_GGUF for one in validate(sample.data).problems
    }
    assert covered | NOT_IN_CASES == set(load())


def findings_in(path: Path) -> set[tuple[str, int]]:
    """The file and line of each `yield Finding(...)`."""
    return {
        (path.name, node.lineno)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Yield)
        and isinstance(node.value, ast.Call)
        and isinstance(node.value.func, ast.Name)
        and node.value.func.id == "Finding"
    }


def lines_run(folder: Path, act: Callable[[], None]) -> set[tuple[str, int]]:
    """The lines of the files in `folder` that run while `act` does."""
    ran: set[tuple[str, int]] = set()
    here = str(folder)

    def trace(frame: FrameType, event: str, argument: object) -> TraceFunction | None:
        where = frame.f_code.co_filename
        if not where.startswith(here):
            return None
        if event == "line":
            ran.add((Path(where).name, frame.f_lineno))
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        act()
    finally:
        sys.settrace(before)
    return ran


def test_every_finding_is_found_in_some_case(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not each code only: each place that yields one."""

    def check_all() -> None:
        for case in RULE_CASES:
            report_of(case, 0)
        monkeypatch.setattr(tokenizer, "MOST_COMPARED", 1)  # too many tokens to compare
        report_of(next(one for one in RULE_CASES if one.code == "token-duplicate"), 0)

    folder = Path(rules.__file__).resolve().parent
    every = set().union(*(findings_in(path) for path in folder.glob("*.py")))
    assert len(every) > 90
    assert sorted(every - lines_run(folder, check_all)) == []


@pytest.mark.parametrize("code", sorted(load()))
def test_rules_are_described(code: str) -> None:
    rule = load()[code]
    assert code == code.lower()
    assert "_" not in code
    assert rule.subject in SUBJECTS
    assert rule.doc.endswith(".")
    assert len(rule.source) > 5
    assert any(rule.severity(profile) for profile in PROFILES)
