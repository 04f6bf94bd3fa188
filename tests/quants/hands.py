"""Blocks and values worked out by hand, on paper, from the block formats."""

from __future__ import annotations

import struct
from typing import NamedTuple

import numpy as np

from gguf_construct.quants import dequantize
from tests.quants.samples import IDS
from tests.support.blocks import BLOCKS, swap_bytes


class Hand(NamedTuple):
    """A type, a block of it, and some of its elements."""

    name: str
    block: bytes
    values: dict[int, float]


def half(value: float) -> bytes:
    """A little-endian half float."""
    return struct.pack("<e", value)


def at(size: int, **bytes_at: int) -> bytes:
    """`size` zero bytes, but for those named b0=..., b17=..."""
    data = bytearray(size)
    for name, value in bytes_at.items():
        data[int(name[1:])] = value
    return bytes(data)


HANDS = (
    Hand("F16", half(-1.5), {0: -1.5}),
    Hand("F16", b"\x01\x00", {0: 2.0**-24}),
    Hand("BF16", b"\x40\xc0", {0: -3.0}),
    Hand("BF16", b"\x80\x7f", {0: float("inf")}),
    Hand("Q1_0", half(2) + at(16, b0=0b0000_0101, b15=0x80), {0: 2, 1: -2, 2: 2, 126: -2, 127: 2}),
    Hand("Q2_0", half(0.5) + at(16, b0=0b11_10_01_00), {0: -0.5, 1: 0, 2: 0.5, 3: 1, 4: -0.5}),
    Hand("Q4_0", half(0.5) + at(16, b0=0xF0, b15=0x19), {0: -4, 16: 3.5, 15: 0.5, 31: -3.5, 1: -4}),
    Hand("Q4_1", half(0.5) + half(-1) + at(16, b1=0x2F), {0: -1, 1: 6.5, 17: 0, 31: -1}),
    Hand(
        "Q5_0",
        half(1) + struct.pack("<I", 1 | 1 << 31) + at(16, b0=0x01, b15=0xF0),
        {0: 1, 1: -16, 16: -16, 31: 15},
    ),
    Hand(
        "Q5_1",
        half(2) + half(100) + struct.pack("<I", 1 << 16) + at(16, b0=0x21),
        {0: 102, 16: 136, 31: 100},
    ),
    Hand("Q8_0", half(0.25) + at(32, b0=0x80, b31=0x7F), {0: -32, 1: 0, 31: 31.75}),
    Hand("Q8_1", half(0.25) + half(9) + at(32, b0=0x80, b31=0x7F), {0: -32, 1: 0, 31: 31.75}),
    Hand("Q8_K", struct.pack("<f", 0.1) + at(256, b255=0xFF) + at(32), {0: 0, 255: -0.1}),
    Hand(
        "Q2_K",
        at(16, b0=0x21, b2=0x0F, b15=0x30) + at(64, b0=0b11_10_01_11) + half(2) + half(0.5),
        # Byte 0 holds elements 0, 32, 64 and 96; scale 1 and minimum 2 belong to the first 16.
        {0: 5, 1: -1, 32: 30, 33: 0, 255: -1.5},
    ),
    Hand(
        "Q3_K",
        at(32, b0=0x81) + at(64, b0=3, b32=0xC0) + at(12, b0=0x2F, b8=0x03, b11=0xC0) + half(1),
        # Scale 0 is 15 + 3 * 16 - 32 = 31; scale 8 is 2 - 32; scale 14 is -32; 15 is 48 - 32.
        {0: 93, 1: -124, 128: 120, 224: -96, 255: -64},
    ),
    Hand(
        "Q4_K",
        half(2) + half(1) + at(12, b0=0xC1, b4=0x83, b8=0x21) + at(128, b0=0x05, b64=0x47),
        # Scale 0 = 1, minimum 0 = 3; scale 4 = 1 + 3 * 16, minimum 4 = 2 + 2 * 16.
        {0: 7, 1: -3, 32: 0, 128: 2 * 49 * 7 - 34, 129: -34, 160: 0},
    ),
    Hand(
        "Q5_K",
        half(2) + half(1) + at(12, b0=0x01, b4=0x03) + at(32, b0=1, b31=0x80) + at(128, b0=0x05),
        {0: 39, 1: -3, 32: 0, 255: 0},
    ),
    Hand(
        "Q6_K",
        at(128, b0=0x2F, b127=0xF0)
        + at(64, b0=0x03, b63=0xC0)
        + at(16, b0=2, b15=0xFE)
        + half(0.5),
        # Element 64 is the high nibble of byte 0, but its scale (number 4) is zero.
        {0: 31, 1: -32, 64: 0, 255: -31},
    ),
    Hand(
        "TQ1_0",
        # 0xff is the digits 2 2 2 2 2, 0x80 is 1 1 1 1 1, 0 is 0 0 0 0 0.
        at(52, b0=0xFF, b1=0x80, b32=0xFF, b48=0xFF) + half(3),
        {0: 3, 32: 3, 128: 3, 1: 0, 129: 0, 2: -3, 160: 3, 224: 3, 161: -3, 240: 3, 252: 3},
    ),
    Hand("TQ2_0", at(64, b0=0b11_10_01_00) + half(3), {0: -3, 32: 0, 64: 3, 96: 6, 255: -3}),
    Hand("MXFP4", b"\x80" + at(16, b0=0x9F, b15=0x07), {0: -12, 16: -1, 15: 12, 31: 0}),
    Hand("MXFP4", b"\x00" + at(16, b0=0x01), {0: 2.0**-128, 1: 0}),
    Hand("MXFP4", b"\xff" + at(16, b0=0x01), {0: 2.0**127, 1: 0}),
    Hand(
        "NVFP4",
        bytes((0x38, 0x7F, 0x01, 0xC4)) + at(32, b0=0x97, b8=0x97, b16=0x02, b24=0x02),
        # Scales 1, 0, 2**-9 and (bit 7 ignored) 1.5 * 2**1.
        {0: 6, 8: -0.5, 16: 0, 32: 2.0**-9, 48: 3},
    ),
    Hand("IQ4_NL", half(2) + at(16, b0=0xF0, b1=0x08), {0: -254, 16: 226, 1: 2, 2: -254}),
    Hand(
        "IQ4_XS",
        half(1) + struct.pack("<H", 0x8001) + at(4, b0=0x2F, b3=0x10) + at(128, b0=0xF8),
        # Scale 0 is 15 + 16 - 32, scale 1 is 2 - 32, scale 7 is 1 + 32 - 32.
        {0: -1, 16: -113, 1: 127, 32: 30 * 127, 255: -127},
    ),
)


def of_types(*names: str) -> list[Hand]:
    """The blocks of some types; each type has one at least."""
    found = [hand for hand in HANDS if hand.name in names]
    assert {hand.name for hand in found} == set(names)
    return found


def check_hand(hand: Hand) -> None:
    """The library decodes the block to the values, in both byte orders."""
    type_id = IDS[hand.name]
    assert len(hand.block) == BLOCKS[type_id].nbytes
    swapped = swap_bytes(type_id, hand.block)
    for values in (
        dequantize(hand.block, type_id),
        dequantize(swapped, type_id, byte_order="big"),
    ):
        assert values.size == BLOCKS[type_id].elements
        assert values.dtype == np.float32
        got = {i: float(values[i]) for i in hand.values}
        assert got == {i: float(np.float32(value)) for i, value in hand.values.items()}
