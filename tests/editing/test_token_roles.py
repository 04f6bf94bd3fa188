"""Finding tokens, and giving them roles."""

from __future__ import annotations

import pytest

import gguf_construct as gc
from gguf_construct.editing.token_roles import role_named
from gguf_construct.editing.token_types import mark_control
from gguf_construct.errors import (
    AmbiguousKeyError,
    EditError,
    KeyNotFoundError,
    RefusedError,
)
from tests.support import builders as b
from tests.support.builders import Model, Pair, build
from tests.tokens.token_data import TOKENS, open_vocabulary, token_id, vocabulary_file

EOS = "tokenizer.ggml.eos_token_id"
TYPES = "tokenizer.ggml.token_type"


def ids(model: gc.Model, wanted: str | int, regex: bool = False) -> list[int]:
    return [token.id for token in gc.find_tokens(model, wanted, regex=regex)]


@pytest.mark.parametrize(
    ("name", "role"),
    [
        *(("eos", "eos"), ("EOS", "eos"), ("eos_token", "eos"), ("eos_token_id", "eos")),
        *((EOS, "eos"), ("unknown", "unk"), ("separator", "sep"), ("padding_token_id", "pad")),
        *(("fim-pre", "fim_pre"), ("prefix", "fim_pre"), ("fim_rep", "fim_rep")),
    ],
)
def test_roles_have_names(name: str, role: str) -> None:
    assert role_named(name) == role


@pytest.mark.parametrize("name", ["eof", "", "general.name"])
def test_an_unknown_role_lists_those_there_are(name: str) -> None:
    with pytest.raises(KeyNotFoundError, match="no special token") as caught:
        role_named(name)
    assert "eos, eot" in (caught.value.hint or "")


@pytest.mark.parametrize("role", ["bos", "eos", "eot", "eom", "unk", "sep", "pad", "mask", "cls"])
def test_a_new_role_gets_the_type_that_llama_wants(role: str) -> None:
    model = open_vocabulary()
    (change,) = gc.set_token(model, role, "</s>")
    assert (change.action, change.old, change.type) == ("set", None, "uint32")
    assert model.metadata[change.key] == 2


def test_a_role_keeps_the_type_of_the_file() -> None:
    model = open_vocabulary("llama", Pair(EOS.encode(), b.i32(1)))
    (change,) = gc.set_token(model, "eos", "</s>")
    assert (change.type, model.metadata[EOS]) == ("int32", 2)


@pytest.mark.parametrize(
    ("tokenizer", "token", "id"),
    [
        ("llama", "the", 5),
        ("llama", " the", 4),
        ("llama", b"\xe2\x96\x81the", 4),
        ("llama", r"\n", 3),
        ("llama", 7, 7),
        ("llama", "7", 10),
        ("gpt2", " the", 2),
        ("gpt2", r"\n", 1),
    ],
)
def test_set(tokenizer: str, token: str | bytes | int, id: int) -> None:
    model = open_vocabulary(tokenizer)
    gc.set_token(model, "eos", token)
    assert model.metadata[EOS] == id


def test_an_absent_token_is_refused_with_close_ones() -> None:
    model = open_vocabulary("llama", token_id(b"eos", 1))
    with pytest.raises(KeyNotFoundError, match=r"no token '<\|im_ned\|>' among the 11") as caught:
        gc.set_token(model, "eos", "<|im_ned|>")
    assert caught.value.matches[0] == "<|im_end|>"
    assert "7 '<|im_end|>' (normal)" in (caught.value.hint or "")
    assert (model.metadata[EOS], model.metadata.is_changed) == (1, False)


def test_tokens_known_for_the_role_are_offered_too() -> None:
    with pytest.raises(KeyNotFoundError) as caught:
        gc.set_token(open_vocabulary("gpt2"), "eos", "zzzz")
    assert caught.value.matches == ("<|endoftext|>", "<|im_end|>")


@pytest.mark.parametrize(
    ("tokenizer", "token", "candidates"),
    [("llama", "twice", [8, 9]), ("llama", b"twice", [8, 9]), ("bert", "ing", [3, 4])],
)
def test_an_ambiguous_token_is_refused_with_candidates(
    tokenizer: str, token: str | bytes, candidates: list[int]
) -> None:
    with pytest.raises(RefusedError, match="may mean 2 tokens") as caught:
        gc.set_token(open_vocabulary(tokenizer), "eos", token)
    assert [one.id for one in caught.value.candidates] == candidates  # type: ignore[attr-defined]


def test_an_id_outside_is_refused_with_the_size() -> None:
    model = open_vocabulary()
    with pytest.raises(RefusedError, match="the vocabulary has 11 tokens, 0 to 10"):
        gc.set_token(model, "eos", 11)
    assert EOS not in model.metadata
    gc.set_token(model, "eos", 11, force=True)
    assert model.metadata[EOS] == 11


