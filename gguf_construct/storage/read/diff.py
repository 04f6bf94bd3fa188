"""Compare the tensor data of two open files, piece by piece."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...comparison.diff import TensorDiff, diff_tensors
from ...comparison.hashes import tensor_chunk
from ...core.chunks import Copy, Swap
from ...errors import GGUFError
from ..write import swapping
from .hash import PIECE_NBYTES, iter_bytes

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...core.chunks import Chunk
    from ...core.document import Document
    from ...core.tensors import TensorInfo
    from ..source.source import Source

__all__ = ["diff_data"]


def diff_data(
    old: Document,
    old_source: Source,
    new: Document,
    new_source: Source,
    progress: Callable[[int, int], None] | None = None,
) -> list[TensorDiff]:
    """The tensors that differ between two documents, given with the files they were read from.

    Raises:
        TruncatedError: the data of a tensor is not all there.
        SourceChangedError: a file changed meanwhile.
    """
    rows, alike = diff_tensors(old, new)
    rows += _differing((old, old_source), (new, new_source), alike, progress)
    for source in (old_source, new_source):
        source.check_unchanged()
    places = {row.old.name: row.old.index for row in rows if row.old is not None}
    rows.sort(key=lambda row: (row.old is None, places.get(row.name, 0)))
    return rows


def _differing(
    old: tuple[Document, Source],
    new: tuple[Document, Source],
    alike: list[TensorDiff],
    progress: Callable[[int, int], None] | None,
) -> list[TensorDiff]:
    rows = []
    pairs = []
    for row in alike:
        assert row.old is not None
        assert row.new is not None
        order = old[0].order
        chunks = (_chunk(*old, row.old, order), _chunk(*new, row.new, order))
        pairs.append((row, chunks))
    total = sum(one.nbytes for _, (one, _) in pairs)
    done = 0
    identity = old[1].identity()
    is_same_file = identity is not None and identity == new[1].identity()
    for row, (one, other) in pairs:
        if not (is_same_file and one == other and isinstance(one, Copy)):
            first = _first_difference(one, old[1], other, new[1])
            if first is not None:
                rows.append(row._replace(differs=("data",), first=first))
        done += one.nbytes
        if progress is not None:
            progress(done, total)
    return rows


def _chunk(document: Document, source: Source, tensor: TensorInfo, order: str) -> Chunk:
    """The data of a tensor; errors name the file."""
    try:
        return tensor_chunk(document, tensor, order)
    except GGUFError as error:
        error.file = source.path
        raise


def _first_difference(one: Chunk, source: Source, other: Chunk, source2: Source) -> int | None:
    """Offset of the first byte that differs; the end of the shorter one where that is all."""
    unit = max(swapping.block_nbytes(c.layout) if isinstance(c, Swap) else 1 for c in (one, other))
    pieces = iter_bytes(one, source, bytearray(PIECE_NBYTES), unit)
    others = iter_bytes(other, source2, bytearray(PIECE_NBYTES), unit)
    done = 0
    for before, after in zip(pieces, others, strict=False):
        shorter = min(len(before), len(after))
        # bytes compare as one block of memory; views compare item by item.
        if bytes(before[:shorter]) != bytes(after[:shorter]):
            return done + _first_mismatch(before[:shorter], after[:shorter])
        done += shorter
    return done if one.nbytes != other.nbytes else None


def _first_mismatch(before: bytes | memoryview, after: bytes | memoryview) -> int:
    import numpy as np

    return int(np.argmax(np.frombuffer(before, np.uint8) != np.frombuffer(after, np.uint8)))
