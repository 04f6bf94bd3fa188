"""How vocabularies spell what people type."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gguf_construct.tokens.spelling import (
    BYTE_LEVEL,
    PIECES,
    WORDS,
    family_of,
    plain_text,
    spellings,
    unescape,
)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        (rb"\n", b"\n"),
        (rb"\\n", rb"\n"),
        (rb"a\tb\r", b"a\tb\r"),
        (rb"\x0A", b"\n"),
        (b"<0x0A>", b"\n"),
        (b"<0xff>", b"\xff"),
        (rb"\u2581the", "▁the".encode()),
        (rb"\U0001F642", "🙂".encode()),
        (rb"\ud800", rb"\ud800"),
        (rb"\U00110000", rb"\U00110000"),
        (rb"\q \x0", rb"\q \x0"),
        (b"<|im_end|>", b"<|im_end|>"),
    ],
)
def test_escapes(typed: bytes, meant: bytes) -> None:
    assert unescape(typed) == meant


@pytest.mark.parametrize(
    ("typed", "family", "token"),
    [
        (" the", PIECES, "▁the"),
        ("▁the", PIECES, "▁the"),
        ("Ġthe", PIECES, "▁the"),
        (" the", BYTE_LEVEL, "Ġthe"),
        ("▁the", BYTE_LEVEL, "Ġthe"),
        ("Ġthe", BYTE_LEVEL, "Ġthe"),
        (r"\n", BYTE_LEVEL, "Ċ"),
        ("<0x0A>", BYTE_LEVEL, "Ċ"),
        (r"\n", PIECES, "<0x0A>"),
        ("Ċ", PIECES, "<0x0A>"),
        ("é", BYTE_LEVEL, "Ã©"),
        ("hello", WORDS, "▁hello"),
        ("##ing", WORDS, "ing"),
        ("[CLS]", WORDS, "[CLS]"),
        (" the", None, "Ġthe"),
        (" the", None, "▁the"),
    ],
)
def test_a_text_finds_the_spelling_of_the_vocabulary(
    typed: str, family: str | None, token: str
) -> None:
    assert token.encode() in frozenset().union(*spellings(typed.encode(), family))


def test_the_text_as_typed_comes_first() -> None:
    first, second = spellings(b"the cat", PIECES)
    assert first == {b"the cat"}
    assert "the▁cat".encode() in second


def test_other_vocabularies_do_not_get_the_byte_alphabet() -> None:
    assert "Ã©".encode() not in frozenset().union(*spellings("é".encode(), PIECES))


@pytest.mark.parametrize(
    ("raw", "kind", "family", "plain"),
    [
        ("Ġthe", "normal", BYTE_LEVEL, b" the"),
        ("Ã", "normal", BYTE_LEVEL, b"\xc3"),
        ("<|im_end|>", "control", BYTE_LEVEL, b"<|im_end|>"),
        ("a b", "normal", BYTE_LEVEL, b"a b"),
        ("õ", "user_defined", BYTE_LEVEL, "õ".encode()),
        ("▁the", "normal", PIECES, b" the"),
        ("<0x0A>", "byte", PIECES, b"\n"),
        ("<0x0A>", "normal", PIECES, b"<0x0A>"),
        ("▁hello", "normal", WORDS, b"hello"),
        ("ing", "normal", WORDS, b"##ing"),
        ("▁x", "normal", None, "▁x".encode()),
    ],
)
def test_what_a_token_stands_for(raw: str, kind: str, family: str | None, plain: bytes) -> None:
    assert plain_text(raw.encode(), kind, family) == plain


@given(st.binary(max_size=20))
def test_every_text_comes_back_through_the_byte_alphabet(plain: bytes) -> None:
    spelled = {
        text
        for text in frozenset().union(*spellings(plain, BYTE_LEVEL))
        if plain_text(text, "normal", BYTE_LEVEL) == unescape(plain)
    }
    assert spelled


def test_families() -> None:
    assert (family_of("gpt2"), family_of("llama"), family_of("bert")) == (BYTE_LEVEL, PIECES, WORDS)
    assert family_of("rwkv") is None
    assert family_of(None) is None
