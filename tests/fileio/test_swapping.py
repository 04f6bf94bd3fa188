"""Byte swapping of blocks, against the obvious loop."""

from __future__ import annotations

import random

import pytest

from gguf_construct.fileio.swapping import block_nbytes, swap_blocks

LAYOUTS = [
    ((1, 7),),
    ((2, 1),),
    ((4, 1),),
    ((8, 1),),
    ((2, 3),),
    ((2, 1), (1, 16)),
    ((2, 2), (1, 12), (1, 128)),
    ((1, 208), (2, 1)),
    ((4, 1), (1, 256), (2, 16)),
    ((1, 1), (8, 2), (1, 3), (4, 1), (2, 1)),
    ((2, 0), (1, 2)),
]


def slowly(data: bytes, layout: tuple[tuple[int, int], ...]) -> bytes:
    result = bytearray()
    at = 0
    while at < len(data):
        for width, count in layout:
            for _ in range(count):
                result += data[at : at + width][::-1]
                at += width
    return bytes(result)


@pytest.mark.parametrize("blocks", [0, 1, 2, 1000])
@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_swap(layout: tuple[tuple[int, int], ...], blocks: int) -> None:
    data = random.Random(blocks).randbytes(blocks * block_nbytes(layout))
    buffer = bytearray(data)
    swap_blocks(memoryview(buffer), layout)
    assert bytes(buffer) == slowly(data, layout)
    swap_blocks(memoryview(buffer), layout)
    assert bytes(buffer) == data
