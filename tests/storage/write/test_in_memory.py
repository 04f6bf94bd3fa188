"""Plans executed in memory are what the chunks stand for."""

from __future__ import annotations

import random

import pytest

from gguf_construct.core.chunks import Chunk, Copy, Literal, Swap, WritePlan, Zeros
from gguf_construct.storage.source.source import open_source
from gguf_construct.storage.write.in_memory import plan_bytes
from tests.support.plans import made


@pytest.mark.parametrize("seed", range(20))
def test_random_plans(seed: int) -> None:
    rng = random.Random(seed)
    sources = [rng.randbytes(2000), rng.randbytes(300)]
    chunks: list[Chunk] = []
    for _ in range(rng.randrange(6)):
        source = rng.randrange(2)
        start = rng.randrange(100)
        layout = rng.choice([((2, 1),), ((4, 3), (1, 2)), ((2, 1), (1, 16)), ((8, 1),)])
        nbytes = sum(width * count for width, count in layout) * rng.randrange(8)
        kinds: list[Chunk] = [
            Literal(rng.randbytes(5)),
            Zeros(rng.randrange(9)),
            Copy(start, rng.randrange(200), source),
            Swap(start, nbytes, layout, source),
        ]
        chunks.append(rng.choice(kinds))
    opened = [open_source(data) for data in sources]
    assert plan_bytes(WritePlan(tuple(chunks)), opened) == made(chunks, sources)
