"""Reverse the byte order of every field of every block, in place in a buffer.

Strategy: over a run of blocks, the bytes at one place of a field are a lane with the block's size
as its stride.  Swapping exchanges whole lanes, which slices of a bytearray do at some 1 GB/s.  Most
types have few bytes to swap, so the 55 ms that importing numpy takes are spent only once as
much time has gone into slices.  With numpy, a field is a strided table of integers.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from ..errors import WriteError
from . import transfer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from ..core.plan import Swap
    from .source import Source

__all__ = ["block_nbytes", "check_layout", "read_swapped", "swap_blocks", "swap_copy"]

Layout = tuple[tuple[int, int], ...]

_SLICED_AT_ONCE = 512 << 10  # stays in a core's own cache
_NUMPY_FROM = 64 << 20  # bytes that slices swap in about the time that importing numpy takes
_nbytes_sliced = 0


def block_nbytes(layout: Layout) -> int:
    """Bytes of one block."""
    return sum(width * count for width, count in layout)


def read_swapped(source: Source, start: int, into: memoryview, layout: Layout) -> None:
    """Fill `into` with blocks of the source from `start` on, swapped.

    Raises:
        SourceChangedError: the source ends before that.
    """
    if _wants_numpy(len(into), layout):
        transfer.read_exactly(source, start, into)
        swap_by_numpy(into, layout)
        return
    for at, end in _steps(len(into), layout):
        part = bytearray(end - at)
        transfer.read_exactly(source, start + at, memoryview(part))
        _exchange_lanes(part, layout)
        into[at:end] = part


def swap_blocks(buffer: memoryview, layout: Layout) -> None:
    """Swap a whole number of blocks in place.

    Args:
        buffer: writable bytes; their length is a multiple of the block's.
        layout: (item width, number of items) of each field of a block, in order.
    """
    if _wants_numpy(len(buffer), layout):
        swap_by_numpy(buffer, layout)
    else:
        swap_by_slices(buffer, layout)


def _wants_numpy(nbytes: int, layout: Layout) -> bool:
    """Whether numpy is there already, or enough has been swapped without it to import it."""
    global _nbytes_sliced
    if "numpy" in sys.modules or _nbytes_sliced >= _NUMPY_FROM:
        return True
    share = sum(width * count for width, count in layout if width > 1)
    _nbytes_sliced += nbytes // block_nbytes(layout) * share
    return False


def swap_by_slices(buffer: memoryview, layout: Layout) -> None:
    """`swap_blocks` with what Python has."""
    for at, end in _steps(len(buffer), layout):
        part = bytearray(buffer[at:end])  # slices of a memoryview are slow
        _exchange_lanes(part, layout)
        buffer[at:end] = part


def _steps(nbytes: int, layout: Layout) -> Iterator[tuple[int, int]]:
    """Ranges of whole blocks that stay in a core's own cache."""
    step = max(1, _SLICED_AT_ONCE // block_nbytes(layout)) * block_nbytes(layout)
    return ((at, min(at + step, nbytes)) for at in range(0, nbytes, step))


def _exchange_lanes(part: bytearray, layout: Layout) -> None:
    """Take each lane out and put it back as the one on the other side of its item."""
    nbytes = block_nbytes(layout)
    column = 0
    for width, count in layout:
        for at in range(column, column + width * count, width) if width > 1 else ():
            lanes = [part[at + byte :: nbytes] for byte in range(width)]
            for byte in range(width):
                part[at + byte :: nbytes] = lanes[width - 1 - byte]
        column += width * count


def swap_by_numpy(buffer: memoryview, layout: Layout) -> None:
    """`swap_blocks`, one field at a time.

    Integers are read as big-endian and stored as little-endian: the swap, whatever the host.
    """
    import numpy as np

    if len({width for width, _ in layout}) == 1:
        width = layout[0][0]
        _swap_items(np.frombuffer(buffer, dtype=np.uint8).view(f"<u{width}"))
        return
    nbytes = block_nbytes(layout)
    column = 0
    for width, count in layout:
        if width > 1 and len(buffer):
            shape, strides = (len(buffer) // nbytes, count), (nbytes, width)
            _swap_items(np.ndarray(shape, f"<u{width}", buffer, column, strides))
        column += width * count


def _swap_items(items: NDArray[Any]) -> None:
    """Read as the one order, stored as the other: numpy sees to it that the overlap does no harm.

    Faster than `byteswap`, which goes item by item, and others may run meanwhile.
    """
    if items.dtype.itemsize > 1:
        items[...] = items.view(items.dtype.newbyteorder(">"))


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
        read_swapped(source, start, part, chunk.layout)
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
