"""Setting, removing and renaming keys: what is refused, what is noted, what is reported."""

from __future__ import annotations

from typing import Any

import pytest

import gguf_construct as gc
from gguf_construct.editing.changes import Change, edit, rename_key, set_value, unset_key
from gguf_construct.errors import (
    AmbiguousKeyError,
    KeyNotFoundError,
    RefusedError,
    TypeConflictError,
)
from tests.support import builders as b
from tests.support.cases_valid import base

COUNT = "llama.block_count"


@pytest.fixture
def model() -> gc.Model:
    pairs = (
        b.Pair(b"x.number", b.u16(7)),
        b.Pair(b"x.twice", b.u8(1)),
        b.Pair(b"x.twice", b.u8(2)),
        b.Pair(b"tokenizer.ggml.tokens", b.array(b.STRING, b"a", b"b")),
    )
    return gc.open(b.build(base(*pairs)).data)


def test_a_change_says_what_was_there(model: gc.Model) -> None:
    change = set_value(model, "x.number", 8)
    assert (change.action, change.key, change.type) == ("set", "x.number", "uint16")
    assert (change.old.value, change.new.value) == (7, 8)
    assert change.is_change
    same = set_value(model, "x.number", 8)
    assert same.action == "same"
    assert not same.is_change
    new = set_value(model, "x.other", "text")
    assert (new.action, new.old, new.type) == ("set", None, "string")
    assert list(model.metadata)[-1] == "x.other"


def test_types_that_contradict_the_file_or_the_standard(model: gc.Model) -> None:
    with pytest.raises(TypeConflictError, match="it is uint16 in this file, not uint32") as caught:
        set_value(model, "x.number", 8, "uint32")
    assert (caught.value.path, caught.value.actual) == ("x.number", "uint32")
    assert "--force-type" in str(caught.value.hint)
    with pytest.raises(
        TypeConflictError, match=r"this key must be uint32.*; readers refuse string"
    ):
        set_value(model, "general.alignment", "32", "string")
    with pytest.raises(TypeConflictError, match="must be uint32"):
        set_value(model, COUNT, "1", "string")
    assert not model.metadata.is_changed
    assert set_value(model, "x.number", 8, "uint32", force_type=True).type == "uint32"
    assert set_value(model, "x.new", 8, "int8").type == "int8"
    assert set_value(model, "x.number", 9, "uint32").type == "uint32"


def test_the_standard_type_mends_a_wrong_one() -> None:
    wrong = b.Pair(b"general.name", b.u32(5))
    with gc.open(b.build(base(wrong)).data) as model:
        assert set_value(model, "general.name", "a", "string").type == "string"


def test_an_empty_key_is_refused(model: gc.Model) -> None:
    with pytest.raises(RefusedError, match="the key is empty") as caught:
        set_value(model, "", 1, "uint8")
    assert caught.value.hint == "llama.cpp refuses a file with an empty key"
    assert set_value(model, "", 1, "uint8", force=True).key == ""
    with pytest.raises(RefusedError, match="the new key is empty"):
        rename_key(model, "x.number", "")


def test_a_refused_value_leaves_no_trace(model: gc.Model) -> None:
    before = model.to_bytes()
    with pytest.raises(RefusedError, match="token 2 does not exist"):
        set_value(model, "tokenizer.ggml.eos_token_id", 2)
    assert "tokenizer.ggml.eos_token_id" not in model.metadata
    assert model.to_bytes() == before
    set_value(model, "tokenizer.ggml.eos_token_id", 1)
    with pytest.raises(RefusedError, match="token 2 does not exist"):
        set_value(model, "tokenizer.ggml.eos_token_id", 2)
    assert model.metadata["tokenizer.ggml.eos_token_id"] == 1
    unset_key(model, "tokenizer.ggml.eos_token_id")
    assert model.to_bytes() == before


def test_a_field_of_another_model_keeps_its_bytes(model: gc.Model) -> None:
    other = gc.open(b.build(base(b.Pair(b"flag", b.boolean(2)))).data)
    change = set_value(model, "flag", other.metadata.field("flag"))
    assert (change.type, change.new.raw) == ("bool", b"\2")


def test_several_edits_are_all_applied_or_none(model: gc.Model) -> None:
    done = edit(model, {"x.number": 9, "x.new:int8": -1, "x.gone": "a", "general.name": "n"})
    assert [(one.action, one.key, one.type) for one in done] == [
        ("set", "x.number", "uint16"),
        ("set", "x.new", "int8"),
        ("set", "x.gone", "string"),
        ("set", "general.name", "string"),
    ]
    assert edit(model, {"x.gone": None})[0].action == "unset"
    before = model.to_bytes()
    changes: list[tuple[dict[str, Any], type[Exception], str]] = [
        ({"x.number": 1, "x.absent": None}, KeyNotFoundError, "x.absent"),
        ({"x.number": 1, "x.number:u99": 2}, TypeConflictError, "not a value type"),
        ({"x.number": 1, "x.twice": 3}, AmbiguousKeyError, "x.twice"),
    ]
    for wanted, error, words in changes:
        with pytest.raises(error, match=words):
            edit(model, wanted)
        assert model.to_bytes() == before
    edit(model, {"tokenizer.ggml.eos_token_id": 9}, force=True)
    edit(model, {"x.number:uint64": 9}, force_type=True)
    assert model.metadata.field("x.number").type == "uint64"


def test_a_colon_in_a_key_of_the_file_is_no_type() -> None:
    with gc.open(b.build(base(b.Pair(b"a:u8", b.u32(1)))).data) as model:
        edit(model, {"a:u8": 2})
        assert model.metadata.field("a:u8").type == "uint32"


def test_removing(model: gc.Model) -> None:
    change = unset_key(model, "x.number")
    assert (change.action, change.key, change.type, change.new) == (
        "unset",
        "x.number",
        "uint16",
        None,
    )
    assert change.old.value == 7
    assert change.notes == ()
    with pytest.raises(KeyNotFoundError, match=r"x\.number"):
        unset_key(model, "x.number")
    with pytest.raises(AmbiguousKeyError, match=r"x\.twice"):
        unset_key(model, "x.twice")
    assert unset_key(model, "x.twice", 1).old.value == 2
    assert model.metadata["x.twice"] == 1
    with pytest.raises(KeyNotFoundError, match=r"x\.absent"):
        unset_key(model, "x.absent", 0)


def test_renaming(model: gc.Model) -> None:
    place = list(model.metadata).index("x.number")
    change = rename_key(model, "x.number", "x.better")
    assert change == Change("rename", "x.better", "uint16", "x.number", "x.better", ())
    assert list(model.metadata).index("x.better") == place
    same = rename_key(model, "x.better", "x.better")
    assert (same.action, same.is_change) == ("same", False)
    noted = rename_key(model, "x.better", "general.name")
    assert noted.notes == ("general.name must be string; this value is uint16",)
    with pytest.raises(KeyNotFoundError, match=r"x\.number"):
        rename_key(model, "x.number", "y")
    with pytest.raises(AmbiguousKeyError, match=r"x\.twice"):
        rename_key(model, "x.twice", "y")
