"""`diff_models`: exactly the edits, whatever the form of the two files."""

from __future__ import annotations

from dataclasses import replace

import pytest

import gguf_construct as gc
from gguf_construct.api import diff_models
from gguf_construct.comparison.diff import Difference
from gguf_construct.comparison.diff_arrays import ArrayDiff, diff_arrays
from tests.support import builders as b
from tests.support.blocks import BLOCKS, swap_bytes, tensor_bytes
from tests.support.builders import Model, Pair, Tensor, Value, build
from tests.support.cases import VALID, Case

PAIRS = (
    Pair(b"general.architecture", b.text("llama")),
    Pair(b"general.name", b.text("one")),
    Pair(b"tokenizer.ggml.tokens", b.array(b.STRING, b"a", b"b", b"c")),
    Pair(b"tokenizer.ggml.scores", b.array(b.FLOAT32, 0, 0x7FC00001, 0x3F800000)),
    Pair(b"x.nested", b.array(b.ARRAY, b.Array(b.INT16, (1,)))),
)


def tensors(order: b.ByteOrder = b.LITTLE) -> tuple[Tensor, ...]:
    made = []
    for type_id, block in BLOCKS.items():
        dims = (block.elements * 2, 2)
        data = tensor_bytes(type_id, dims)
        there = data if order == b.LITTLE else swap_bytes(type_id, data)
        made.append(Tensor(f"t{type_id}".encode(), dims, type_id, there))
    return tuple(made)


BASE = Model(PAIRS, tensors())


def diff(old: Model | bytes, new: Model | bytes, **how: object) -> Difference:
    first, second = (one if isinstance(one, bytes) else build(one).data for one in (old, new))
    with gc.open(first) as before, gc.open(second) as after:
        return diff_models(before, after, **how)  # type: ignore[arg-type]


def with_pair(key: bytes, value: Value) -> Model:
    pairs = tuple(Pair(key, value) if pair.key == key else pair for pair in PAIRS)
    return replace(BASE, pairs=pairs)


@pytest.mark.parametrize("case", VALID, ids=str)
def test_a_file_is_the_same_as_itself(case: Case) -> None:
    assert diff(case.data, case.data) == Difference([], [], [])


@pytest.mark.parametrize("version", [1, 2, 3])
@pytest.mark.parametrize("order", [b.LITTLE, b.BIG])
def test_the_form_makes_notes_but_no_difference(version: int, order: b.ByteOrder) -> None:
    other = replace(BASE, version=version, byte_order=order, tensors=tensors(order))
    found = diff(BASE, other)
    assert found.is_same
    assert any("byte order" in text for text in found.notes) == (order == b.BIG)
    assert any("version" in text for text in found.notes) == (version != 3)


def test_order_makes_notes_but_no_difference() -> None:
    other = replace(BASE, pairs=PAIRS[::-1], tensors=BASE.tensors[::-1])
    found = diff(BASE, other)
    assert found.is_same
    assert "the keys are in another order" in found.notes
    assert "the tensors are in another order" in found.notes


def test_each_kind_of_edit_is_one_row() -> None:
    pairs = (*with_pair(b"general.name", b.text("two")).pairs[:-1], Pair(b"my.key", b.u8(1)))
    found = diff(BASE, replace(BASE, pairs=pairs))
    assert [(row.key, row.what) for row in found.metadata] == [
        ("general.name", "value"),
        ("x.nested", "removed"),
        ("my.key", "added"),
    ]
    assert found.tensors == []


@pytest.mark.parametrize("order", [b.LITTLE, b.BIG])
def test_types_and_bits_of_values_are_compared(order: b.ByteOrder) -> None:
    changes = {
        b"general.name": b.array(b.STRING, b"one"),
        b"tokenizer.ggml.scores": b.array(b.FLOAT32, 0x80000000, 0x7FC00002, 0x3F800000),
        b"x.nested": b.array(b.ARRAY, b.Array(b.UINT16, (1,))),
    }
    for key, value in changes.items():
        other = replace(with_pair(key, value), byte_order=order, tensors=tensors(order))
        found = diff(BASE, other)
        assert [row.key for row in found.metadata] == [key.decode()]
        is_type = value.type != b.ARRAY or key != b"tokenizer.ggml.scores"
        assert found.metadata[0].what == ("type" if is_type else "value")
    elements = diff(BASE, with_pair(b"tokenizer.ggml.scores", changes[b"tokenizer.ggml.scores"]))
    changed = elements.metadata[0].elements
    assert changed is not None
    assert [row[0] for row in changed.changed] == [0, 1]


def test_repeated_keys_are_compared_by_their_number() -> None:
    twice = replace(BASE, pairs=(*PAIRS, Pair(b"general.name", b.text("again"))))
    found = diff(BASE, twice)
    assert [(row.key, row.what, row.occurrence) for row in found.metadata] == [
        ("general.name", "added", 1)
    ]


