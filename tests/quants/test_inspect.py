"""A block by hand: places, bytes and values of its fields."""

from __future__ import annotations

import math
import struct

import numpy as np
import pytest

from gguf_construct.errors import InvalidFieldError
from gguf_construct.quants import block_fields, dequantize
from tests.quants.samples import CODEBOOK_TYPES, IDS, random_blocks
from tests.support.blocks import BLOCKS, swap_bytes

NAMES = sorted(set(IDS) - set(CODEBOOK_TYPES))


def test_a_q4_0_block_reads_as_xxd_shows_it() -> None:
    data = bytes(18) + struct.pack("<e", 0.5) + bytes(range(0x10, 0x20))
    block = block_fields(data, IDS["Q4_0"], "little", 1)
    d, qs = block.fields
    assert (d.field.name, d.offset, d.raw, d.value) == ("d", 18, b"\x00\x38", 0.5)
    assert (qs.field.name, qs.offset, qs.raw) == ("qs", 20, bytes(range(0x10, 0x20)))
    assert qs.value == list(range(0x10, 0x20))
    assert block.elements.tolist() == [*(i / 2 - 4 for i in range(16)), *[-3.5] * 16]


def test_a_big_endian_block_has_the_same_values_from_other_bytes() -> None:
    data = random_blocks("Q5_1", 2)
    little = block_fields(data, IDS["Q5_1"], "little", 1)
    big = block_fields(swap_bytes(IDS["Q5_1"], data), IDS["Q5_1"], "big", 1)
    for one, other in zip(little.fields, big.fields, strict=True):
        width = one.field.width
        assert (one.offset, one.value) == (other.offset, other.value)
        assert other.raw == (one.raw if width == 1 else one.raw[::-1])


@pytest.mark.parametrize("name", NAMES)
def test_fields_cover_the_block_and_elements_are_its_own(name: str) -> None:
    nbytes = BLOCKS[IDS[name]].nbytes
    data = random_blocks(name, 4)
    block = block_fields(data, IDS[name], index=3)
    assert b"".join(part.raw for part in block.fields) == data[3 * nbytes :]
    assert block.fields[0].offset == 3 * nbytes
    whole = dequantize(data, IDS[name])
    assert block.elements.tobytes() == whole[-BLOCKS[IDS[name]].elements :].tobytes()


@pytest.mark.parametrize(
    ("name", "data", "value"),
    [
        ("BF16", b"\x80\x3f", 1.0),
        ("F64", struct.pack("<d", 0.1), 0.1),
        ("I64", struct.pack("<q", -(1 << 62) - 1), -(1 << 62) - 1),
        ("I8", b"\xff", -1),
        ("MXFP4", b"\x81" + bytes(16), 4.0),
        ("MXFP4", b"\x00" + bytes(16), 2.0**-127),
        ("MXFP4", b"\xff" + bytes(16), 2.0**128),
        ("NVFP4", b"\x38\x7f\x01\xff" + bytes(32), [1.0, 0.0, 2.0**-9, 480.0]),
        ("Q8_K", struct.pack("<f", -2) + bytes(288), -2.0),
    ],
)
def test_the_first_field_has_its_value(name: str, data: bytes, value: object) -> None:
    got = block_fields(data, IDS[name]).fields[0].value
    assert got == value
    assert type(got) is type(value)


def test_a_nan_scale_is_shown_and_spreads() -> None:
    block = block_fields(b"\x00\x7e" + bytes(32), IDS["Q8_0"])
    assert math.isnan(block.fields[0].value)
    assert np.isnan(block.elements).all()


@pytest.mark.parametrize("index", [-1, 2, 1 << 70])
def test_a_block_that_is_not_there_is_refused(index: int) -> None:
    with pytest.raises(InvalidFieldError, match=f"no block {index}: the data holds 2 Q4_0 blocks"):
        block_fields(bytes(36), IDS["Q4_0"], "little", index)


def test_a_cut_last_block_does_not_hide_those_before_it() -> None:
    assert block_fields(bytes(35), IDS["Q4_0"]).elements.size == 32
    with pytest.raises(InvalidFieldError, match="holds 1 Q4_0 blocks"):
        block_fields(bytes(35), IDS["Q4_0"], "little", 1)
