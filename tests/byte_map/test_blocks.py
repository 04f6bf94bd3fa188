"""Bytes inside blocks: the field, the item, the elements, the values."""

from __future__ import annotations

import struct

import pytest

from gguf_construct.byte_map.blocks import block_place
from gguf_construct.byte_map.find import find_span
from gguf_construct.core.codec import parse
from tests.support import builders as b
from tests.support import unknown
from tests.support.blocks import BLOCKS, swap_bytes, tensor_bytes
from tests.support.builders import Model, Tensor, build


@pytest.mark.parametrize("type_id", sorted(BLOCKS))
@pytest.mark.parametrize("order", [b.LITTLE, b.BIG])
def test_every_byte_of_a_block_has_its_field(type_id: int, order: b.ByteOrder) -> None:
    block = BLOCKS[type_id]
    dims = (block.elements, 2)
    raw = tensor_bytes(type_id, dims, 1)
    raw = raw if order == b.LITTLE else swap_bytes(type_id, raw)
    model = build(Model((), (Tensor(b"t", dims, type_id, raw),), 3, order))
    start = model.at("tensors[0].data")
    size = len(raw) // 2
    for offset in {*range(0, len(raw), 5), *range(min(6, size)), len(raw) - 1}:
        place = find_span(model.data, start + offset).block
        assert place is not None
        assert (place.block, place.num_blocks) == (offset // size, 2)
        item = place.field.offset + place.item * place.field.width
        assert item <= offset % size < item + place.field.width
        assert place.position == (0, offset // size)
        assert len(place.elements) == block.elements


def test_items_are_decoded_in_the_order_of_the_file() -> None:
    for order, prefix in ((b.LITTLE, "<"), (b.BIG, ">")):
        raw = struct.pack(prefix + "3f", 1.5, -2.0, 8.25)
        model = build(Model((), (Tensor(b"t", (3,), 0, raw),), 3, order))
        place = find_span(model.data, model.at("tensors[0].data") + 9).block
        assert place is not None
        assert (place.value, place.values) == (8.25, [8.25])
        assert place.position == (2,)


def test_a_cut_block_has_a_place_but_no_value() -> None:
    model = build(Model((), (Tensor(b"t", (32, 3), 2, tensor_bytes(2, (32, 3), 1)),)))
    data = model.data[: model.at("tensors[0].data") + 20]
    place = find_span(data, len(data) - 1).block
    assert place is not None
    assert (place.block, place.value, place.values) == (1, None, None)


def test_data_of_unknown_layout_has_no_block() -> None:
    model = build(Model((), (Tensor(b"t", (3,), unknown.TENSOR_TYPE, b"abc"),)))
    assert find_span(model.data, model.at("tensors[0].data")).block is None


def test_a_place_by_hand() -> None:
    """Q8_0, rows of 64 elements: a block has a scale of 2 bytes and 32 bytes of quants."""
    raw = b"".join(struct.pack("<e", at + 1) + bytes(range(32)) for at in range(8))
    model = build(Model((), (Tensor(b"t", (64, 2, 2), 8, raw),)))
    start = model.at("tensors[0].data")
    place = find_span(model.data, start + 5 * 34 + 2 + 7).block
    assert place is not None
    assert (place.block, place.num_blocks) == (5, 8)
    assert (place.start, place.end) == (start + 170, start + 204)
    assert (place.field.name, place.item) == ("qs", 7)
    assert place.elements == range(160, 192)
    assert place.position == (32, 0, 1)
    assert place.value == 7
    assert place.values == [6.0 * quant for quant in range(32)]
    place = find_span(model.data, start + 5 * 34 + 1).block
    assert place is not None
    assert (place.field.name, place.item, place.value) == ("d", 0, 6.0)


def test_only_tensor_data_has_blocks() -> None:
    model = build(Model((), (Tensor(b"t", (32,), 2, bytes(18)),)))
    found = find_span(model.data, model.at("tensors[0].type"))
    assert found.block is None
    assert block_place(parse(model.data), found.span, model.at("tensors[0].type")) is None