@pytest.mark.parametrize("order", [b.LITTLE, b.BIG])
@pytest.mark.parametrize("type_id", list(BLOCKS))
def test_one_byte_of_data_is_one_row(type_id: int, order: b.ByteOrder) -> None:
    changed = bytearray(build(replace(BASE, byte_order=order, tensors=tensors(order))).data)
    with gc.open(bytes(changed)) as model:
        tensor = model.tensors[f"t{type_id}"]
        changed[tensor.data_offset] ^= 0x10
    found = diff(BASE, bytes(changed))
    assert [(row.name, row.differs) for row in found.tensors] == [(f"t{type_id}", ("data",))]
    width = BLOCKS[type_id].fields[0][0] if order == b.BIG else 1
    assert found.tensors[0].first == width - 1
    assert diff(BASE, bytes(changed), tensors=False).is_same


def test_entries_of_tensors_are_compared() -> None:
    first, second, third, *rest = BASE.tensors
    changed = (
        first._replace(dims=(4, 1)),
        second._replace(type=26, dims=(len(second.data) // 4,)),
        third._replace(name=b"renamed"),
    )
    found = diff(BASE, replace(BASE, tensors=(*changed, *rest)))
    assert [(row.name, row.what, row.differs) for row in found.tensors] == [
        ("t0", "changed", ("shape",)),
        ("t1", "changed", ("type", "shape")),
        (third.name.decode() if isinstance(third.name, bytes) else "", "removed", ()),
        ("renamed", "added", ()),
    ]


def test_differences_far_into_a_tensor_are_found() -> None:
    data = bytearray(5 << 20)
    big = Model(tensors=(Tensor(b"big", (5 << 18,), 0, bytes(data)),))
    data[-1] = 1
    other = Model(tensors=(Tensor(b"big", (5 << 18,), 0, bytes(data)),))
    told: list[tuple[int, int]] = []
    found = diff(big, other, progress=lambda done, total: told.append((done, total)))
    assert [row.first for row in found.tensors] == [len(data) - 1]
    assert told == [(len(data), len(data))]


def test_bytes_in_reserve_make_a_note_but_no_difference() -> None:
    reserve = Pair(b"gguf_construct.padding", b.array(b.UINT8, *bytes(9)))
    found = diff(BASE, replace(BASE, pairs=(*PAIRS, reserve)))
    assert found.is_same
    assert "bytes in reserve for edits: 0 -> 9" in found.notes


def test_ignored_keys_make_no_rows() -> None:
    other = with_pair(b"general.name", b.text("two"))
    assert diff(BASE, other, ignore=["general.*"]).is_same
    assert not diff(BASE, other, ignore=["general.n"]).is_same


def strings(old: str, new: str) -> ArrayDiff | None:
    values = []
    for text in (old, new):
        items = b.array(b.STRING, *(one.encode() for one in text))
        values.append(build(Model((Pair(b"k", items),))).data)
    with gc.open(values[0]) as first, gc.open(values[1]) as second:
        fields = [model.metadata.field("k").record.value for model in (first, second)]
        return diff_arrays(*fields)


@pytest.mark.parametrize(
    ("old", "new", "added", "removed", "moved"),
    [
        ("abc", "abd", [(2, b"d")], [(2, b"c")], []),
        ("abc", "abcd", [(3, b"d")], [], []),
        ("abc", "ab", [], [(2, b"c")], []),
        ("abc", "xabc", [(0, b"x")], [], [(0, 1, b"a"), (1, 2, b"b"), (2, 3, b"c")]),
        ("abc", "cba", [], [], [(2, 0, b"c"), (0, 2, b"a")]),
        ("", "a", [(0, b"a")], [], []),
        ("aab", "aba", [], [], [(2, 1, b"b"), (1, 2, b"a")]),
        ("aa", "aab", [(2, b"b")], [], []),
        ("xx", "ax", [(0, b"a")], [(0, b"x")], []),
        ("abab", "baba", [], [], [(1, 0, b"b"), (0, 1, b"a"), (3, 2, b"b"), (2, 3, b"a")]),
        ("ab", "aabb", [(1, b"a"), (3, b"b")], [], [(1, 2, b"b")]),  # matched in order
    ],
)
def test_vocabularies_are_compared_by_token(
    old: str,
    new: str,
    added: list[tuple[int, bytes]],
    removed: list[tuple[int, bytes]],
    moved: list[tuple[int, int, bytes]],
) -> None:
    found = strings(old, new)
    assert found is not None
    assert (list(found.added), list(found.removed)) == (added, removed)
    assert list(found.moved) == moved


def test_equal_vocabularies_have_no_difference() -> None:
    assert strings("abca", "abca") is None
