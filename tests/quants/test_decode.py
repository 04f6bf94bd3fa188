"""The vectorised decoders against the scalar ones, in both byte orders, whole and in pieces."""

from __future__ import annotations

import struct
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from gguf_construct._generated.types import BLOCKS as LIBRARY_BLOCKS
from gguf_construct.quants import decode, dequantize, iter_dequantize
from tests.quants.reference import DECODERS
from tests.quants.samples import (
    CODEBOOK_TYPES,
    IDS,
    QUANTISED,
    edge_blocks,
    made_up_book,
    random_blocks,
    single_bits,
    use_made_up_books,
)
from tests.support.blocks import BLOCKS, swap_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator

PLAIN = {"F32": "f4", "F64": "f8", "I8": "i1", "I16": "i2", "I32": "i4", "I64": "i8"}


@pytest.fixture(autouse=True)
def made_up_books(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No test here needs the gguf package."""
    yield from use_made_up_books(monkeypatch)


def scalar_values(name: str, data: bytes) -> np.ndarray[Any, np.dtype[np.float32]]:
    """All elements by the scalar decoder."""
    nbytes = BLOCKS[IDS[name]].nbytes
    book = "IQ1_S" if name == "IQ1_M" else name
    entries: list[list[int]] = []
    if name in CODEBOOK_TYPES:
        entries = made_up_book(book)[0, 0].astype(int).tolist()
    with np.errstate(all="ignore"):
        out = [
            DECODERS[name](data[start : start + nbytes], entries)
            for start in range(0, len(data), nbytes)
        ]
    return np.array(out, np.float32).reshape(-1)


def test_the_scalar_decoders_know_every_quantised_type() -> None:
    assert sorted(DECODERS) == QUANTISED
    assert set(LIBRARY_BLOCKS) == set(BLOCKS)


@pytest.mark.parametrize("name", QUANTISED)
def test_random_and_edge_blocks_decode_as_one_by_one(name: str) -> None:
    data = random_blocks(name, 6) + edge_blocks(name)
    expected = single_bits(scalar_values(name, data))
    values = dequantize(data, IDS[name])
    assert values.dtype == np.float32
    np.testing.assert_array_equal(single_bits(values), expected)


@pytest.mark.parametrize("name", sorted(IDS))
def test_big_endian_data_gives_the_same_bits(name: str) -> None:
    data = random_blocks(name, 9, seed=1)
    little = dequantize(data, IDS[name])
    big = dequantize(swap_bytes(IDS[name], data), IDS[name], byte_order="big")
    assert little.dtype == big.dtype
    assert little.tobytes() == big.tobytes()


@pytest.mark.parametrize("name", sorted(PLAIN))
@pytest.mark.parametrize("order", ["little", "big"])
def test_plain_types_keep_their_bits_and_width(name: str, order: str) -> None:
    data = random_blocks(name, 50)
    stored = np.frombuffer(data, "<>"[order == "big"] + PLAIN[name])
    values = dequantize(data, IDS[name], byte_order=order)
    assert values.dtype == np.dtype(PLAIN[name])
    assert values.dtype.isnative
    assert values.astype(stored.dtype).tobytes() == data


def test_bfloat16_keeps_every_bit_pattern() -> None:
    codes = np.arange(1 << 16, dtype="<u2")
    bits = dequantize(codes.tobytes(), IDS["BF16"]).view(np.uint32)
    np.testing.assert_array_equal(bits, np.arange(1 << 16, dtype=np.uint32) << 16)


def test_every_half_float_has_its_value() -> None:
    data = np.arange(1 << 16, dtype="<u2").tobytes()
    expected = np.array([item for (item,) in struct.iter_unpack("<e", data)], np.float32)
    np.testing.assert_array_equal(dequantize(data, IDS["F16"]), expected)


@pytest.mark.parametrize("name", sorted(IDS))
@pytest.mark.parametrize("max_nbytes", [0, 3000, 1 << 20])
def test_pieces_joined_are_the_whole(name: str, max_nbytes: int) -> None:
    data = random_blocks(name, 23, seed=2)
    whole = dequantize(data, IDS[name])
    pieces = list(iter_dequantize(data, IDS[name], max_nbytes=max_nbytes))
    limit = max(max_nbytes, BLOCKS[IDS[name]].elements * whole.itemsize)
    assert all(0 < piece.nbytes <= limit for piece in pieces)
    assert np.concatenate(pieces).tobytes() == whole.tobytes()


@pytest.mark.parametrize("name", QUANTISED)
def test_groups_of_blocks_meet_without_a_seam(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    data = random_blocks(name, 23, seed=3)
    whole = dequantize(data, IDS[name])
    monkeypatch.setattr(decode, "_GROUP_ELEMENTS", 5 * BLOCKS[IDS[name]].elements)
    assert dequantize(data, IDS[name]).tobytes() == whole.tobytes()


@pytest.mark.parametrize("name", sorted(IDS))
def test_no_data_is_no_elements(name: str) -> None:
    assert dequantize(b"", IDS[name]).size == 0
    assert list(iter_dequantize(b"", IDS[name])) == []


@pytest.mark.parametrize("name", ["F32", "F16", "Q4_0", "Q5_0", "Q3_K", "IQ2_XXS", "I64"])
def test_any_kind_of_buffer_at_any_address(name: str) -> None:
    data = random_blocks(name, 7)
    expected = dequantize(data, IDS[name]).tobytes()
    shifted = memoryview(b"?" + data)[1:]
    rows = np.frombuffer(data, np.uint8).reshape(7, -1)
    every_other = np.repeat(rows, 2, axis=0)[::2]
    for buffer in (bytearray(data), shifted, rows, every_other, memoryview(data[::-1])[::-1]):
        values = dequantize(buffer, IDS[name])
        assert values.flags.aligned
        assert values.tobytes() == expected


def test_plain_values_are_a_view_where_possible() -> None:
    data = np.arange(8, dtype=np.float32).view(np.uint8)
    values = dequantize(data, IDS["F32"], byte_order=sys.byteorder)
    assert np.shares_memory(values, data)
