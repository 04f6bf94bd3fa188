"""Reverse the byte order of every field of every block, in place in a buffer.

Strategy: a field of W-byte items is, over a run of blocks, a strided table of W-byte integers
(one row a block).  Only the fields of multi-byte items are touched, a whole column at a time.
Integers of the host's own order serve on both sides of the swap, so the host plays no part.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import WriteError
from . import transfer

if TYPE_CHECKING:
    from ..core.plan import Swap
    from .source import Source

__all__ = ["block_nbytes", "check_layout", "swap_blocks", "swap_copy"]

Layout = tuple[tuple[int, int], ...]


def block_nbytes(layout: Layout) -> int:
    """Bytes of one block."""
    return sum(width * count for width, count in layout)


def swap_blocks(buffer: memoryview, layout: Layout) -> None:
    """Swap a whole number of blocks in place.

    Args:
        buffer: writable bytes; their length is a multiple of the block's.
        layout: (item width, number of items) of each field of a block, in order.
    """
    if not buffer:
        return
    import numpy as np

    if len({width for width, _ in layout}) == 1:
        layout = ((layout[0][0], 1),)  # nothing but such items: one long column
    nbytes = block_nbytes(layout)
    column = 0
    for width, count in layout:
        if width > 1:
            field: np.ndarray[tuple[int, int], np.dtype[np.unsignedinteger]] = np.ndarray(
                (len(buffer) // nbytes, count),
                dtype=f"u{width}",
                buffer=buffer,
                offset=column,
                strides=(nbytes, width),
            )
            field[...] = field.byteswap()
        column += width * count


def swap_copy(source: Source, target: transfer.Target, chunk: Swap, at: int) -> None:
    """Stream a chunk through a buffer, swapping on the way; holes of the source stay holes.

    Raises:
        SourceChangedError: the source ends too early.
        OSError: reading or writing failed.
    """
    nbytes = block_nbytes(chunk.layout)
    step = max(1, transfer.BUFFER_SIZE // nbytes) * nbytes
    buffer = memoryview(bytearray(min(step, chunk.nbytes)))
    for done in range(0, chunk.nbytes, step):
        part = buffer[: chunk.nbytes - done]
        start = chunk.start + done
        if next(transfer.data_ranges(source, start, start + len(part)), None) is None:
            target.skipped(len(part))
            continue
        transfer.read_exactly(source, start, part)
        swap_blocks(part, chunk.layout)
        transfer.write_all(target, part, at + done)


def check_layout(chunk: Swap) -> None:
    """Refuse a chunk that cannot be swapped.

    Raises:
        WriteError: the length is no whole number of blocks, or an item width is impossible.
    """
    nbytes = block_nbytes(chunk.layout)
    if nbytes <= 0 or any(width not in (1, 2, 4, 8) or n < 0 for width, n in chunk.layout):
        raise WriteError(f"no such block layout: {chunk.layout}")
    if chunk.nbytes % nbytes:
        raise WriteError(
            f"{chunk.nbytes} bytes are no whole number of blocks of {nbytes}", offset=chunk.start
        )
