"""Blocks to decode: random, with sane, extreme or broken scales, and made-up codebooks."""

from __future__ import annotations

import random
import struct
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from gguf_construct.quants import codebook
from tests.support.blocks import BLOCKS

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest

IDS = {block.name: type_id for type_id, block in BLOCKS.items()}
QUANTISED = sorted(name for name in IDS if BLOCKS[IDS[name]].elements > 1)
CODEBOOK_TYPES = sorted(name for name in QUANTISED if name[:3] in ("IQ1", "IQ2", "IQ3"))

# Zeros of both signs, the smallest and largest finite halves, and infinity.
_EDGE_HALVES = (0x0000, 0x8000, 0x0001, 0x8001, 0x7BFF, 0xFBFF, 0x7C00, 0xFC00)


def random_blocks(name: str, count: int, seed: int = 0) -> bytes:
    """`count` little-endian blocks of random bytes, always the same for the same arguments."""
    return random.Random(f"{name} {seed}").randbytes(count * BLOCKS[IDS[name]].nbytes)


def edge_blocks(name: str) -> bytes:
    """Blocks whose every half float is an edge case in turn; random bytes elsewhere."""
    block = BLOCKS[IDS[name]]
    out = b""
    for turn, edge in enumerate(_EDGE_HALVES):
        data = bytearray(random_blocks(name, 1, seed=turn))
        at = 0
        for width, count in block.fields:
            if width == 2 and count <= 2:
                data[at : at + 2] = struct.pack("<H", edge)
            at += width * count
        out += bytes(data)
    return out


def made_up_book(name: str) -> npt.NDArray[np.float32]:
    """Entries of the right shape and values, but of no particular meaning."""
    book = codebook._BOOKS[name]
    picks = random.Random(name)
    values = sorted(book.values)
    items = [picks.choice(values) for _ in range(book.num_entries * book.num_elements)]
    return np.array(items, np.float32).reshape(1, 1, book.num_entries, book.num_elements)


def forget_codebooks() -> None:
    """Make the library look its codebooks up again."""
    for cached in (codebook.entries, codebook.packed_entries, codebook.ternary_entries):
        cached.cache_clear()


def use_made_up_books(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Body of a fixture: made-up codebooks in place of those of the gguf package."""
    monkeypatch.setattr(codebook, "_grid_of_gguf", made_up_book)
    forget_codebooks()
    yield
    forget_codebooks()


def single_bits(values: npt.NDArray[np.float32]) -> npt.NDArray[np.uint32]:
    """The bits of single floats, with every NaN made the same one: hardware chooses its sign."""
    bits = values.astype(np.float32, copy=True).view(np.uint32)
    bits[np.isnan(values)] = 0x7FC00000
    return bits
