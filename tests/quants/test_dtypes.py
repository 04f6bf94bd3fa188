"""Numpy views of blocks: their fields, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gguf_construct._generated.types import BLOCKS as LIBRARY_BLOCKS
from gguf_construct.errors import BuildError, InvalidFieldError
from gguf_construct.quants import block_fields, dequantize, iter_dequantize
from gguf_construct.quants.dtypes import as_blocks, as_bytes, block_dtype, field_dtype, layout_of
from tests.quants.samples import IDS
from tests.support import unknown
from tests.support.blocks import BLOCKS, REMOVED


@pytest.mark.parametrize("type_id", sorted(REMOVED))
def test_a_removed_type_is_refused_with_its_name_and_advice(type_id: int) -> None:
    for job in (dequantize, iter_dequantize, block_fields):
        with pytest.raises(BuildError, match=REMOVED[type_id]) as caught:
            job(bytes(18), type_id)
        assert "removed" in str(caught.value)
        assert caught.value.hint


@pytest.mark.parametrize("type_id", [unknown.TENSOR_TYPE, -1, 1 << 31, (1 << 64) - 1])
def test_an_unknown_type_is_refused_with_its_number(type_id: int) -> None:
    for job in (dequantize, iter_dequantize, block_fields):
        with pytest.raises(BuildError, match=f"unknown tensor type {type_id}"):
            job(bytes(18), type_id)


@pytest.mark.parametrize("name", [name for name in sorted(IDS) if BLOCKS[IDS[name]].nbytes > 1])
@pytest.mark.parametrize("missing", [1, -1])
def test_a_broken_block_is_refused(name: str, missing: int) -> None:
    nbytes = 3 * BLOCKS[IDS[name]].nbytes - missing
    for job in (dequantize, iter_dequantize):
        with pytest.raises(InvalidFieldError, match=f"{nbytes} bytes of {name} data") as caught:
            job(bytes(nbytes), IDS[name])
        assert caught.value.actual == nbytes


@pytest.mark.parametrize("order", ["native", "", ">", "LITTLE"])
def test_a_byte_order_that_is_none_is_refused(order: str) -> None:
    with pytest.raises(BuildError, match="byte order"):
        dequantize(bytes(4), IDS["F32"], byte_order=order)


def test_an_array_of_objects_is_refused() -> None:
    with pytest.raises(BuildError, match="objects"):
        dequantize(np.array([None]), IDS["F32"])


@pytest.mark.parametrize("name", sorted(IDS))
@pytest.mark.parametrize("order", ["little", "big"])
def test_a_block_has_the_fields_of_the_schema(name: str, order: str) -> None:
    layout = LIBRARY_BLOCKS[IDS[name]]
    block = block_dtype(IDS[name], order)
    assert block.itemsize == BLOCKS[IDS[name]].nbytes
    assert block.names == tuple(field.name for field in layout.fields)
    assert block.fields is not None
    for field in layout.fields:
        dtype, offset = block.fields[field.name][:2]
        assert offset == field.offset
        assert dtype.shape == (() if field.count == 1 else (field.count,))
        if dtype.base.itemsize > 1:
            assert dtype.base.str[0] == {"little": "<", "big": ">"}[order]
        assert dtype.base == field_dtype(field, order)


def test_the_note_of_a_removed_type_is_told_with_its_name() -> None:
    with pytest.raises(BuildError, match=r"Q4_0_4_4 \(31\) was removed from ggml") as caught:
        layout_of(31)
    assert caught.value.hint == "convert the model again from its original weights"
    with pytest.raises(BuildError, match="layout is not known") as caught:
        layout_of(unknown.TENSOR_TYPE)
    assert caught.value.hint == "a newer gguf-construct may know it"


def test_bytes_of_any_buffer() -> None:
    array = np.arange(6, dtype=np.int16).reshape(2, 3)
    assert as_bytes(array).tobytes() == array.tobytes()
    assert np.shares_memory(as_bytes(array), array)
    assert as_bytes(array[:, ::2]).tobytes() == array[:, ::2].tobytes()
    data = bytes(range(10))
    buffers: list[tuple[Any, bytes]] = [
        (data, data),
        (bytearray(data), data),
        (memoryview(data), data),
        (memoryview(data)[::3], data[::3]),
        (b"", b""),
        (memoryview(b"").cast("H"), b""),
    ]
    for buffer, expected in buffers:
        found = as_bytes(buffer)
        assert found.dtype == np.uint8
        assert found.ndim == 1
        assert found.tobytes() == expected


def test_blocks_are_a_view() -> None:
    data = np.arange(36, dtype=np.uint8)
    blocks = as_blocks(data, layout_of(IDS["Q4_0"]))
    assert blocks.shape == (2,)
    assert np.shares_memory(blocks, data)
    with pytest.raises(InvalidFieldError, match="35 bytes of Q4_0 data") as caught:
        as_blocks(data[1:], layout_of(IDS["Q4_0"]))
    assert caught.value.expected == "a multiple of 18 bytes"
