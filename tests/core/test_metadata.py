"""Metadata is a mapping like any other, and a copy or a pickle of it lives on its own."""

from __future__ import annotations

import copy
import pickle
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import gguf_construct as gc
from gguf_construct.core.metadata import Metadata
from gguf_construct.errors import AmbiguousKeyError, KeyNotFoundError
from tests.support import builders as b
from tests.support.cases_valid import base

if TYPE_CHECKING:
    from pathlib import Path

NESTED = b.array(b.ARRAY, b.Array(b.INT32, (1, -2)), b.Array(b.ARRAY), b.Array(b.STRING, (b"a",)))
PAIRS = (
    b.Pair(b"x.float", b.Value(b.FLOAT32, 0x7FA00001)),
    b.Pair(b"x.words", b.array(b.STRING, b"one", b"\xff")),
    b.Pair(b"x.numbers", b.array(b.INT16, -2, 0, 7)),
    b.Pair(b"x.nested", NESTED),
    b.Pair(b"x.empty", b.array(b.ARRAY)),
    b.Pair(b"x.flags", b.array(b.BOOL, 0, 1)),
)
TWICE = (b.Pair(b"x.twice", b.u8(1)), b.Pair(b"x.last", b.u8(2)), b.Pair(b"x.twice", b.u8(3)))


def _data(*more: b.Pair, byte_order: b.ByteOrder = b.LITTLE, version: int = 3) -> bytes:
    return b.build(base(*PAIRS, *more, byte_order=byte_order, version=version)).data


@pytest.fixture(params=[(b.LITTLE, 3), (b.BIG, 3), (b.LITTLE, 1)], ids=str)
def model(request: pytest.FixtureRequest) -> gc.Model:
    """A file with every kind of value and a key that occurs twice."""
    byte_order, version = request.param
    return gc.open(_data(*TWICE, byte_order=byte_order, version=version))


def test_every_value_set_again_gives_the_same_file(model: gc.Model) -> None:
    before = model.to_bytes()
    for key in model.metadata:
        if key != "x.twice":
            value = model.metadata[key]
            model.metadata.set(key, "another", "string")
            assert model.to_bytes() != before
            model.metadata.set(key, value, _type_of(before, key))
    assert model.to_bytes() == before


def _type_of(data: bytes, key: str) -> str:
    """The type spec of a key, as a person would write it."""
    return gc.open(data).metadata.field(key).type


@pytest.mark.parametrize("key", ["x.empty", "x.nested", "x.words", "x.float"])
def test_a_value_keeps_its_type_without_a_word(model: gc.Model, key: str) -> None:
    model.metadata[key] = model.metadata[key]
    assert not model.metadata.is_changed


def test_keys_stay_in_file_order_whatever_happens() -> None:
    metadata = gc.open(_data(*TWICE)).metadata
    known = list(metadata)
    assert known[-2:] == ["x.twice", "x.last"]
    assert len(metadata) == len(known)
    metadata.remove_occurrence("x.twice", 0)
    assert list(metadata)[-2:] == ["x.last", "x.twice"]
    metadata.rename("x.last", "x.renamed")
    metadata["x.new"] = "new"
    metadata["x.renamed"] = 9
    assert list(metadata)[-3:] == ["x.renamed", "x.twice", "x.new"]
    assert [field.key for field in metadata.fields()] == list(metadata)
    del metadata["x.twice"]
    metadata.set("x.twice", 1, "uint8")
    assert list(metadata)[-3:] == ["x.renamed", "x.new", "x.twice"]
    assert "x.last" not in metadata


def test_keys_can_be_removed_while_walking() -> None:
    metadata = gc.open(_data()).metadata
    for key in metadata:
        if key.startswith("x."):
            del metadata[key]
    assert metadata
    assert not [key for key in metadata if key.startswith("x.")]


def test_mapping_methods() -> None:
    model = gc.open(_data(*TWICE))
    metadata = model.metadata
    with pytest.raises(AmbiguousKeyError):
        metadata.popitem()
    metadata.remove_occurrence("x.twice", 1)
    assert metadata.popitem() == ("x.last", 2)
    assert metadata.pop("x.twice") == 1
    assert metadata.pop("x.twice", "none") == "none"
    assert metadata.get("x.twice") is None
    assert metadata.get("x.twice", 5) == 5
    with pytest.raises(KeyNotFoundError, match=r"x\.twice"):
        metadata.pop("x.twice")
    assert metadata.setdefault("x.twice", "text") == "text"
    metadata.update({"x.twice": "more"}, other="word")
    assert metadata["x.twice"] == "more"
    metadata.clear()
    assert not metadata
    assert list(metadata) == []
    with pytest.raises(KeyError):
        metadata.popitem()
    assert gc.open(model.to_bytes()).metadata == {}


