"""Find what a planned file changes in the file that is there.

Only the header may differ.  It is rendered and held against the old bytes page by page; behind
it, the plan must say that every byte stays where it is (or moves up by the inserted room).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..core.chunks import Chunk, Copy, Literal, Zeros

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..core.chunks import WritePlan
    from ..core.document import Document
    from ..runtime.views import Buffer

_PAGE = 4096  # finer patches would not spare the disk anything


class Room(NamedTuple):
    """`nbytes` bytes of room made at `offset` of a file; what follows moves up."""

    offset: int
    nbytes: int


def find_patches(
    document: Document, plan: WritePlan, room: Room | None = None
) -> tuple[tuple[int, bytes], ...] | None:
    """(offset in the new file, bytes) of every part of the header that changes, in order.

    Args:
        document: the file that is there.
        plan: the new file; it copies from that one only.
        room: room that is made first, in front of the data section.

    Returns:
        None when more than the header changes.
    """
    start = min(document.data_start, document.file_size)
    move = room.nbytes if room else 0
    if plan.nbytes != document.file_size + move:
        return None
    end, at = start + move, 0
    for chunk in plan.chunks:
        if at + chunk.nbytes > end and not _stays(chunk, at, end, move, document.buffer):
            return None
        at += chunk.nbytes
    new = render(plan, document.buffer, end)
    old = bytes(document.buffer[:start])
    if room:
        old = old[: room.offset] + bytes(move) + old[room.offset :]
    return tuple(_differences(old, new))


def _stays(chunk: Chunk, at: int, end: int, move: int, buffer: Buffer) -> bool:
    """Whether what a chunk puts behind `end` is there already, `move` bytes further down."""
    skip = max(end - at, 0)
    begin, stop = at + skip - move, at + chunk.nbytes - move
    match chunk:
        case Copy(start):
            return start + skip == begin
        case Literal(data):
            return bytes(buffer[begin:stop]) == data[skip:]
        case Zeros():
            return not any(buffer[begin:stop])
        case _:
            return False


def render(plan: WritePlan, buffer: Buffer, end: int) -> bytes:
    """The first `end` bytes of a planned file that copies from `buffer` without swapping."""
    parts: list[bytes] = []
    left = end
    for chunk in plan.chunks:
        take = min(chunk.nbytes, left)
        if isinstance(chunk, Literal):
            parts.append(chunk.data[:take])
        elif isinstance(chunk, Copy):
            parts.append(bytes(buffer[chunk.start : chunk.start + take]))
        else:
            parts.append(bytes(take))
        left -= take
        if not left:
            break
    return b"".join(parts)


def _differences(old: bytes, new: bytes) -> Iterator[tuple[int, bytes]]:
    """Runs of pages that differ, without the equal bytes at both ends."""
    begin = None
    for at in range(0, len(new) + _PAGE, _PAGE):
        if old[at : at + _PAGE] != new[at : at + _PAGE]:
            begin = at if begin is None else begin
        elif begin is not None:
            yield _trimmed(old[begin:at], new[begin:at], begin)
            begin = None


def _trimmed(old: bytes, new: bytes, at: int) -> tuple[int, bytes]:
    first = next(i for i, (one, two) in enumerate(zip(old, new, strict=True)) if one != two)
    last = next(
        i for i, (one, two) in enumerate(zip(old[::-1], new[::-1], strict=True)) if one != two
    )
    return at + first, new[first : len(new) - last]
