"""Which tensors are listed, in which order, and what they add up to."""

from __future__ import annotations

import pytest

import gguf_construct as gc
from gguf_construct.comparison.tensor_list import (
    SORTS,
    TypeTotal,
    bits_per_weight,
    select_tensors,
    type_totals,
)
from tests.support import builders as b
from tests.support import unknown
from tests.support.cases_valid import base

TENSORS = (
    b.Tensor(b"blk.1.b", (32,), 2, bytes(18)),
    b.Tensor(b"blk.0.a", (10,), 0, bytes(40)),
    b.Tensor(b"output", (64,), 8, bytes(68)),
    b.Tensor(b"blk.0.c", (12,), 0, bytes(48), place=512),
)


@pytest.fixture(scope="module")
def model() -> gc.Model:
    return gc.open(b.build(base(tensors=TENSORS)).data)


ORDERS = {
    "name": ["blk.0.a", "blk.0.c", "blk.1.b", "output"],
    "size": ["output", "blk.0.c", "blk.0.a", "blk.1.b"],
    "type": ["blk.0.a", "blk.0.c", "blk.1.b", "output"],
    "offset": ["blk.1.b", "blk.0.a", "output", "blk.0.c"],
    "elements": ["output", "blk.1.b", "blk.0.c", "blk.0.a"],
}


@pytest.mark.parametrize("sort", SORTS)
def test_orders(model: gc.Model, sort: str) -> None:
    assert [one.name for one in select_tensors(model.tensors.all, sort=sort)] == ORDERS[sort]


@pytest.mark.parametrize(
    ("patterns", "names"),
    [
        ((), ["blk.1.b", "blk.0.a", "output", "blk.0.c"]),
        (("blk.0.*",), ["blk.0.a", "blk.0.c"]),
        (("BLK.*",), []),
        (("output", "*.b"), ["blk.1.b", "output"]),
        (("blk.[01].[ab]",), ["blk.1.b", "blk.0.a"]),
    ],
)
def test_patterns(model: gc.Model, patterns: tuple[str, ...], names: list[str]) -> None:
    assert [one.name for one in select_tensors(model.tensors.all, patterns)] == names


def test_totals_begin_with_the_largest(model: gc.Model) -> None:
    totals, everything = type_totals(model.tensors.all)
    assert totals == [
        TypeTotal("F32", 2, 22, 88),
        TypeTotal("Q8_0", 1, 64, 68),
        TypeTotal("Q4_0", 1, 32, 18),
    ]
    assert everything == TypeTotal("all", 4, 118, 174)
    assert totals[0].bits_per_weight == 32
    assert totals[1].bits_per_weight == 8.5


def test_a_type_of_unknown_layout_has_no_size() -> None:
    tensors = (*TENSORS[:1], b.Tensor(b"x", (4,), unknown.TENSOR_TYPE, b"1234"))
    with gc.open(b.build(base(tensors=tensors)).data) as model:
        totals, everything = type_totals(model.tensors.all)
        assert totals[1] == TypeTotal(f"type {unknown.TENSOR_TYPE}", 1, 4, None)
        assert totals[1].bits_per_weight is None
        assert everything.nbytes is None
        assert [one.name for one in select_tensors(model.tensors.all, sort="size")][-1] == "x"
    assert type_totals([]) == ([], TypeTotal("all", 0, 0, 0))


def test_bits_per_weight() -> None:
    assert bits_per_weight(0, 0) is None
    assert bits_per_weight(5, None) is None
    assert bits_per_weight(32, 18) == 4.5
    assert bits_per_weight(8, 0) == 0
