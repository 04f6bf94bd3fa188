"""Keys as llama.cpp's loader asks for them."""

from __future__ import annotations

from typing import Any

import pytest

from gguf_construct._generated.types import Array, MetadataKv, ValueType
from gguf_construct.validation.numbers import Numbers

U32, I32, F32, BOOL = ValueType.UINT32, ValueType.INT32, ValueType.FLOAT32, ValueType.BOOL
TEXT, U64 = ValueType.STRING, ValueType.UINT64


def of(kind: ValueType, value: Any) -> Numbers:
    """Numbers of a file with one key; a tuple makes an array of the kind."""
    if isinstance(value, tuple):
        kind, value = ValueType.ARRAY, Array(kind, len(value), value)
    return Numbers("arch", {"arch.key": MetadataKv(b"arch.key", kind, value)})


@pytest.mark.parametrize(
    ("ask", "kind", "value", "answer"),
    [
        ("u32", U32, 7, 7),
        ("f32", F32, 0.5, 0.5),
        ("flag", BOOL, 2, True),
        ("text", TEXT, b"linear", "linear"),
        ("u32_or_row", U32, 7, 7),
        ("count", TEXT, (b"a", b"b"), 2),
    ],
)
def test_scalars(ask: str, kind: ValueType, value: Any, answer: Any) -> None:
    one = of(kind, value)
    assert getattr(one, ask)("key") == answer
    assert (one.read, one.is_blocked) == ({"arch.key"}, False)


@pytest.mark.parametrize(
    ("ask", "kind", "value"),
    [
        ("u32", I32, 7),
        ("u32", U32, (7,)),
        ("f32", U32, 7),
        ("flag", U32, 1),
        ("text", U32, 1),
        ("count", U32, 1),
        ("u32_or_row", U32, (7,)),
    ],
)
def test_other_types_are_refused(ask: str, kind: ValueType, value: Any) -> None:
    one = of(kind, value)
    getattr(one, ask)("key")
    assert [wrong.key for wrong in one.wrong_types] == ["arch.key"]
    assert one.is_blocked


def test_missing_keys() -> None:
    one = Numbers("arch", {})
    assert (one.u32("key", 5), one.row("key", 3, [1]), one.row_text("key", 0, [])) == (5, [1], [])
    assert one.u32_or_row("key", 4) == 4
    assert not one.is_blocked
    needy = Numbers("arch", {})
    needy.u32("key")
    assert needy.missing_keys == ["arch.key"]
    assert needy.is_blocked
    assert (one.given_key("key"), one.given_row("/key")) == (False, False)


def test_one_for_all_or_one_for_each() -> None:
    assert of(U32, 7).each("key", 2)[:4] == [7, 7, 0, 0]
    assert of(I32, (7, 8)).each("key", 2, [5] * 512)[:3] == [7, 8, 5]
    assert of(BOOL, (0, 1)).each("key", 2)[:2] == [0, 1]
    assert of(F32, (0.5,)).each_f32("key", 1)[0] == 0.5
    assert of(I32, 3).each_int("key", 4)[:4] == [3] * 4


@pytest.mark.parametrize("value", [(1, 2, 3), (1,)])
def test_rows_of_the_wrong_length(value: tuple[int, ...]) -> None:
    one = of(U32, value)
    one.each("key", 2)
    assert [wrong.length for wrong in one.wrong_types] == [2]


@pytest.mark.parametrize(("ask", "kind"), [("each", U64), ("each_f32", U32), ("each_int", F32)])
def test_rows_of_the_wrong_type(ask: str, kind: ValueType) -> None:
    one = of(kind, (1, 2))
    getattr(one, ask)("key", 2)
    assert one.is_blocked


def test_rows() -> None:
    assert of(U32, (1, 2)).row("key", 4) == [1, 2, 0, 0]
    assert of(BOOL, (1, 0)).row("key", 2) == [1, 0]
    assert of(U64, (1, 2)).row_u64("key", 8) == [1, 2]
    for refused in (of(BOOL, (1,)).row("key", 0), of(U64, (1,)).row("key", 0)):
        assert refused == []
    many = of(U32, (1, 2, 3))
    many.row("key", 2)
    assert many.wrong_types[0].length == 2
    scalar = of(U32, 1)
    assert scalar.row("key", 0) == []
    assert scalar.is_blocked


@pytest.mark.parametrize(
    ("period", "dense_first", "windows"),
    [
        (0, False, [1, 1, 1, 1, 0]),
        (1, False, [0, 0, 0, 0, 0]),
        (2, False, [1, 0, 1, 0, 0]),
        (2, True, [0, 1, 0, 1, 0]),
        (4, False, [1, 1, 1, 0, 0]),
    ],
)
def test_sliding_windows(period: int, dense_first: bool, windows: list[int]) -> None:
    one = Numbers("arch", {})
    one.layers_all, one.layers_nextn = 5, 1
    one.swa(period, dense_first)
    assert one.swa_each[:5] == windows


def test_sliding_windows_by_the_key() -> None:
    row = MetadataKv(b"", ValueType.ARRAY, Array(BOOL, 2, (0, 1)))
    one = Numbers("arch", {"arch.attention.sliding_window_pattern": row})
    one.layers_all, one.head_k_full, one.head_k_swa = 2, 8, 4
    one.swa(2, False)
    assert (one.head_k(0), one.head_k(1)) == (8, 4)


def test_what_follows_from_them() -> None:
    one = Numbers("arch", {})
    one.heads_each[0], one.heads_kv_each[0], one.head_k_full, one.head_v_full = 4, 2, 8, 6
    assert (one.k(), one.v(), one.gqa(), one.rot()) == (16, 12, 2, 0)
    assert (one.gqa(1), one.head_k_mla(), one.head_v_mla()) == (0, 8, 6)
    one.mla_k, one.mla_v = 24, 16
    assert (one.head_k_mla(), one.head_v_mla(), one.is_mla()) == (24, 16, True)
    one.embd, one.deepstack = 10, 2
    assert (one.embd_inp(), one.embd_inp_enc(), one.embd_out()) == (30, 30, 10)
    assert one.has_kv(3)
    one.layers_with_kv = 3
    assert not one.has_kv(3)
