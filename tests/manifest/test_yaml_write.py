"""Texts and values as YAML come back exactly, through both parsers of PyYAML."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from gguf_construct._generated.types import ValueType
from gguf_construct.errors import BuildError
from gguf_construct.manifest.yaml_read import Node, parse_yaml
from gguf_construct.manifest.yaml_values import parse_node, value_yaml
from gguf_construct.manifest.yaml_write import bytes_scalar, parse_bytes, quoted, scalar, text_lines
from gguf_construct.runtime.views import NaN
from tests.support.cases_valid import LIMITS, ODD_STRINGS

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


@pytest.mark.parametrize("type_id", list(LIMITS))
def test_every_number_comes_back(type_id: int) -> None:
    for bits in LIMITS[type_id]:
        value: float = bits
        if type_id in (ValueType.FLOAT32, ValueType.FLOAT64):
            width = 4 if type_id == ValueType.FLOAT32 else 8
            forms = {4: ("<I", "<f"), 8: ("<Q", "<d")}[width]
            value = struct.unpack(forms[1], struct.pack(forms[0], bits))[0]
            value = value if value == value else NaN(bits, width)
        kind, found = parse_node(value_of(f"k: {value_yaml(type_id, value)}\n"))
        assert kind == type_id
        assert repr(found) == repr(value)
        assert getattr(found, "bits", None) == getattr(value, "bits", None)


@pytest.mark.parametrize(
    ("text", "line", "why"),
    [
        ("a: &x 1\nb: *x\n", 1, "aliases"),
        ("[\n" * 40, 34, "deep"),
        ("[" * 100_000, 1, "deep|depth"),
        ("a: 1\n\tb: 2\n", 2, "no YAML"),
        ("a: 1\n---\nb: 2\n", 2, "second"),
        ("a: 1\nb: 'x\n\n\n", 2, "no YAML"),
        ("a: 1\nb: [1\n\nc: 2\nd: 3\n", 2, "no YAML"),
        ("a: !!python/object:os.system x\n", 1, "python/object"),
        ("a: 1\nb: \x00\n", 2, "no YAML"),
        ("a: \ud800\n", 1, "surrogate|no YAML"),
    ],
)
def test_what_is_refused_has_its_line(text: str, line: int, why: str) -> None:
    with pytest.raises(BuildError, match=why) as caught:
        parse_yaml(text)
    assert abs(caught.value.line - line) <= 1  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("1", "type of this value"),
        ("[1, 2]", "type of this value"),
        ("[]", "type of this value"),
        ("!uint8 256", "range"),
        ("!uint8 x", "no uint8"),
        ("!int9 1", "no value type"),
        ("!float32 nan(0x1)", "no float32"),
        ("!float32 1e39", "range"),
        ("!float64 1e400", "1e400 is outside the range of float64"),
        ("!float32 [0.5, -1e400]", "-1e400 is outside the range of float32"),
        ("!bool 256", "range"),
        ("!uint8 [[1]]", "list of uint8"),
        ("!uint8 [!uint16 1]", "uint16"),
        ("!array [1]", "lists"),
        ("!array 1", "lists"),
        ("{a: 1}", "map"),
        ("!bytes '\\'", "backslash"),
        ("!uint32 " + "9" * 10_000, "uint32"),
    ],
)
def test_what_is_no_value_is_refused(text: str, why: str) -> None:
    with pytest.raises(BuildError, match=why) as caught:
        parse_node(value_of(f"\nk: {text}\n"))
    assert caught.value.path == "line 2"