def test_clear_removes_repeated_keys() -> None:
    metadata = gc.open(_data(*TWICE)).metadata
    metadata.clear()
    assert metadata.fields() == []
    assert metadata.is_changed
    untouched = gc.open(b.build(b.Model()).data).metadata
    untouched.clear()
    assert not untouched.is_changed


def test_a_key_that_occurs_very_often_is_told_in_one_line() -> None:
    metadata = gc.open(b.build(b.Model((b.Pair(b"k", b.u8(1)),) * 5000)).data).metadata
    with pytest.raises(AmbiguousKeyError, match=r"occurs 5000 times, at 0x18, .*\.\.\.$") as caught:
        del metadata["k"]
    assert len(caught.value.message) < 200
    assert len(caught.value.offsets) == 5000


def test_removing_an_occurrence_returns_it() -> None:
    metadata = gc.open(_data(*TWICE)).metadata
    first, last = metadata.occurrences("x.twice")
    assert metadata.remove_occurrence("x.twice", 1) is last
    with pytest.raises(KeyNotFoundError, match="no occurrence 1"):
        metadata.remove_occurrence("x.twice", 1)
    assert metadata.remove_occurrence("x.twice", 0) is first
    with pytest.raises(KeyNotFoundError):
        metadata.remove_occurrence("x.twice", 0)


def test_equal_means_the_same_pairs(model: gc.Model) -> None:
    metadata = model.metadata
    assert metadata == metadata.copy()
    assert metadata == gc.open(_data(*TWICE)).metadata
    assert metadata != gc.open(_data(*TWICE[1:])).metadata
    assert metadata != gc.open(_data(TWICE[2], TWICE[1], TWICE[0])).metadata
    other = metadata.copy()
    other.set("x.last", 2, "uint16")
    assert other != metadata
    assert other != 5


def test_equal_to_a_dictionary_of_its_values() -> None:
    metadata = gc.open(_data()).metadata
    del metadata["x.float"]  # a NaN equals nothing
    values: dict[str, Any] = dict(metadata)
    assert metadata == values
    assert values == metadata
    assert metadata == {**values, "x.numbers": [-2, 0, 7], "x.words": ("one", "\udcff")}
    assert metadata != {**values, "x.numbers": [-2, 0]}
    assert metadata != {**values, "x.numbers": np.array([-2, 0, 8])}
    assert metadata != {**values, "x.words": "one"}
    assert metadata != {**values, "more": 1}


def test_a_copy_goes_its_own_way() -> None:
    model = gc.open(_data(*TWICE))
    for other in (model.metadata.copy(), copy.copy(model.metadata), copy.deepcopy(model.metadata)):
        other["x.words"] = ["changed"]
        del other["x.last"]
    assert not model.metadata.is_changed
    assert model.to_bytes() == _data(*TWICE)


