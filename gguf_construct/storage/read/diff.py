"""Compare two open models: the headers in memory, tensor data piece by piece from both files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...comparison.diff import Difference, TensorDiff, diff_metadata, diff_tensors, layout_notes
from ...comparison.hashes import tensor_chunk
from ...core.chunks import Copy, Swap
from ...errors import GGUFError
from ..write import swapping
from .hash import PIECE_NBYTES, iter_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ...core.chunks import Chunk
    from ...core.tensors import TensorInfo
    from ...model import Model
    from ..source.source import Source

__all__ = ["diff_models"]


def diff_models(
    old: Model,
    new: Model,
    *,
    ignore: Iterable[str] = (),
    tensors: bool = True,
    progress: Callable[[int, int], None] | None = None,
) -> Difference:
    """What differs between two models; edits that were not saved count.

    Args:
        old: the first model.
        new: the second.
        ignore: patterns of metadata keys to leave out, such as ``general.*``.
        tensors: whether to compare tensors at all.
        progress: called with (bytes compared, bytes in all).

    Raises:
        TruncatedError: the data of a tensor is not all there.
        SourceChangedError: a file changed meanwhile.
    """
    metadata = diff_metadata(old, new, ignore)
    if not tensors:
        return Difference(metadata, [], layout_notes(old, new))
    rows, alike = diff_tensors(old, new)
    rows += _diff_data(old, new, alike, progress)
    for model in (old, new):
        model.source.check_unchanged()
    places = {row.old.name: row.old.index for row in rows if row.old is not None}
    rows.sort(key=lambda row: (row.old is None, places.get(row.name, 0)))
    return Difference(metadata, rows, layout_notes(old, new))


def _diff_data(
    old: Model,
    new: Model,
    alike: list[TensorDiff],
    progress: Callable[[int, int], None] | None,
) -> list[TensorDiff]:
    rows = []
    pairs = []
    for row in alike:
        assert row.old is not None
        assert row.new is not None
        chunks = (_chunk(old, row.old, old.order), _chunk(new, row.new, old.order))
        pairs.append((row, chunks))
    total = sum(one.nbytes for _, (one, _) in pairs)
    done = 0
    is_same_file = old.source.identity() is not None and (
        old.source.identity() == new.source.identity()
    )
    for row, (one, other) in pairs:
        if not (is_same_file and one == other and isinstance(one, Copy)):
            first = _first_difference(one, old.source, other, new.source)
            if first is not None:
                rows.append(row._replace(differs=("data",), first=first))
        done += one.nbytes
        if progress is not None:
            progress(done, total)
    return rows


def _chunk(model: Model, tensor: TensorInfo, order: str) -> Chunk:
    """The data of a tensor; errors name the file."""
    try:
        return tensor_chunk(model, tensor, order)
    except GGUFError as error:
        error.file = model.path
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
