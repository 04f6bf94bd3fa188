"""The numbers in tensor data: NaN and infinities, in every type and byte order."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import pytest

from gguf_construct._generated.types import BLOCKS, GGMLType
from gguf_construct.validation.rules import data as rules_data
from gguf_construct.validation.validate import validate
from tests.support import builders as b
from tests.support.blocks import swap_bytes
from tests.support.builders import Model, Tensor, build

if TYPE_CHECKING:
    from gguf_construct.core.problem import Problem

NAN = {"f2": 0x7E00, "bf2": 0x7FC0, "f4": 0x7FC00000, "f8": 0x7FF8 << 48, "e8m0": 0xFF}
INFINITY = {"f2": 0xFC00, "bf2": 0xFF80, "f4": 0xFF800000, "f8": 0xFFF0 << 48}
CODES = ("data-not-finite", "data-scale-not-finite")
FIELDS = [
    (type_id, field.name)
    for type_id, layout in BLOCKS.items()
    for field in layout.fields
    if field.type in NAN
]


def _problems(type_id: int, block: bytes, order: b.ByteOrder = b.LITTLE) -> tuple[Problem, ...]:
    layout = BLOCKS[type_id]
    row = bytes(layout.nbytes) * 3 + block + bytes(layout.nbytes)
    if order == b.BIG:
        row = swap_bytes(type_id, row)
    tensor = Tensor(b"t", (layout.num_elements * 5,), type_id, row)
    built = build(Model(tensors=(Tensor(b"ints", (2,), 26, bytes(8)), tensor), byte_order=order))
    start = built.at("tensors[1].data") + 3 * layout.nbytes
    found = validate(built.data, data=True).problems
    return tuple(
        one._replace(offset=(one.offset or 0) - start) for one in found if one.code in CODES
    )


@pytest.mark.parametrize("order", [b.LITTLE, b.BIG])
@pytest.mark.parametrize(("type_id", "name"), FIELDS)
def test_every_float_of_every_type(type_id: int, name: str, order: b.ByteOrder) -> None:
    layout = BLOCKS[type_id]
    (field,) = (one for one in layout.fields if one.name == name)
    for values, what in ((NAN, "NaN"), (INFINITY, "infinity")):
        if field.type not in values:
            continue
        block = bytearray(layout.nbytes)
        last = field.offset + (field.count - 1) * field.width
        block[last : last + field.width] = values[field.type].to_bytes(field.width, "little")
        (problem,) = _problems(type_id, bytes(block), order)
        assert problem.code == CODES[layout.num_elements > 1]
        assert problem.offset == last
        assert what in problem.message
        assert problem.severity == "error"


@pytest.mark.parametrize("type_id", BLOCKS)
def test_large_but_finite_numbers_pass(type_id: int) -> None:
    layout = BLOCKS[type_id]
    block = bytearray(layout.nbytes)
    largest = {"f2": 0x7BFF, "bf2": 0x7F7F, "f4": 0x7F7FFFFF, "f8": (0x7FF0 << 48) - 1}
    for field in layout.fields:
        number = largest.get(field.type, 0)
        for at in range(field.count):
            place = field.offset + at * field.width
            block[place : place + field.width] = number.to_bytes(field.width, "little")
    assert _problems(type_id, bytes(block)) == ()


def test_data_are_read_only_when_asked_for() -> None:
    bad = struct.pack("<f", float("nan")) * 8
    data = build(Model(tensors=(Tensor(b"t", (8,), 0, bad),))).data
    assert "data-not-finite" not in validate(data).codes
    (problem,) = (one for one in validate(data, data=True).problems if one.code == CODES[0])
    assert "8 values" in problem.message


def test_pieces_and_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules_data, "_PIECE_NBYTES", 64)
    numbers = [1.0] * 1000
    numbers[500] = numbers[999] = float("inf")
    raw = struct.pack("<1000f", *numbers)
    built = build(Model(tensors=(Tensor(b"t", (1000,), GGMLType.F32, raw),)))
    seen: list[tuple[int, int]] = []
    report = validate(
        built.data, data=True, progress=lambda done, total: seen.append((done, total))
    )
    (problem,) = (one for one in report.problems if one.code == CODES[0])
    assert problem.offset == built.at("tensors[0].data") + 2000
    assert "2 values" in problem.message
    assert seen == [(done, 4000) for done in range(0, 4000, 64)]


def test_missing_data_are_not_read() -> None:
    raw = struct.pack("<f", float("nan")) * 100
    whole = build(Model(tensors=(Tensor(b"t", (100,), 0, raw),))).data
    report = validate(whole[:-50], data=True)
    assert "data-truncated" in report.codes
    assert not report.codes & set(CODES)
