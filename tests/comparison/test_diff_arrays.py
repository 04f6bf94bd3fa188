"""How two arrays differ: against a plain comparison of lists."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

import gguf_construct as gc
from gguf_construct.comparison.diff_arrays import ArrayDiff, diff_arrays
from tests.support import builders as b
from tests.support.cases_valid import base


def array_of(value: b.Value, order: b.ByteOrder = b.LITTLE) -> Any:
    """The array as the codec reads it from a file."""
    model = gc.open(b.build(base(b.Pair(b"k", value), byte_order=order)).data)
    return model.metadata.field("k").record.value


def texts(*items: bytes) -> Any:
    return array_of(b.array(b.STRING, *items))


def test_strings_that_came_went_and_moved() -> None:
    found = diff_arrays(texts(b"a", b"b", b"c", b"d"), texts(b"a", b"d", b"c", b"e", b"f"))
    assert found == ArrayDiff(
        4, 5, added=[(3, b"e"), (4, b"f")], removed=[(1, b"b")], moved=[(3, 1, b"d")]
    )


def test_equal_arrays_have_no_difference() -> None:
    assert diff_arrays(texts(b"a", b"b"), texts(b"a", b"b")) is None
    assert diff_arrays(texts(), texts()) is None
    numbers = array_of(b.array(b.INT32, 1, 2))
    assert diff_arrays(numbers, array_of(b.array(b.INT32, 1, 2), b.BIG)) is None
    nested = array_of(b.array(b.ARRAY, b.Array(b.UINT8, (1,))))
    assert diff_arrays(nested, array_of(b.array(b.ARRAY, b.Array(b.UINT8, (2,))))) is None


def test_repeated_strings_are_matched_in_order() -> None:
    found = diff_arrays(texts(b"x", b"x", b"y"), texts(b"y", b"x", b"x", b"x"))
    assert found is not None
    assert list(found.moved) == [(2, 0, b"y"), (0, 2, b"x")]
    assert list(found.added) == [(3, b"x")]
    assert list(found.removed) == []


@pytest.mark.parametrize("seed", range(30))
def test_differences_turn_the_old_array_into_the_new_one(seed: int) -> None:
    rng = random.Random(seed)
    alphabet = [b"%d" % at for at in range(rng.choice([3, 8, 40]))]
    old = [rng.choice(alphabet) for _ in range(rng.randrange(12))]
    new = list(old)
    for _ in range(rng.randrange(5)):
        new.insert(rng.randrange(len(new) + 1), rng.choice(alphabet))
    rng.shuffle(new) if seed % 3 == 0 else None
    del new[rng.randrange(len(new) + 1) :]
    found = diff_arrays(texts(*old), texts(*new))
    if old == new:
        assert found is None
        return
    assert found is not None
    assert (found.num_old, found.num_new) == (len(old), len(new))
    assert all(old[at] == text for at, text in found.removed)
    assert all(old[was] == new[now] == text for was, now, text in found.moved)
    added, removed = dict(found.added), dict(found.removed)
    moved = {now: text for _, now, text in found.moved}
    rebuilt = [
        added.get(at, moved.get(at, old[at] if at < len(old) else None)) for at in range(len(new))
    ]
    assert rebuilt == new
    assert Counter(old) - Counter(removed.values()) + Counter(added.values()) == Counter(new)


@pytest.mark.parametrize("orders", [(b.LITTLE, b.LITTLE), (b.LITTLE, b.BIG), (b.BIG, b.LITTLE)])
def test_numbers_are_compared_by_their_bits(orders: tuple[b.ByteOrder, b.ByteOrder]) -> None:
    one, two = orders
    old = array_of(b.array(b.UINT16, 1, 2, 300), one)
    assert diff_arrays(old, array_of(b.array(b.UINT16, 1, 5, 300, 4), two)) == ArrayDiff(
        3, 4, changed=[(1, 2, 5)]
    )
    assert diff_arrays(old, array_of(b.array(b.UINT16, 1, 2), two)) == ArrayDiff(3, 2, changed=[])
    zero, nan = b.f32_bits(0.0), 0x7FC00001
    floats = array_of(b.array(b.FLOAT32, zero, nan), one)
    assert diff_arrays(floats, array_of(b.array(b.FLOAT32, zero, nan), two)) is None
    found = diff_arrays(floats, array_of(b.array(b.FLOAT32, b.f32_bits(-0.0), nan), two))
    assert found is not None
    assert [at for at, _, _ in found.changed] == [0]


def test_rows_are_a_sequence() -> None:
    found = diff_arrays(texts(b"a", b"b", b"c"), texts())
    assert found is not None
    assert len(found.removed) == 3
    assert found.removed[-1] == (2, b"c")
    assert found.removed[::2] == [(0, b"a"), (2, b"c")]
    assert found.removed != [(0, b"a")]
    with pytest.raises(IndexError, match="range"):
        found.removed[3]
