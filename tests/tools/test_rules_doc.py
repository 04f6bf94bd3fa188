"""docs/rules.md: up to date, and complete."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gguf_construct.validation.rules import load
from tools import rules_doc

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_the_document_is_up_to_date() -> None:
    assert rules_doc.main(["--check"]) == 0


def test_each_rule_has_a_row() -> None:
    text = rules_doc.render()
    for code, rule in load().items():
        (row,) = (line for line in text.splitlines() if line.startswith(f"| `{code}` |"))
        assert rule.doc.split("|")[0] in row
        assert row.count(" | ") == 4


def test_check_and_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    document = tmp_path / "rules.md"
    monkeypatch.setattr(rules_doc, "DOCUMENT", document)
    assert rules_doc.main(["--check"]) == 1
    assert "out of date" in capsys.readouterr().err
    assert rules_doc.main([]) == 0
    assert rules_doc.main(["--check"]) == 0
    document.write_text("old")
    assert rules_doc.main(["--check"]) == 1
