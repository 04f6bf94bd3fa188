"""How rules are listed, and how bad a breach is in each profile."""

from __future__ import annotations

import pytest

from gguf_construct.validation.rules import load
from gguf_construct.validation.rules.base import RULES, Rule, describe


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


@pytest.mark.parametrize(
    ("llama", "spec", "strict"),
    [
        ("error", "warning", "error"),
        ("info", "warning", "warning"),
        ("info", None, "info"),
        (None, "warning", "warning"),
        (None, None, None),
        ("error", "error", "error"),
    ],
)
def test_severities(llama: str | None, spec: str | None, strict: str | None) -> None:
    one = Rule("a", "keys", "", "", llama, spec)  # type: ignore[arg-type]
    assert one.severity("llama.cpp") == llama
    assert one.severity("spec") == spec
    assert one.severity("strict") == strict


def test_a_rule_knows_its_subject_and_its_words() -> None:
    rule = load()["key-empty"]
    assert rule.subject == "keys"
    assert "  " not in rule.doc
    assert "\n" not in load()["alignment-too-small"].doc
    assert rule.check is not None
    assert load()["header-truncated"].check is None
