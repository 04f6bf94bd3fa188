"""Reverse the byte order of every field of every block, in place in a buffer.

Strategy: over a run of blocks, the bytes at one place of a field are a lane with the block's size
as its stride.  Swapping exchanges whole lanes, which slices of a bytearray do at some 1 GB/s.  Most
types have few bytes to swap, so the 55 ms that importing numpy takes are spent only once as
much time has gone into slices.  With numpy, a field is a strided table of integers.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from ...errors import WriteError
from . import copying

if TYPE_CHECKING:
    from mmap import mmap

    from numpy.typing import NDArray

    from ...core.chunks import Swap
    from ..source.source import Source

Layout = tuple[tuple[int, int], ...]

_NUMPY_FROM = 64 << 20  # bytes that slices swap in about the time that importing numpy takes
_nbytes_sliced = 0


def block_nbytes(layout: Layout) -> int:
    """Bytes of one block."""
    return sum(width * count for width, count in layout)


def read_swapped(
    source: Source, start: int, into: bytearray | mmap, begin: int, end: int, layout: Layout
) -> None:
    """Fill `into[begin:end]` with blocks of the source from `start` on, swapped.

    Raises:
        SourceChangedError: the source ends before that.
    """
    source.read_into(start, memoryview(into)[begin:end])
    swap_blocks(into, layout, begin, end)


def swap_blocks(
    buffer: bytearray | mmap, layout: Layout, begin: int = 0, end: int | None = None
) -> None:
    """Swap a whole number of blocks in place.

    Args:
        buffer: where the blocks are; not a memoryview, whose strided slices are slow.
        layout: (item width, number of items) of each field of a block, in order.
        begin, end: the part of the buffer that holds the blocks; the default is all of it.
    """
    end = len(buffer) if end is None else end
    if _wants_numpy(end - begin, layout):
        swap_by_numpy(buffer, layout, begin, end)
    else:
        swap_by_slices(buffer, layout, begin, end)


def _wants_numpy(nbytes: int, layout: Layout) -> bool:
    """Whether numpy is there already, or enough has been swapped without it to import it."""
    global _nbytes_sliced
    if "numpy" in sys.modules or _nbytes_sliced >= _NUMPY_FROM:
        return True
    share = sum(width * count for width, count in layout if width > 1)
    _nbytes_sliced += nbytes // block_nbytes(layout) * share
    return False


def swap_by_slices(buffer: bytearray | mmap, layout: Layout, begin: int, end: int) -> None:
    """`swap_blocks` with what Python has.

    Takes each lane out and puts it back as the one on the other side of its item.
    """
    nbytes = block_nbytes(layout)
    for width, count in layout:
        for at in range(begin, begin + width * count, width) if width > 1 else ():
            lanes = [slice(at + byte, end, nbytes) for byte in range(width)]
            taken = [buffer[lane] for lane in lanes]
            for lane, data in zip(lanes, reversed(taken), strict=True):
                buffer[lane] = data
        begin += width * count


def swap_by_numpy(buffer: bytearray | mmap, layout: Layout, begin: int, end: int) -> None:
    """`swap_blocks`, one field at a time.

    Integers are read as big-endian and stored as little-endian: the swap, whatever the host.
    """
    import numpy as np

    nbytes = block_nbytes(layout)
    blocks = (end - begin) // nbytes
    if len({width for width, _ in layout}) == 1:
        width = layout[0][0]
        _swap_items(np.ndarray(blocks * nbytes // width, f"<u{width}", buffer, begin))
        return
    for width, count in layout:
        if width > 1 and blocks:
            strides = (nbytes, width)
            _swap_items(np.ndarray((blocks, count), f"<u{width}", buffer, begin, strides))
        begin += width * count


def _swap_items(items: NDArray[Any]) -> None:
    """Read as the one order, stored as the other: numpy sees to it that the overlap does no harm.

    Faster than `byteswap`, which goes item by item, and others may run meanwhile.
    """
    if items.dtype.itemsize > 1:
        items[...] = items.view(items.dtype.newbyteorder(">"))


def swap_copy(source: Source, target: copying.Target, chunk: Swap, at: int) -> None:
    """Stream a chunk through a buffer, swapping on the way; holes of the source stay holes.

    Raises:
        SourceChangedError: the source ends too early.
        OSError: reading or writing failed.
    """
    nbytes = block_nbytes(chunk.layout)
    step = max(1, copying.BUFFER_SIZE // nbytes) * nbytes
    buffer = bytearray(min(step, chunk.nbytes))
    for done in range(0, chunk.nbytes, step):
        end = min(step, chunk.nbytes - done)
        start = chunk.start + done
        if next(copying.data_ranges(source, start, start + end), None) is None:
            target.skipped(end)
            continue
        read_swapped(source, start, buffer, 0, end, chunk.layout)
        copying.write_all(target, memoryview(buffer)[:end], at + done)


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
