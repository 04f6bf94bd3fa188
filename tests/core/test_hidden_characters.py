"""Characters that cannot be seen."""

from __future__ import annotations

import pytest

from gguf_construct.core.hidden_characters import describe_hidden, hidden_characters


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("\u202e", "U+202E RIGHT-TO-LEFT OVERRIDE (bidirectional)"),
        ("\u2067", "U+2067 RIGHT-TO-LEFT ISOLATE (bidirectional)"),
        ("\u200b", "U+200B ZERO WIDTH SPACE (invisible)"),
        ("\ufeff", "U+FEFF ZERO WIDTH NO-BREAK SPACE (invisible)"),
        ("\u3164", "U+3164 HANGUL FILLER (invisible)"),
        ("\U000e0041", "U+E0041 TAG LATIN CAPITAL LETTER A (invisible)"),
        ("\x1b", "U+001B (control)"),
        ("\x00", "U+0000 (control)"),
        ("\x9b", "U+009B (control)"),
    ],
)
def test_each_kind_is_named(text: str, name: str) -> None:
    (found,) = hidden_characters(f"a\nb{text}c")
    assert (found.at, found.line, found.name) == (3, 2, name)


@pytest.mark.parametrize(
    "text",
    [
        *("", "plain", "tab\tnew\nline\r\n", "\u00a0no-break", "\u65e5\u672c", "\u0623\u0628"),
        *(
            "\U0001f468\u200d\U0001f469",
            "\u2764\ufe0f",
            "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647",
        ),
        "\udcff",
    ],
)
def test_ordinary_text_has_none(text: str) -> None:
    assert hidden_characters(text) == []


@pytest.mark.parametrize("text", ["pass\u200dword", "a\u200c", "\u200db"])
def test_a_joiner_beside_ascii_is_hidden(text: str) -> None:
    assert len(hidden_characters(text)) == 1


def test_the_description_counts() -> None:
    assert describe_hidden(hidden_characters("\u200b\u200b\x07")) == (
        "U+200B ZERO WIDTH SPACE (invisible) x2, U+0007 (control)"
    )
    many = "".join(map(chr, range(1, 9)))
    assert describe_hidden(hidden_characters(many)).endswith("and 2 more kinds")
