"""The table of agreement with llama.cpp is up to date, and shows none that we let pass."""

from __future__ import annotations

from tests.support.agreement import DOCUMENT, is_agreed, render
from tests.support.cases_model import MODEL_CASES


def test_the_table_is_up_to_date() -> None:
    assert DOCUMENT.read_text(encoding="utf-8") == render(), "run python -m tests.support.agreement"


def test_we_are_only_ever_stricter() -> None:
    assert all(case.llama == "accepts" for case in MODEL_CASES if not is_agreed(case))
