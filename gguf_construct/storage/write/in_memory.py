"""Execute a write plan in memory, for small models and tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...core.chunks import Literal, Swap, WritePlan, Zeros
from .swapping import swap_blocks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..source.source import Source


def plan_bytes(plan: WritePlan, sources: Sequence[Source]) -> bytes:
    """The bytes that the plan writes."""
    parts: list[bytes] = []
    for chunk in plan.chunks:
        if isinstance(chunk, Literal):
            parts.append(chunk.data)
        elif isinstance(chunk, Zeros):
            parts.append(bytes(chunk.nbytes))
        else:
            data = bytearray(chunk.nbytes)
            sources[chunk.source].read_into(chunk.start, memoryview(data))
            if isinstance(chunk, Swap):
                swap_blocks(data, chunk.layout)
            parts.append(bytes(data))
    return b"".join(parts)
