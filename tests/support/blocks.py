"""The ggml block layouts, typed in by hand from ggml's own tables (`ggml-common.h`, `ggml.c`).

They are the ground truth for sizes and byte swaps; the library's table comes from its schema.
"""

from __future__ import annotations

import random
from typing import NamedTuple


class Block(NamedTuple):
    """Elements and bytes of a block; `fields` are (item width, number of items) in order."""

    name: str
    elements: int
    nbytes: int
    fields: tuple[tuple[int, int], ...]


def _plain(name: str, width: int) -> Block:
    return Block(name, 1, width, ((width, 1),))


BLOCKS: dict[int, Block] = {
    0: _plain("F32", 4),
    1: _plain("F16", 2),
    2: Block("Q4_0", 32, 18, ((2, 1), (1, 16))),
    3: Block("Q4_1", 32, 20, ((2, 2), (1, 16))),
    6: Block("Q5_0", 32, 22, ((2, 1), (4, 1), (1, 16))),
    7: Block("Q5_1", 32, 24, ((2, 2), (4, 1), (1, 16))),
    8: Block("Q8_0", 32, 34, ((2, 1), (1, 32))),
    9: Block("Q8_1", 32, 36, ((2, 2), (1, 32))),
    10: Block("Q2_K", 256, 84, ((1, 80), (2, 2))),
    11: Block("Q3_K", 256, 110, ((1, 108), (2, 1))),
    12: Block("Q4_K", 256, 144, ((2, 2), (1, 140))),
    13: Block("Q5_K", 256, 176, ((2, 2), (1, 172))),
    14: Block("Q6_K", 256, 210, ((1, 208), (2, 1))),
    15: Block("Q8_K", 256, 292, ((4, 1), (1, 256), (2, 16))),
    16: Block("IQ2_XXS", 256, 66, ((2, 1), (4, 16))),
    17: Block("IQ2_XS", 256, 74, ((2, 33), (1, 8))),
    18: Block("IQ3_XXS", 256, 98, ((2, 1), (1, 64), (4, 8))),
    19: Block("IQ1_S", 256, 50, ((2, 1), (1, 32), (2, 8))),
    20: Block("IQ4_NL", 32, 18, ((2, 1), (1, 16))),
    21: Block("IQ3_S", 256, 110, ((2, 1), (1, 108))),
    22: Block("IQ2_S", 256, 82, ((2, 1), (1, 80))),
    23: Block("IQ4_XS", 256, 136, ((2, 2), (1, 132))),
    24: _plain("I8", 1),
    25: _plain("I16", 2),
    26: _plain("I32", 4),
    27: _plain("I64", 8),
    28: _plain("F64", 8),
    29: Block("IQ1_M", 256, 56, ((1, 48), (2, 4))),
    30: _plain("BF16", 2),
    34: Block("TQ1_0", 256, 54, ((1, 52), (2, 1))),
    35: Block("TQ2_0", 256, 66, ((1, 64), (2, 1))),
    39: Block("MXFP4", 32, 17, ((1, 17),)),
    40: Block("NVFP4", 64, 36, ((1, 36),)),
    41: Block("Q1_0", 128, 18, ((2, 1), (1, 16))),
    42: Block("Q2_0", 64, 18, ((2, 1), (1, 16))),
}
REMOVED: dict[int, str] = {
    4: "Q4_2",
    5: "Q4_3",
    31: "Q4_0_4_4",
    32: "Q4_0_4_8",
    33: "Q4_0_8_8",
    36: "IQ4_NL_4_4",
    37: "IQ4_NL_4_8",
    38: "IQ4_NL_8_8",
}


def tensor_nbytes(type_id: int, dims: tuple[int, ...]) -> int:
    """Bytes of a tensor whose first dimension is a whole number of blocks."""
    block = BLOCKS[type_id]
    elements = 1
    for dim in dims:
        elements *= dim
    return elements // block.elements * block.nbytes


def tensor_bytes(type_id: int, dims: tuple[int, ...], seed: int = 0) -> bytes:
    """Any bytes of the right length, always the same for the same arguments."""
    size = tensor_nbytes(type_id, dims)
    return random.Random(f"{type_id} {dims} {seed}").randbytes(size)


def swap_bytes(type_id: int, data: bytes) -> bytes:
    """The same tensor in the other byte order: each item of each field of each block reversed."""
    out = bytearray()
    while len(out) < len(data):
        for width, count in BLOCKS[type_id].fields:
            for _ in range(count):
                start = len(out)
                out += data[start : start + width][::-1]
    return bytes(out)
