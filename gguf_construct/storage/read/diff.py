"""Compare the tensor data of two open files, piece by piece."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...comparison.diff import TensorDiff, diff_tensors
from ...comparison.hashes import tensor_chunk
from ...core.chunks import Copy, Swap
from ...errors import GGUFError
from ..source.origins import sources_of
from ..write import swapping
from .hash import PIECE_NBYTES, iter_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ...core.chunks import Chunk
    from ...core.document import Document
    from ...core.tensors import TensorInfo
    from ..source.source import Source


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
    sides = _Side(*old), _Side(*new)
    for row in alike:
        assert row.old is not None
        assert row.new is not None
        order = old[0].order
        chunks = (sides[0].chunk(row.old, order), sides[1].chunk(row.new, order))
        pairs.append((row, chunks))
    total = sum(one.nbytes for _, (one, _) in pairs)
    done = 0
    identity = old[1].identity()
    is_same_file = identity is not None and identity == new[1].identity()
    for row, (one, other) in pairs:
        is_same_range = isinstance(one, Copy) and one == other and not one.source
        if not (is_same_file and is_same_range):
            first = _first_difference(one, sides[0].sources, other, sides[1].sources)
            if first is not None:
                rows.append(row._replace(differs=("data",), first=first))
        done += one.nbytes
        if progress is not None:
            progress(done, total)
    return rows


class _Side:
    """One of the two documents, with all that its tensors are read from."""

    def __init__(self, document: Document, source: Source) -> None:
        self.sources = sources_of(source, document.tensors.origins)
        self._numbers = document.tensors.numbers()

    def chunk(self, tensor: TensorInfo, order: str) -> Chunk:
        """The data of a tensor; errors name the file."""
        try:
            return tensor_chunk(tensor, order, self._numbers[tensor.index])
        except GGUFError as error:
            error.file = self.sources[0].path
            raise


def _first_difference(
    one: Chunk, sources: Sequence[Source], other: Chunk, sources2: Sequence[Source]
) -> int | None:
    """Offset of the first byte that differs; the end of the shorter one where that is all."""
    unit = max(swapping.block_nbytes(c.layout) if isinstance(c, Swap) else 1 for c in (one, other))
    pieces = iter_bytes(one, sources, bytearray(PIECE_NBYTES), unit)
    others = iter_bytes(other, sources2, bytearray(PIECE_NBYTES), unit)
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
