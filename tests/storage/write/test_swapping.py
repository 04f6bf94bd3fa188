"""Byte swapping of blocks, against the obvious loop."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable

import pytest

from gguf_construct.storage.write import swapping
from gguf_construct.storage.write.swapping import block_nbytes

Swapper = Callable[[bytearray, tuple[tuple[int, int], ...], int, int], None]

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


@pytest.mark.parametrize("way", [swapping.swap_by_slices, swapping.swap_by_numpy])
@pytest.mark.parametrize("blocks", [0, 1, 2, 1000])
@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_swap(way: Swapper, layout: tuple[tuple[int, int], ...], blocks: int) -> None:
    data = random.Random(blocks).randbytes(blocks * block_nbytes(layout))
    buffer = bytearray(b"before" + data + b"after")
    begin, end = 6, 6 + len(data)
    way(buffer, layout, begin, end)
    assert bytes(buffer) == b"before" + slowly(data, layout) + b"after"
    way(buffer, layout, begin, end)
    assert bytes(buffer) == b"before" + data + b"after"


def test_numpy_is_imported_once_enough_has_been_sliced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "numpy", raising=False)
    monkeypatch.setattr(swapping, "_nbytes_sliced", 0)
    monkeypatch.setattr(swapping, "_NUMPY_FROM", 8)
    ways: list[str] = []
    monkeypatch.setattr(swapping, "swap_by_slices", lambda *_: ways.append("slices"))
    monkeypatch.setattr(swapping, "swap_by_numpy", lambda *_: ways.append("numpy"))
    for _ in range(3):
        swapping.swap_blocks(bytearray(36), ((2, 1), (1, 16)))
    assert ways == ["slices", "slices", "numpy"]
