"""Standard output: columns that one long cell does not widen, JSON that takes any text."""

from __future__ import annotations

import json

import pytest

from gguf_construct.cli.shared.output import print_table
from gguf_construct.render.escaping import escape_json
from gguf_construct.render.json_text import dump, text_json

UNSAFE = "a\x1b\x7f\x9b\u202e\u2066\u200f\ud800\U000e0041"


def test_json_keeps_the_text_and_shows_nothing_raw() -> None:
    shown = escape_json(json.dumps({UNSAFE: [UNSAFE]}, ensure_ascii=False))
    assert shown.isascii()
    assert json.loads(shown) == {UNSAFE: [UNSAFE]}


@pytest.mark.parametrize("text", ["\ud800", "\udfff x", "\ud800\udc80", UNSAFE])
def test_json_takes_any_text(text: str) -> None:
    shown = dump({"value": text, "list": [text_json(text)], text.replace("\udc80", ""): 1})
    shown.encode()
    assert json.loads(shown)["list"]


def test_one_long_cell_does_not_widen_every_row(capfd: pytest.CaptureFixture[str]) -> None:
    rows = [("k" * 1_000_000, "uint8", "1"), *[(f"key{at}", "uint8", "1") for at in range(2000)]]
    print_table("", ("key", "type", "value"), rows)
    shown = capfd.readouterr().out
    assert "k" * 1_000_000 in shown
    assert len(shown) < 1_500_000
