"""Texts and values as YAML come back exactly, through both parsers of PyYAML."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from gguf_construct.manifest.yaml_read import Node, parse_yaml
from gguf_construct.manifest.yaml_write import bytes_scalar, parse_bytes, quoted, scalar, text_lines
from tests.support.cases_valid import ODD_STRINGS

if TYPE_CHECKING:
    from collections.abc import Iterator

WORDS = (
    *("", "true", "No", "~", "null", "0x1", "1e5", ".inf", "- a", "a: b", "a #b", "? a", "[a]"),
    *("&a", "*a", "!a", "%a", "@a", "`a", "'", '"', "\\", "a b", " a", "a ", "\x85", "\u2028"),
    *(
        "\ufeff",
        "\ufffe",
        "\xa0",
        "🦙",
        "\x00",
        "---",
        "...",
        "<<",
        "=",
        "a:",
        "1:20",
        "2001-01-01",
    ),
)
TEXTS = (
    *("a\nb", "a\nb\n", "a\n\n\n", "\n", "\n\n", "\na\n", "  a\n b\n", "a \nb", "a\r\nb\r\n"),
    *("\ta\n\tb\n", "a\n \nb\n", "\n  a", "a\n\x1b\n", "#a\n", "- a\n: b", "---\na\n", "...\n"),
    "{%- if a %}\n  {{ b }}\n{% endif %}\n",
)


@pytest.fixture(params=["C", "Python"], autouse=True)
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    if request.param == "Python":
        monkeypatch.delattr(yaml, "CSafeLoader", raising=False)
    return iter(())


def value_of(text: str) -> Node:
    root = parse_yaml(text)
    assert root is not None
    return root.pairs[0][1]


def check_text(text: str) -> None:
    for form in (scalar(text), quoted(text)):
        assert value_of(f"k: {form}\n").value == text
        assert value_of(f"k: [{form}, {form}]\n").items[1].value == text
        assert value_of(f"k: {{{form}: {form}}}\n").pairs[0][0].value == text
    lines = "\n".join(text_lines(text, "    "))
    pairs = value_of(f"m:\n  k: {lines}\n  l: next\n").pairs
    assert [value.value for _, value in pairs] == [text, "next"]


@pytest.mark.parametrize("text", [*WORDS, *TEXTS])
def test_odd_texts_come_back(text: str) -> None:
    check_text(text)


def test_any_text_comes_back() -> None:
    letters = st.sampled_from(" \n\t\r\"'\\#:-|>{}[]%!&*?a0é\x85\u2028\ufeff\x00🦙")
    given(st.text(letters, max_size=12))(check_text)()
    given(st.text(max_size=20))(check_text)()


def test_templates_are_blocks_and_what_would_lose_bytes_is_quoted() -> None:
    assert text_lines("{{ a }}\nb\n", "  ") == ["|", "  {{ a }}", "  b"]
    assert text_lines("a\nb", "  ")[0] == "|-"
    assert text_lines("a\nb\n\n", "  ")[0] == "|+"
    assert text_lines("a \nb\r\n", "  ") == ['"a \\n\\', '  b\\r\\n"']


@pytest.mark.parametrize("data", [*ODD_STRINGS, b"'", b"\\x41", b"\\"])
def test_bytes_come_back(data: bytes) -> None:
    assert parse_bytes(value_of(f"k: !bytes {bytes_scalar(data)}\n").value) == data


@pytest.mark.parametrize("text", ["\\", "\\x4", "\\n", "a\\"])
def test_other_escapes_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="backslash"):
        parse_bytes(text)
