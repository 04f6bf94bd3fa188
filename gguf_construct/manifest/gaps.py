"""What lies between the tensors: found on export, laid out on build."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..core.chunks import Chunk, Copy, Literal, Swap, Zeros
from ..errors import BuildError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..core.document import Document

_STEP = 1 << 20


class Piece(NamedTuple):
    """Bytes that belong at `start` of the data section; `line` is where the manifest says so."""

    start: int
    chunk: Chunk
    line: int


def fillers(document: Document, section_nbytes: int) -> list[tuple[int, int]]:
    """(offset in the data section, length) of bytes between tensors that are not zero."""
    spans = sorted((tensor.offset, tensor.offset + tensor.size) for tensor in document.tensors.all)
    found: list[tuple[int, int]] = []
    position = 0
    for start, end in [*spans, (section_nbytes, section_nbytes)]:
        if position < start and not _is_zero(document, position, start):
            found.append((position, start - position))
        position = max(position, end)
    return found


def _is_zero(document: Document, start: int, end: int) -> bool:
    base = document.data_start
    for at in range(start, end, _STEP):
        stop = min(at + _STEP, end)
        part = document.buffer[base + at : base + stop]
        if part.count(0) < len(part):
            return False
    return True


def lay_out(pieces: Iterable[Piece], section_nbytes: int | None, usual_nbytes: int) -> list[Chunk]:
    """The chunks of the data section; where pieces overlap, the earlier one wins.

    Raises:
        BuildError: something reaches past `section_nbytes`.
    """
    chunks: list[Chunk] = []
    position = 0
    for piece in sorted(pieces, key=lambda one: one.start):
        if piece.start > position:
            chunks.append(Zeros(piece.start - position))
            position = piece.start
        rest = _cut(piece, position - piece.start)
        chunks.extend(rest)
        position += sum(chunk.nbytes for chunk in rest)
    size = usual_nbytes if section_nbytes is None else section_nbytes
    if section_nbytes is not None and position > size:
        raise BuildError(f"data_size is {size}, but the tensors need {position} bytes")
    chunks.append(Zeros(max(size - position, 0)))
    return chunks


def _cut(piece: Piece, nbytes: int) -> list[Chunk]:
    """The piece without its first bytes."""
    chunk = piece.chunk
    if nbytes <= 0:
        return [chunk]
    if nbytes >= chunk.nbytes:
        return []
    if isinstance(chunk, Literal):
        return [Literal(chunk.data[nbytes:])]
    if isinstance(chunk, Copy):
        return [Copy(chunk.start + nbytes, chunk.nbytes - nbytes, chunk.source)]
    if isinstance(chunk, Zeros):
        return [Zeros(chunk.nbytes - nbytes)]
    assert isinstance(chunk, Swap)
    raise BuildError(
        "a tensor in another byte order overlaps the one before it",
        path=f"line {piece.line}",
        hint="give it another offset",
    )
