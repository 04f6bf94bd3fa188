"""The Construct declarations parse and build: headers, and one block of every tensor type."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from construct import ConstructError
from hypothesis import given

from gguf_construct._generated import construct_schema
from tests.support import builders as b
from tests.support import unknown
from tests.support.blocks import BLOCKS, swap_bytes, tensor_bytes
from tests.support.builders import Model, build
from tests.support.case_types import describe
from tests.support.cases import VALID
from tests.support.ours import construct_values
from tests.support.seen import seen_of
from tests.support.shared import fixture_files, needs_shared
from tests.support.strategies import models

if TYPE_CHECKING:
    from tests.support.cases import ValidCase


@pytest.mark.parametrize("case", VALID, ids=str)
def test_header_is_built_as_it_was(case: ValidCase) -> None:
    header = construct_schema.header_for(case.data)
    built = header.build(header.parse(case.data))
    assert built == case.data[: case.built.header_end]


@pytest.mark.parametrize("case", VALID, ids=str)
def test_header_is_built_from_plain_values(case: ValidCase) -> None:
    """Lengths and counts are not given: the declaration works them out."""
    header = construct_schema.header_for(case.data)
    built = header.build(construct_values(seen_of(case.expected)))
    assert built == case.data[: case.built.header_end]


@given(models())
def test_any_document_is_built(model: Model) -> None:
    built = build(model)
    order = "<" if model.byte_order == b.LITTLE else ">"
    header = construct_schema.declare(order, model.version)
    made = header.build(construct_values(seen_of(describe(built))))
    assert made == built.data[: built.header_end]


@pytest.mark.parametrize("version", [0, unknown.VERSION, 35, 0x80000003])
def test_another_version_is_refused(version: int) -> None:
    model = next(case.data for case in VALID if case.data[4:8] == b"\3\0\0\0")
    data = b"GGUF" + version.to_bytes(4, "little") + model[8:]
    with pytest.raises(ConstructError):
        construct_schema.declare("<", 3).parse(data)
    found = construct_schema.declare("<", 3).parse(model)
    found.body.version = version
    with pytest.raises(ConstructError):
        construct_schema.declare("<", 3).build(found)


@needs_shared
def test_real_headers_are_built_as_they_were() -> None:
    for path in fixture_files():
        data = path.read_bytes()
        if len(data) < 700_000:
            header = construct_schema.header_for(data)
            found = header.parse(data)
            assert header.build(found) == data[: found.body.ofs_header_end], path.name


@pytest.mark.parametrize("type_id", BLOCKS, ids=lambda type_id: BLOCKS[type_id].name)
def test_blocks_in_both_byte_orders(type_id: int) -> None:
    little = construct_schema.declare_block(type_id, "<")
    big = construct_schema.declare_block(type_id, ">")
    for seed in range(4):
        data = tensor_bytes(type_id, (BLOCKS[type_id].elements,), seed)
        assert little.build(little.parse(data)) == data
        assert big.build(little.parse(data)) == swap_bytes(type_id, data)
