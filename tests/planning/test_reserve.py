"""The padding key: what counts as one."""

from __future__ import annotations

import pytest

from gguf_construct.core.codec import parse
from gguf_construct.model import open_model
from gguf_construct.planning.reserve import (
    find_reserve,
    reserve_field,
    reserve_key,
    reserve_nbytes,
)
from tests.support import builders as b
from tests.support.cases_valid import base

KEY = b"gguf_construct.padding"


def zeros(count: int, element_type: int = b.UINT8) -> b.Pair:
    return b.Pair(KEY, b.array(element_type, *([0] * count)))


def test_the_key_is_our_own() -> None:
    assert reserve_key() == KEY.decode()


@pytest.mark.parametrize(
    ("pairs", "nbytes", "is_found"),
    [
        ((), None, False),
        ((zeros(0),), 0, True),
        ((zeros(10),), 10, True),
        ((zeros(10), zeros(10)), None, False),
        ((zeros(10, b.INT8),), None, False),
        ((b.Pair(KEY, b.text("x")),), None, False),
        ((b.Pair(KEY, b.u8(0)),), None, False),
        ((b.Pair(KEY, b.array(b.UINT8, 0, 0, 1)),), 3, False),
    ],
)
@pytest.mark.parametrize("order", [b.LITTLE, b.BIG])
def test_what_is_a_reserve(
    pairs: tuple[b.Pair, ...], nbytes: int | None, is_found: bool, order: b.ByteOrder
) -> None:
    document = parse(b.build(base(*pairs, byte_order=order)).data)
    assert reserve_nbytes(document) == nbytes
    found = find_reserve(document)
    assert (found is not None) is is_found
    if found is not None:
        assert found.raw_key == KEY


def test_one_that_was_just_edited_is_wanted_that_way() -> None:
    model = open_model(b.build(base(zeros(10))).data)
    model.metadata.set(KEY.decode(), [0] * 5, "[uint8]")
    assert find_reserve(model) is None
    assert reserve_nbytes(model) == 5


@pytest.mark.parametrize("order", [b.LITTLE, b.BIG])
@pytest.mark.parametrize("nbytes", [0, 1, 1000])
def test_a_reserve_as_the_file_would_hold_it(order: b.ByteOrder, nbytes: int) -> None:
    document = parse(b.build(base(byte_order=order)).data)
    built = b.build(base(zeros(nbytes), byte_order=order))
    expected = built.data[built.at("metadata[4].key.len") : built.at("tensors[0].name.len")]
    assert reserve_field(document, nbytes).encoded == expected
