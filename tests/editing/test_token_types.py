"""Marking tokens by their text or id."""

from __future__ import annotations

import pytest

import gguf_construct as gc
from gguf_construct.editing.token_types import type_named
from gguf_construct.errors import KeyNotFoundError, RefusedError
from tests.support import builders as b
from tests.support.builders import Model, Pair, build
from tests.tokens.token_data import open_vocabulary, vocabulary_file

TYPES = "tokenizer.ggml.token_type"


def types(model: gc.Model) -> list[int]:
    return [int(one) for one in model.metadata[TYPES]]


@pytest.mark.parametrize("element_type", [b.INT32, b.UINT32])
@pytest.mark.parametrize("byte_order", [b.LITTLE, b.BIG])
def test_several_tokens_at_once(element_type: int, byte_order: b.ByteOrder) -> None:
    data = vocabulary_file("llama", byte_order=byte_order, element_type=element_type)
    with gc.open(data) as model:
        before = types(model)
        changes = gc.set_token_type(model, ["<|im_end|>", 5, b"<|im_start|>"], "control")
        assert [(one.action, one.key, one.old, one.new) for one in changes] == [
            ("set", f"{TYPES}[7]", 1, 3),
            ("set", f"{TYPES}[5]", 1, 3),
            ("same", f"{TYPES}[6]", 3, 3),
        ]
        assert types(model) == [3 if at in (5, 7) else old for at, old in enumerate(before)]


def test_a_token_named_twice_is_one() -> None:
    assert len(gc.set_token_type(open_vocabulary(), ["<|im_end|>", 7], "user-defined")) == 1


@pytest.mark.parametrize(
    ("typed", "name"),
    [("control", "control"), ("CONTROL", "control"), ("user-defined", "user_defined")],
)
def test_types_are_named_as_people_do(typed: str, name: str) -> None:
    assert type_named(typed) == name


@pytest.mark.parametrize("typed", ["special", "undefined", ""])
def test_there_is_no_other_type(typed: str) -> None:
    with pytest.raises(KeyNotFoundError, match="no token type"):
        gc.set_token_type(open_vocabulary(), 1, typed)


@pytest.mark.parametrize("wanted", [["<|im_end|>", "<|im_ned|>"], ["the", "twice"], [5, 900]])
def test_all_or_nothing(wanted: list[str | int]) -> None:
    model = open_vocabulary()
    before = types(model)
    with pytest.raises((KeyNotFoundError, RefusedError), match="token"):
        gc.set_token_type(model, wanted, "control")
    assert types(model) == before


def test_without_types_there_is_nothing_to_mark() -> None:
    texts = Pair(b"tokenizer.ggml.tokens", b.array(b.STRING, b"a"))
    with (
        gc.open(build(Model((texts,))).data) as model,
        pytest.raises(RefusedError, match="no type for token 0"),
    ):
        gc.set_token_type(model, 0, "control")


def test_a_byte_is_written_as_one() -> None:
    (change,) = gc.set_token_type(open_vocabulary(), "the", "byte")
    assert "is not written as a byte" in change.notes[0]
    (change,) = gc.set_token_type(open_vocabulary(), 3, "byte")
    assert change.notes == ()
