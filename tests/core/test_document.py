"""Documents: where each part lies, also in files without tensors or cut short."""

from __future__ import annotations

import pytest

from gguf_construct.core.codec import parse
from gguf_construct.model import open_model
from tests.support import builders as b
from tests.support.builders import build
from tests.support.cases_valid import base


@pytest.mark.parametrize("order", [b.LITTLE, b.BIG])
@pytest.mark.parametrize("version", [1, 2, 3])
def test_every_part_says_where_it_lies(order: b.ByteOrder, version: int) -> None:
    built = build(base(byte_order=order, version=version))
    document = parse(built.data)
    assert (document.version, document.byte_order) == (version, order)
    assert document.metadata_start == built.at("metadata[0].key.len")
    assert document.table_start == built.at("tensors[0].name.len")
    assert (document.header_end, document.data_start) == (built.header_end, built.data_start)
    assert document.file_size == len(built.data)
    assert repr(document) == (
        f"<Document GGUF v{version} {order}-endian, 4 metadata pairs, 1 tensors>"
    )


def test_without_tensors_the_data_section_begins_inside_the_file() -> None:
    built = build(base(tensors=()))
    document = parse(built.data)
    assert built.header_end % 32
    assert document.data_start == document.header_end == document.file_size
    assert document.table_start == document.header_end
    longer = parse(built.data + bytes(100))
    assert longer.data_start == built.data_start


def test_extents_reach_to_the_next_tensor_or_the_end() -> None:
    def tensor(name: bytes, nbytes: int, place: int) -> b.Tensor:
        return b.Tensor(name, (nbytes,), 24, bytes(nbytes), place=place)

    model = b.Model(
        tensors=(
            tensor(b"b", 5, 64),
            tensor(b"a", 40, 0),
            tensor(b"c", 1, 64),
            tensor(b"d", 3, 96),
        ),
        tail=b"tail",
    )
    built = build(model)
    found = {one.name: one for one in parse(built.data).tensors.all}
    assert [one.index for one in found.values()] == [0, 1, 2, 3]
    assert {name: one.extent for name, one in found.items()} == {
        "a": 64,
        "b": 32,
        "c": 32,
        "d": len(built.data) - built.data_start - 96,
    }
    assert {name: one.data_offset - built.data_start for name, one in found.items()} == {
        "a": 0,
        "b": 64,
        "c": 64,
        "d": 96,
    }


def test_a_tensor_behind_the_end_has_no_extent() -> None:
    built = build(base())
    for size in (built.data_start - 5, built.data_start, built.data_start + 4):
        (tensor,) = parse(built.data[:size]).tensors.all
        assert tensor.extent == max(size - built.data_start, 0)


def test_adopting_another_buffer_drops_the_old_views() -> None:
    built = build(base())
    document = parse(built.data)
    before = document.tensors
    other = built.data[: built.data_start] + bytes(len(built.data) - built.data_start)
    document.adopt(other)
    assert document.buffer is other
    assert document.tensors is not before
    assert not any(document.tensors["weight"].raw)


def test_bytes_behind_a_header_without_tensors_stay() -> None:
    for tail in (b"trailing", b"\0\0\0x", b"y" * 100):
        model = open_model(build(base(tensors=(), tail=tail)).data)
        model.metadata["general.name"] = "longer"
        assert model.to_bytes().endswith(tail)