@pytest.mark.parametrize("how", [copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_deep_copies_live_without_the_file(tmp_path: Path, how: Any) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(_data(*TWICE))
    with gc.open(path) as model:
        other: Metadata = how(model.metadata)
        field: gc.Field = how(model.metadata.field("x.words"))
        views = how([model.metadata[key] for key in ("x.words", "x.numbers", "x.nested")])
    with gc.open(path) as model:
        assert other == model.metadata
        assert field.encoded == model.metadata.field("x.words").encoded
        for key in model.metadata:
            assert other.field(key).raw == model.metadata.field(key).raw
            assert other.field(key).plain_value is not None
            model.metadata.remove_occurrence(key, 0)
            model.metadata.set(key, other.field(key))
        assert model.metadata.field("x.words").raw == field.raw
    assert list(views[0]) == ["one", "\udcff"]
    assert views[1].tolist() == [-2, 0, 7]
    assert list(views[2][2]) == ["a"]


def test_a_field_given_a_type_is_converted() -> None:
    metadata = gc.open(_data(*TWICE)).metadata
    assert metadata.set("x.copy", metadata.field("x.last")).type == "uint8"
    assert metadata.set("x.wide", metadata.field("x.last"), "uint64").type == "uint64"


def test_metadata_of_another_document_cannot_be_slipped_in() -> None:
    one, two = gc.open(_data()), gc.open(_data(*TWICE))
    with pytest.raises(AttributeError):
        one.metadata = two.metadata  # type: ignore[misc]


def test_a_refused_edit_leaves_no_trace(model: gc.Model) -> None:
    before = [field.key for field in model.metadata.fields()]
    model.metadata.set("tokenizer.ggml.tokens", ["a", "b"], "[string]")
    model.metadata.is_changed = False
    for _ in range(2):
        with pytest.raises(gc.EditError, match="does not exist"):
            gc.edit(model, {"tokenizer.ggml.eos_token_id": 5})
    assert not model.metadata.is_changed
    assert [field.key for field in model.metadata.fields()] == [*before, "tokenizer.ggml.tokens"]


class _Broken:
    def __index__(self) -> int:
        raise RuntimeError("no number")


TOO_DEEP = {"y:" + "[" * 9 + "uint8" + "]" * 9: [[[[[[[[[1]]]]]]]]]}


@pytest.mark.parametrize("bad", [TOO_DEEP, {5: "a"}, {b"y": "a"}, {"y:uint8": _Broken()}])
def test_edits_are_all_applied_or_none_whatever_is_raised(bad: dict[Any, Any]) -> None:
    model = gc.open(_data(*TWICE))
    with pytest.raises((gc.BuildError, RuntimeError, gc.EditError)):
        gc.edit(model, {"x.new:uint8": 1, **bad})
    assert "x.new" not in model.metadata
    assert not model.metadata.is_changed
    assert model.to_bytes() == _data(*TWICE)


def test_an_edit_with_a_field_keeps_its_type() -> None:
    model = gc.open(_data(*TWICE))
    (change,) = gc.edit(model, {"x.copy": model.metadata.field("x.last")})
    assert change.type == "uint8"


class _Counting(gc.Field):
    """A field that counts how often its key is asked for."""

    __slots__ = ()
    asked = 0

    @property
    def key(self) -> str:
        type(self).asked += 1
        return super().key


def test_the_cost_of_an_edit_does_not_grow_with_the_file() -> None:
    pairs = (b.Pair(b"k%d" % at, b.u8(1)) for at in range(2000))
    source = gc.open(b.build(b.Model(tuple(pairs))).data).metadata
    counting = [_Counting(field.record, field.buffer) for field in source.fields()]
    metadata = Metadata(list(counting), "<", 3)
    assert len(metadata) == 2000
    _Counting.asked = 0
    for at in range(500):
        metadata[f"k{at}"] = 2
        metadata.set(f"new{at}", 3, "uint8")
        metadata.rename(f"k{at + 500}", f"other{at}")
        del metadata[f"k{at + 1000}"]
    assert _Counting.asked <= 4 * 500
    assert len(metadata) == 2000


def test_an_update_from_another_file_keeps_types_and_bytes() -> None:
    source, target = gc.open(_data()), gc.open(b.build(base(byte_order=b.BIG)).data)
    target.metadata["x.flags"] = "another type before"
    target.metadata.update(source.metadata, more="text")
    assert target.metadata["more"] == "text"
    for field in source.metadata.fields():
        copied = target.metadata.field(field.key)
        assert (copied.type, copied.value_type) == (field.type, field.value_type)
        assert repr(copied.plain_value) == repr(field.plain_value)
    assert target.metadata.field("x.float").record.value.bits == 0x7FA00001
    assert list(reversed(target.metadata)) == list(target.metadata)[::-1]


@pytest.mark.parametrize(
    ("value", "spec"),
    [
        (np.uint32(5), "uint32"),
        (np.array(5, ">i8"), "int64"),
        (np.float32(0.5), "float32"),
        (np.bool_(True), "bool"),
        ([np.int8(1), np.int8(-1)], "[int8]"),
    ],
)
def test_numbers_of_numpy_say_their_type(value: Any, spec: str) -> None:
    metadata = gc.open(_data()).metadata
    metadata["x.new"] = value
    assert metadata.field("x.new").type == spec
    assert np.array_equal(metadata["x.new"], value)


@pytest.mark.parametrize("value", [np.float16(1), np.complex64(1), np.datetime64("2026-11-30")])
def test_other_numbers_of_numpy_need_a_type(value: Any) -> None:
    with pytest.raises(gc.errors.TypeConflictError):
        gc.open(_data()).metadata["x.new"] = value
