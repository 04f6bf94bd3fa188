"""Texts and types of tokens."""

from __future__ import annotations

import pytest

import gguf_construct as gc
from gguf_construct.errors import EditError, KeyNotFoundError
from gguf_construct.tokens.vocabulary import Token, Vocabulary, describe
from tests.support import builders as b
from tests.support.builders import Model, Pair, build
from tests.tokens.token_data import BYTE_LEVEL, open_vocabulary

TEXTS = b"tokenizer.ggml.tokens"
TYPES = b"tokenizer.ggml.token_type"


def vocabulary(*pairs: Pair) -> Vocabulary:
    return Vocabulary(gc.open(build(Model(pairs)).data))


def test_tokens_by_id() -> None:
    found = Vocabulary(open_vocabulary("gpt2"))
    assert len(found) == len(BYTE_LEVEL)
    assert found[2] == Token(2, "Ġthe".encode(), "normal", b" the")
    assert found[2].text == "Ġthe"
    assert found[5].type == "control"
    assert (found.tokenizer, found.family) == ("gpt2", "byte-level")
    assert (found.texts_key, found.types_key) == (TEXTS.decode(), TYPES.decode())
    assert 0 in found
    assert len(found) - 1 in found
    for wrong in (-1, len(found), "0", None):
        assert wrong not in found


@pytest.mark.parametrize("id", [-1, 8])
def test_an_id_outside_is_refused_with_the_size(id: int) -> None:
    found = Vocabulary(open_vocabulary("gpt2"))
    message = f"token {id} does not exist: the vocabulary has 8 tokens, 0 to 7"
    with pytest.raises(KeyNotFoundError, match=message):
        found[id]


def test_types_that_are_missing_short_or_unknown() -> None:
    texts = Pair(TEXTS, b.array(b.STRING, b"a", b"b", b"c"))
    untyped = vocabulary(texts)
    assert untyped.types_key is None
    assert [untyped.type_of(id) for id in range(3)] == [None, None, None]
    short = vocabulary(texts, Pair(TYPES, b.array(b.INT32, 3, 99)))
    assert [short.type_of(id) for id in range(3)] == ["control", "99", None]
    strings = vocabulary(texts, Pair(TYPES, b.array(b.STRING, b"3", b"3", b"3")))
    assert strings.types_key is None


@pytest.mark.parametrize(
    "pairs", [(), (Pair(TEXTS, b.text("a")),), (Pair(TEXTS, b.array(b.INT32, 1)),)]
)
def test_without_texts_there_is_no_vocabulary(pairs: tuple[Pair, ...]) -> None:
    with pytest.raises(EditError, match=r"no tokenizer.ggml.tokens of type \[string\]") as caught:
        vocabulary(*pairs)
    assert caught.value.hint == "of a split model, the first file has it"


def test_texts_are_found_wherever_they_occur() -> None:
    found = vocabulary(Pair(TEXTS, b.array(b.STRING, b"a", b"b", b"a", b"\xff")))
    assert [token.id for token in found.with_texts({b"a", b"\xff", b"z"})] == [0, 2, 3]
    assert found[3].text == "\udcff"
    assert found.with_texts(set()) == []


def test_a_token_in_a_sentence() -> None:
    assert describe(Token(106, b"<end_of_turn>", "control", b"")) == "106 '<end_of_turn>' (control)"
    assert describe(Token(1, b"x" * 60, None, b"")) == f"1 '{'x' * 60}'"
    assert describe(Token(1, b"x" * 61, None, b"")) == f"1 '{'x' * 57}...'"
