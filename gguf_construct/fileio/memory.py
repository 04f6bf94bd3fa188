"""Execute a write plan in memory, for small models and tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..core.plan import Copy, Literal, Swap, WritePlan, Zeros

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .source import Source

__all__ = ["plan_bytes", "plan_head"]


def plan_bytes(plan: WritePlan, sources: Sequence[Source]) -> bytes:
    """The bytes that the plan writes."""
    parts: list[bytes] = []
    for chunk in plan.chunks:
        if isinstance(chunk, Literal):
            parts.append(chunk.data)
        elif isinstance(chunk, Zeros):
            parts.append(bytes(chunk.nbytes))
        else:
            data = sources[chunk.source].buffer[chunk.start : chunk.start + chunk.nbytes]
            parts.append(_swapped(data, chunk) if isinstance(chunk, Swap) else bytes(data))
    return b"".join(parts)


def plan_head(plan: WritePlan, sources: Sequence[Source], nbytes: int) -> bytes:
    """The first bytes of what the plan writes, as far as no chunk there has bytes to swap."""
    first = plan.chunks[0] if plan.chunks else None
    if isinstance(first, Literal) and first.nbytes >= nbytes:
        return first.data[:nbytes]
    parts: list[bytes | memoryview] = []
    left = nbytes
    for chunk in plan.chunks:
        if left <= 0:
            break
        if isinstance(chunk, Copy):
            end = chunk.start + min(chunk.nbytes, left)
            parts.append(memoryview(sources[chunk.source].buffer)[chunk.start : end])
        else:
            parts.append(memoryview(plan_bytes(WritePlan((chunk,)), sources))[:left])
        left -= chunk.nbytes
    try:
        return b"".join(parts)  # the one copy that is needed
    finally:
        for part in parts:
            if isinstance(part, memoryview):
                part.release()


def _swapped(data: bytes, chunk: Swap | Copy) -> bytes:
    from .swapping import swap_blocks

    assert isinstance(chunk, Swap)
    buffer = bytearray(data)
    swap_blocks(buffer, chunk.layout)
    return bytes(buffer)