def test_a_token_that_is_not_control_is_warned_of() -> None:
    (change,) = gc.set_token(open_vocabulary(), "eos", "<|im_end|>")
    assert any("marked normal, not control" in note for note in change.notes)
    assert any("--mark-control" in note for note in change.notes)


@pytest.mark.parametrize("token", ["</s>", "<unk>"])
def test_special_types_are_not_warned_of(token: str) -> None:
    (change,) = gc.set_token(open_vocabulary(), "pad", token)
    assert change.notes == ()


def test_an_end_that_ends_nothing_is_warned_of() -> None:
    model = open_vocabulary()
    tokens = list(model.metadata["tokenizer.ggml.tokens"])
    tokens[4] = "<|tool_response>"
    model.metadata["tokenizer.ggml.tokens"] = tokens
    (change,) = gc.set_token(model, "eos", "</s>")
    assert any("does not stop at 2 '</s>'" in note for note in change.notes)


@pytest.mark.parametrize("order", [b.LITTLE, b.BIG])
@pytest.mark.parametrize("element_type", [b.INT32, b.UINT32, b.UINT8, b.INT64])
def test_marking_changes_one_element(order: b.ByteOrder, element_type: int) -> None:
    data = vocabulary_file(byte_order=order, element_type=element_type)
    with gc.open(data) as model:
        mark, role = gc.set_token(model, "eos", "<|im_end|>", mark=True)
        assert (mark.key, mark.old, mark.new) == (f"{TYPES}[7]", 1, 3)
        assert role.notes == ()
        kinds = [kind for _, kind in TOKENS["llama"]]
        kinds[7] = 3
        assert model.metadata.field(TYPES).plain_value == kinds
        del model.metadata[EOS]
        written = model.to_bytes()
    with gc.open(data) as before:
        size = {b.UINT8: 1, b.INT64: 8}.get(element_type, 4)
        start = before.metadata.field(TYPES).end - (11 - 7) * size
    expected = bytearray(data)
    expected[start : start + size] = (3).to_bytes(size, order)
    assert written == bytes(expected)


def test_marking_twice_changes_nothing() -> None:
    model = open_vocabulary()
    assert mark_control(model, 2).action == "same"
    assert not model.metadata.is_changed


def test_marking_needs_types() -> None:
    tokens = Pair(b"tokenizer.ggml.tokens", b.array(b.STRING, b"a", b"b"))
    model = gc.open(build(Model((tokens,))).data)
    with pytest.raises(RefusedError, match="no type for token 1"):
        gc.set_token(model, "eos", "b", mark=True)
    assert not model.metadata.is_changed
    gc.set_token(model, "eos", "b")
    assert model.metadata[EOS] == 1


def test_a_failed_edit_leaves_no_mark() -> None:
    model = open_vocabulary("llama", token_id(b"eos", 1), token_id(b"eos", 2))
    with pytest.raises(AmbiguousKeyError):
        gc.set_token(model, "eos", "<|im_end|>", mark=True)
    assert not model.metadata.is_changed


@pytest.mark.parametrize(
    "pairs",
    [
        (),
        (Pair(b"tokenizer.ggml.tokens", b.array(b.INT32, 1, 2)),),
        (Pair(b"tokenizer.ggml.tokens", b.text("a")),),
    ],
)
def test_without_a_vocabulary_only_ids_are_taken(pairs: tuple[Pair, ...]) -> None:
    model = gc.open(build(Model(pairs)).data)
    with pytest.raises(EditError, match="no vocabulary"):
        gc.set_token(model, "eos", "a")
    gc.set_token(model, "eos", 5)
    assert model.metadata[EOS] == 5


@pytest.mark.parametrize(
    "types",
    [
        b.array(b.STRING, b"1"),
        b.array(b.FLOAT32, 0, 0),
        b.array(b.ARRAY, b.Array(b.INT32, (1,))),
        b.text("1"),
        b.array(b.INT32),
        b.array(b.INT32, 77, 77),
    ],
)
def test_odd_types_are_no_reason_to_fail(types: b.Value) -> None:
    tokens = Pair(b"tokenizer.ggml.tokens", b.array(b.STRING, b"a", b"\xff\xfe"))
    model = gc.open(build(Model((tokens, Pair(TYPES.encode(), types)))).data)
    gc.set_token(model, "eos", b"\xff\xfe")
    (token,) = gc.find_tokens(model, 1)
    assert token.type in (None, "77")
    assert token.text == "\udcff\udcfe"


def test_flags() -> None:
    model = open_vocabulary()
    assert gc.set_add_token(model, "bos", True).action == "set"
    assert gc.set_add_token(model, "bos", True).action == "same"
    assert model.metadata["tokenizer.ggml.add_bos_token"] is True
    with pytest.raises(KeyNotFoundError, match="no flag"):
        gc.set_add_token(model, "pad", True)
