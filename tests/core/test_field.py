"""Fields: bytes, types, values, and copies that live without the file."""

from __future__ import annotations

import copy
import pickle

import pytest

from gguf_construct._generated.types import ValueType
from gguf_construct.core.codec import parse
from tests.support import builders as b
from tests.support.cases_valid import base

PAIRS = (
    b.Pair(b"numbers", b.array(b.UINT16, 1, 2, 3)),
    b.Pair(b"texts", b.array(b.STRING, b"a", b"\xff")),
    b.Pair(b"nested", b.array(b.ARRAY, b.Array(b.UINT8, (1,)), b.Array(b.STRING, (b"x",)))),
    b.Pair(b"odd\xff", b.boolean(2)),
)
FIRST = 4  # pairs of `base` before them


@pytest.mark.parametrize("order", [b.LITTLE, b.BIG])
def test_a_field_knows_its_bytes(order: b.ByteOrder) -> None:
    built = b.build(base(*PAIRS, byte_order=order))
    fields = parse(built.data).metadata.fields()[FIRST:]
    for index, field in enumerate(fields, FIRST):
        start, value = built.at(f"metadata[{index}].key.len"), built.at(f"metadata[{index}].type")
        end = (
            built.at("tensors[0].name.len")
            if index == FIRST + 3
            else built.at(f"metadata[{index + 1}].key.len")
        )
        assert (field.start, field.value_start, field.end) == (start, value + 4, end)
        assert field.encoded == built.data[start:end]
        assert field.raw == built.data[value + 4 : end]
        assert not field.is_edited
    assert [field.type for field in fields] == ["[uint16]", "[string]", "[array]", "bool"]
    assert [field.array_length for field in fields] == [3, 2, 2, None]
    assert [field.plain_value for field in fields] == [
        [1, 2, 3],
        ["a", "\udcff"],
        [[1], ["x"]],
        True,
    ]
    assert fields[3].key == "odd\udcff"
    assert fields[3].raw_key == b"odd\xff"
    assert fields[3].value_type is ValueType.BOOL
    assert repr(fields[0]) == "<Field 'numbers' [uint16]>"


@pytest.mark.parametrize(
    "duplicate", [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))]
)
@pytest.mark.parametrize("index", range(4))
def test_a_copy_has_bytes_of_its_own(duplicate: object, index: int) -> None:
    built = b.build(base(*PAIRS))
    field = parse(built.data).metadata.fields()[FIRST + index]
    assert callable(duplicate)
    twin = duplicate(field)
    assert twin.is_edited
    assert twin.buffer is not field.buffer
    assert len(twin.buffer) == field.end - field.start
    assert (twin.start, twin.end) == (0, field.end - field.start)
    assert (twin.key, twin.type, twin.raw, twin.encoded) == (
        field.key,
        field.type,
        field.raw,
        field.encoded,
    )
    assert twin.plain_value == field.plain_value
