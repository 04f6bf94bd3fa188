"""Which way an edit is saved, and that each way gives the file that was meant."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gguf_construct as gc
from gguf_construct.errors import BuildError, GGUFError
from gguf_construct.planning import strategy
from gguf_construct.planning.options import CHOICES, SaveOptions
from gguf_construct.planning.patches import Room
from gguf_construct.planning.reserve import find_reserve, reserve_key, reserve_nbytes
from gguf_construct.planning.strategy import FileFacts, plan_save
from gguf_construct.storage.write.in_memory import plan_bytes
from tests.support import builders as b
from tests.support.cases import small_models
from tests.support.cases_valid import base
from tests.support.mutations import mutations
from tests.support.strategies import models

if TYPE_CHECKING:
    from gguf_construct.model import Model
    from gguf_construct.planning.strategy import SavePlan

BLOCK = 256
KEY = "general.name"
AUTO = SaveOptions("auto")
KEEP = SaveOptions("auto", reserve_if_moved=100)


def plan_edit(
    model: Model, options: SaveOptions = AUTO, *, room: bool = False, avoid: str = ""
) -> SavePlan:
    """Plan an edit of the file itself."""
    facts = FileFacts("m.gguf", make_room=make_room if room else None, avoid=avoid)
    return plan_save(model, facts, options)


def plan_new_file(model: Model, options: SaveOptions) -> SavePlan:
    return plan_save(model, FileFacts("n.gguf", is_named=True, is_own=False), options)


def make_room(at: int, need: int, alignment: int) -> Room:
    """A file system with small blocks."""
    unit = BLOCK * alignment
    return Room(at // BLOCK * BLOCK, -(-need // unit) * unit)


def applied(model: Model, planned: SavePlan) -> bytes:
    """What the file is when the plan was followed."""
    if planned.strategy in ("replace", "new-file"):
        return plan_bytes(planned.plan, [model.source])
    content = bytearray(model.buffer[:])
    if planned.room:
        at, nbytes = planned.room
        content[at:at] = bytes(nbytes)
    for offset, data in planned.patches:
        content[offset : offset + len(data)] = data
    return bytes(content)


def checked(model: Model, planned: SavePlan) -> Model:
    """Apply a plan, and hold the result against the document and against its own plan."""
    content = applied(model, planned)
    assert content == plan_bytes(planned.plan, [model.source])
    again = gc.open(content)
    assert pairs(again) == pairs(model)
    assert [tensor.raw for tensor in again.tensors.all] == [
        tensor.raw for tensor in model.tensors.all
    ]
    assert reserve_nbytes(again) == planned.reserve
    return again


def pairs(model: Model) -> list[bytes]:
    return [one.encoded for one in model.metadata.fields() if one.key != reserve_key()]


def reserved(nbytes: int, tail: bytes = b"") -> Model:
    """A model with that much in reserve, or little more."""
    name = b.Pair(KEY.encode(), b.text("n" * 30))
    model = gc.open(b.build(base(name, tail=tail)).data)
    return checked(model, plan_new_file(model, SaveOptions("auto", reserve=nbytes)))


def test_padding_absorbs_what_it_can() -> None:
    data = b.build(base(b.Pair(KEY.encode(), b.text("n" * 30)))).data
    seen = set()
    for length in range(100):
        model = gc.open(data)
        model.metadata[KEY] = "x" * length
        planned = plan_edit(model)
        seen.add(planned.strategy)
        slack = model.data_start - model.header_end
        fits = -(model.alignment - slack) < length - 30 <= slack
        assert (planned.strategy == "in-place") == fits, length
        assert (planned.why != "") == (planned.strategy == "replace")
        checked(model, planned)
    assert seen == {"in-place", "replace"}


def test_edits_take_from_the_reserve_and_give_back() -> None:
    model = reserved(1000)
    first = reserve_nbytes(model)
    assert first is not None
    assert 1000 <= first < 1032
    assert model.header_end == model.data_start
    for length in (31, 500, 0, 30):
        model.metadata[KEY] = "x" * length
        planned = plan_edit(model)
        assert planned.strategy == "in-place"
        assert planned.reserve == first + 30 - length
        again = checked(model, planned)
        assert again.data_start == model.data_start == again.header_end
        model = again


def test_new_keys_go_before_the_reserve() -> None:
    model = reserved(1000)
    model.metadata.set("x.new", 5, "uint32")
    again = checked(model, plan_edit(model))
    assert list(again.metadata)[-2:] == ["x.new", reserve_key()]


def test_a_reserve_that_is_too_small_is_filled_up_again() -> None:
    model = reserved(100)
    model.metadata[KEY] = "x" * 4000
    planned = plan_edit(model)
    assert planned.strategy == "replace"
    assert "more than there is room" in planned.why
    again = checked(model, planned)
    assert (reserve_nbytes(again) or 0) >= 100


def test_the_last_bytes_of_a_reserve_may_take_the_key_along() -> None:
    model = reserved(100)
    left = model.data_start - model.header_end + (reserve_nbytes(model) or 0)
    model.metadata[KEY] = "x" * (30 + left + 40)
    planned = plan_edit(model)
    assert (planned.strategy, planned.reserve) == ("in-place", None)
    assert reserve_key() not in checked(model, planned).metadata


@pytest.mark.parametrize("nbytes", [1, 31, 32, 33, 5000])
def test_a_reserve_is_at_least_what_was_asked_for(nbytes: int) -> None:
    model = reserved(1)
    for planned in (
        plan_new_file(model, SaveOptions("auto", reserve=nbytes)),
        plan_edit(model, SaveOptions("auto", reserve=nbytes)),
    ):
        assert nbytes <= (planned.reserve or 0)
        checked(model, planned)


def test_a_reserve_can_be_given_up() -> None:
    model = reserved(500)
    planned = plan_edit(model, SaveOptions("auto", reserve=0))
    assert planned.strategy == "replace"
    assert reserve_key() not in checked(model, planned).metadata


def test_a_reserve_beyond_what_readers_take_is_refused() -> None:
    model = reserved(1)
    for nbytes in (-1, 1 << 28, 1 << 40):
        with pytest.raises(BuildError, match="in reserve"):
            plan_edit(model, SaveOptions("auto", reserve=nbytes))


def test_only_zeros_that_nobody_edits_are_a_reserve() -> None:
    key = reserve_key().encode()
    for value in (b.array(b.UINT8, 0, 1), b.array(b.INT8, 0, 0), b.text("\0\0")):
        model = gc.open(b.build(base(b.Pair(key, value))).data)
        assert find_reserve(model) is None
        model.metadata["general.name"] = "x" * 100
        assert model.metadata.field(reserve_key()).encoded in checked_bytes(model)
    model = reserved(100)
    model.metadata.set(reserve_key(), [0, 0, 0])
    assert find_reserve(model) is None
    assert reserve_nbytes(gc.open(checked_bytes(model))) == 3


def checked_bytes(model: Model) -> bytes:
    return applied(model, plan_edit(model))


def test_nothing_to_do() -> None:
    model = reserved(100, tail=b"tail")
    assert plan_edit(model).strategy == "none"
    assert plan_edit(model, SaveOptions("auto", reserve=50)).strategy == "none"
    assert (
        plan_edit(gc.open(b.build(base()).data), SaveOptions("auto", "repack")).strategy == "none"
    )


def test_room_is_inserted(monkeypatch: pytest.MonkeyPatch) -> None:
    model = gc.open(b.build(base()).data)
    model.metadata["general.name"] = "x" * 1000
    assert plan_edit(model, KEEP, room=True).strategy == "replace"
    monkeypatch.setattr(strategy, "LARGE", 0)
    planned = plan_edit(model, KEEP, room=True)
    assert (planned.strategy, planned.adds_key) == ("insert", True)
    assert planned.otherwise is not None
    assert planned.otherwise.strategy == "replace"
    again = checked(model, planned)
    assert again.header_end == again.data_start
    assert plan_edit(model, KEEP, room=True, avoid="no").strategy == "replace"
    assert plan_edit(model, KEEP).strategy == "replace"


def test_no_key_is_added_unasked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strategy, "LARGE", 0)
    for length in (0, 100, 1000, 5000):
        model = gc.open(b.build(base(b.Pair(KEY.encode(), b.text("x" * 500)))).data)
        model.metadata[KEY] = "y" * length
        for way in CHOICES[:-1]:
            try:
                planned = plan_edit(model, SaveOptions(way), room=True)
            except BuildError:
                assert way in ("in-place", "insert")
                continue
            assert (planned.adds_key, planned.reserve) == (False, None)
            assert reserve_key() not in checked(model, planned).metadata


def test_room_that_is_filled_by_the_header_takes_no_key() -> None:
    model = gc.open(b.build(base(b.Pair(KEY.encode(), b.text("x")))).data)
    unit = BLOCK * model.alignment
    model.metadata[KEY] = "y" * (unit + model.data_start - model.header_end)
    planned = plan_edit(model, SaveOptions("insert"), room=True)
    assert (planned.strategy, planned.adds_key) == ("insert", False)
    checked(model, planned)
    model.metadata[KEY] = "y" * (unit // 2)
    with pytest.raises(BuildError, match="--reserve"):
        plan_edit(model, SaveOptions("insert"), room=True)


def test_a_key_that_may_be_added_spares_a_copy() -> None:
    model = gc.open(b.build(base(b.Pair(KEY.encode(), b.text("x" * 500)))).data)
    model.metadata[KEY] = "short"
    assert plan_edit(model).strategy == "replace"
    planned = plan_edit(model, KEEP)
    assert (planned.strategy, planned.adds_key) == ("in-place", True)
    checked(model, planned)
    model.metadata[KEY] = "z" * 5000
    planned = plan_edit(model, KEEP)
    assert (planned.strategy, planned.adds_key) == ("replace", True)
    assert (planned.reserve or 0) >= (KEEP.reserve_if_moved or 0)
    checked(model, planned)
    del model.metadata[KEY]
    model.metadata[KEY] = "x" * 500
    assert not plan_edit(model, KEEP).adds_key


REFUSED = [
    ("in-place", KEY, "x" * 500, "more than there is room"),
    ("in-place", "general.alignment", 64, "laid out again"),
    ("insert", KEY, "x" * 500, "cannot make room"),
    ("new-file", KEY, "y", "another path"),
    ("magic", KEY, "y", "no strategy"),
]


@pytest.mark.parametrize(("name", "key", "value", "words"), REFUSED)
def test_what_cannot_be_done_is_refused(name: str, key: str, value: object, words: str) -> None:
    model = reserved(100)
    model.metadata[key] = value
    with pytest.raises(BuildError, match=words):
        plan_edit(model, SaveOptions(name))


@pytest.mark.parametrize(
    ("value", "reserve", "words"),
    [
        ("x" * 500, None, r"the header needs \d+ bytes more than there is room"),
        ("n" * 30, 5000, "there is no room in the header for 5000 bytes in reserve"),
        ("", None, r"the header would end \d+ bytes too early"),
    ],
)
def test_why_an_edit_moves_the_data(value: str, reserve: int | None, words: str) -> None:
    model = gc.open(b.build(base(b.Pair(KEY.encode(), b.text("n" * 90)))).data)
    model.metadata[KEY] = value
    with pytest.raises(BuildError, match=f"{words}, so the data section moves"):
        plan_edit(model, SaveOptions("in-place", reserve=reserve))


def test_files_without_data() -> None:
    for tail in (b"", b"tail"):
        model = gc.open(
            b.build(base(b.Pair(KEY.encode(), b.text("x")), tensors=(), tail=tail)).data
        )
        model.metadata[KEY] = "y"
        assert plan_edit(model).strategy == "in-place"
        model.metadata[KEY] = "longer"
        planned = plan_edit(model, SaveOptions("auto", reserve=10))
        assert (planned.strategy, planned.reserve) == ("replace", 10)
        again = checked(model, planned)
        again.metadata[KEY] = "still longer"
        assert plan_edit(again).reserve == 4
        checked(again, plan_edit(again))
        with pytest.raises(BuildError, match="nothing follows"):
            plan_edit(again, SaveOptions("insert"), room=True)


EDITS = st.lists(
    st.tuples(st.sampled_from(["x.a", "general.name", "x.b"]), st.integers(-1, 700)), max_size=4
)


@given(
    models(),
    st.sampled_from([None, None, 0, 1, 200]),
    st.lists(EDITS, min_size=1, max_size=3),
    st.sampled_from(["auto", "in-place", "insert", "replace"]),
    st.booleans(),
)
def test_every_way_gives_the_file_that_was_meant(
    content: b.Model,
    reserve: int | None,
    rounds: list[list[tuple[str, int]]],
    way: str,
    repack: bool,
) -> None:
    model = gc.open(b.build(content).data)
    options = SaveOptions(way, "repack" if repack else None, None, reserve)
    for edits in rounds:
        for key, length in edits:
            if length >= 0:
                model.metadata.set(key, "x" * length, "string")
            elif key in model.metadata:
                del model.metadata[key]
        checked(model, plan_new_file(model, replace(options, strategy="auto")))
        try:
            planned = plan_edit(model, options, room=True)
        except BuildError:
            assert way in ("in-place", "insert")
            return
        model = checked(model, planned)


@pytest.mark.parametrize("name", dict(small_models()))
def test_damaged_files_are_planned_as_well(name: str) -> None:
    """Whatever opens can be edited by each way that does not refuse; all give the same pairs."""
    built = dict(small_models())[name]
    chance = random.Random(name)
    planned_ways = set()
    for data in mutations(built.data, chance, 100, built.spans):
        try:
            model = gc.open(data)
            model.metadata.set("x.added", "y" * chance.choice((1, 40, 600)), "string")
        except GGUFError:
            continue
        reserve = chance.choice((None, None, 100))
        for way in ("auto", "in-place", "insert", "replace"):
            try:
                planned = plan_edit(model, SaveOptions(way, reserve=reserve), room=True)
            except GGUFError:
                continue
            planned_ways.add(planned.strategy)
            content = applied(model, planned)
            assert content == plan_bytes(planned.plan, [model.source])
            assert pairs(gc.open(content)) == pairs(model)
    assert planned_ways >= {"insert", "replace"}


def test_a_wild_alignment_fills_no_memory() -> None:
    """The padding of 64 MiB stays padding, whatever is reserved in it."""
    pair = b.Pair(b"general.alignment", b.u32(64 << 20))
    model = gc.open(b.build(base(pair)).data)
    model.metadata[KEY] = "x"
    planned = plan_edit(model, SaveOptions("auto", reserve=500))
    assert (planned.strategy, planned.reserve) == ("in-place", 500)
    assert sum(len(data) for _, data in planned.patches) < 5000
    assert plan_new_file(model, SaveOptions("auto", reserve=500)).reserve == 500
    with pytest.raises(BuildError, match="in pieces of"):
        plan_edit(model, SaveOptions("insert"), room=True)
