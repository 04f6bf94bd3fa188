"""Execute a write plan in memory, for small models and tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...core.chunks import Copy, Literal, Swap, WritePlan, Zeros

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..source.source import Source

__all__ = ["plan_bytes"]


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


def _swapped(data: bytes, chunk: Swap | Copy) -> bytes:
    from .swapping import swap_blocks

    assert isinstance(chunk, Swap)
    buffer = bytearray(data)
    swap_blocks(buffer, chunk.layout)
    return bytes(buffer)
