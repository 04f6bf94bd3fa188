"""What a plan makes, chunk by chunk in plain Python: the slow twin of the executors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gguf_construct.core.chunks import Copy, Literal, Swap, Zeros

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gguf_construct.core.chunks import Chunk


def made(chunks: Iterable[Chunk], sources: Sequence[bytes] = ()) -> bytes:
    """The bytes that the chunks stand for."""
    out = bytearray()
    for chunk in chunks:
        if isinstance(chunk, Literal):
            out += chunk.data
        elif isinstance(chunk, Zeros):
            out += bytes(chunk.nbytes)
        elif isinstance(chunk, Copy):
            out += part(sources[chunk.source], chunk)
        else:
            out += swapped(part(sources[chunk.source], chunk), chunk.layout)
    return bytes(out)


def part(source: bytes, chunk: Copy | Swap) -> bytes:
    """The bytes that a chunk takes; all of them must be there."""
    data = source[chunk.start : chunk.start + chunk.nbytes]
    assert len(data) == chunk.nbytes
    return data


def swapped(data: bytes, layout: tuple[tuple[int, int], ...]) -> bytes:
    """Whole blocks with each of their items turned round."""
    out = bytearray()
    at = 0
    while at < len(data):
        for width, count in layout:
            for _ in range(count):
                out += data[at : at + width][::-1]
                at += width
    assert at == len(data)
    return bytes(out)
