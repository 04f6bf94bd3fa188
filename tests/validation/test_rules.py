"""Each rule: a file that breaks it is told so, at the right place; its neighbour is not."""

from __future__ import annotations

from typing import Any

import pytest

from gguf_construct.core.codec import parse
from gguf_construct.validation.rules import PROFILES, SUBJECTS, load
from gguf_construct.validation.rules.base import RULES, describe
from gguf_construct.validation.validate import Report, validate
from tests.support.cases import NOT_GGUF
from tests.validation.rule_cases import RULE_CASES, RuleCase

# Files that are no GGUF have cases of their own; the last two need a fault of ours, or of a disk.
NOT_IN_CASES = {"header-unreadable", "file-unreadable"}


def _report(case: RuleCase, which: int) -> Report:
    how: dict[str, Any] = {
        name: value[which] if isinstance(value, tuple) else value
        for name, value in case.how.items()
    }
    if "siblings" in how:
        how["siblings"] = {
            name: None if data is None else parse(data) for name, data in how["siblings"].items()
        }
    return validate((case.bad, case.good)[which].data, profile=case.profile, **how)


@pytest.mark.parametrize("case", RULE_CASES, ids=lambda case: case.code)
def test_a_breach_is_reported(case: RuleCase) -> None:
    found = [one for one in _report(case, 0).problems if one.code == case.code]
    assert found
    if case.mark:
        starts = [span.start for span in case.bad.spans if span.path.startswith(case.mark)]
        ends = [span.end for span in case.bad.spans if span.path.startswith(case.mark)]
        starts, ends = starts or [case.bad.at(case.mark)], ends or [case.bad.at(case.mark) + 1]
        assert found[0].offset is not None
        assert min(starts) <= found[0].offset < max(ends)


@pytest.mark.parametrize("case", RULE_CASES, ids=lambda case: case.code)
def test_its_neighbour_is_not(case: RuleCase) -> None:
    assert case.code not in _report(case, 1).codes


def test_every_rule_has_a_case() -> None:
    covered = {case.code for case in RULE_CASES} | {
        one.code for sample in NOT_GGUF for one in validate(sample.data).problems
    }
    assert covered | NOT_IN_CASES == set(load())


@pytest.mark.parametrize("code", sorted(load()))
def test_rules_are_described(code: str) -> None:
    rule = load()[code]
    assert code == code.lower()
    assert "_" not in code
    assert rule.subject in SUBJECTS
    assert rule.doc.endswith(".")
    assert len(rule.source) > 5
    assert any(rule.severity(profile) for profile in PROFILES)


def test_strict_takes_the_worse_severity() -> None:
    rule = load()["padding-missing"]
    assert (rule.llama, rule.spec) == ("warning", "error")
    assert rule.severity("llama.cpp") == "warning"
    assert rule.severity("strict") == "error"
    assert load()["version-not-current"].severity("llama.cpp") is None


def test_two_rules_cannot_share_a_code() -> None:
    load()
    assert "key-empty" in RULES
    with pytest.raises(ValueError, match="key-empty"):
        describe("key-empty", "keys", "Again.", "nowhere")
