"""Text made safe to show: nothing that a terminal acts on."""

from __future__ import annotations

import json
import unicodedata

import pytest

from gguf_construct.render.escaping import (
    encoded,
    escape_json,
    name_text,
    one_line,
    printable,
    quote,
)

HOSTILE = ["\x00", "\x1b[31m", "\x7f", "\x9b", "\u202e", "\u2066", "\ufeff", "\u200b", "\r"]


@pytest.mark.parametrize("text", HOSTILE)
def test_controls_are_escaped(text: str) -> None:
    for found in (printable(f"a{text}b"), one_line(f"a{text}b"), name_text(f"a{text}b")):
        assert found.isprintable()
        assert found.startswith("a\\")
        assert found.endswith("b")


def test_text_that_is_fine_stays() -> None:
    for text in ("", "plain", "naïve 🦙", "模型", "a\\n"):
        assert printable(text) == one_line(text) == name_text(text) == text


def test_lines() -> None:
    assert printable("a\n\tb\r") == "a\n\tb\\r"
    assert one_line("a\n\tb") == "a\\n\\tb"


def test_bytes_that_are_no_text() -> None:
    assert one_line("a\udcff") == "a\\xff"
    assert one_line("a\ud800") == "a\\ud800"
    assert encoded("é\udcff") == "é".encode() + b"\xff"
    assert encoded("\ud800") == b"\xed\xa0\x80"


@pytest.mark.parametrize(
    ("text", "width", "shown"),
    [
        ("a", 80, '"a"'),
        ('a"b', 80, '"a\\"b"'),
        ("a\\b", 80, '"a\\\\b"'),
        ("a\nb", 80, '"a\\nb"'),
        ("é" * 5, 5, '"ééééé"'),
        ("é" * 6, 5, '"ééééé" ... (12 bytes)'),
        ("x" * 500, None, '"' + "x" * 500 + '"'),
    ],
)
def test_quotes(text: str, width: int | None, shown: str) -> None:
    assert quote(text, width) == shown


def test_names_are_quoted_only_where_they_must_be() -> None:
    assert name_text('a"b') == 'a"b'
    assert name_text('a"\n') == 'a\\"\\n'


def test_json_keeps_its_meaning() -> None:
    for text in (*HOSTILE, "\ud800", "\udcff", "\U000e0041", "é🦙"):
        found = escape_json(json.dumps([text], ensure_ascii=False))
        assert json.loads(found) == [text]
        assert all(unicodedata.category(one) not in {"Cc", "Cf", "Cs"} for one in found)
    assert escape_json('"é🦙"') == '"é🦙"'
