"""Rules about data that were never written: a preallocated download that stopped ends in zeros.

One tensor of zeros proves nothing (padded rows of a vocabulary, biases).  Two and more at the end
of the file, with a large one among them and others before them, do not come from training.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .base import Finding, rule
from .offsets import layout_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .context import Context

_LARGE_NBYTES = 4096
_PIECE_NBYTES = 8 << 20
_LEAST = 2
_HINT = "a download stopped, and zeros stand for what is missing: download the file again"


class _Tail(NamedTuple):
    """How many tensors, and the number of the one that comes first in the file."""

    num: int
    at: int


def _tail(c: Context, is_zero: Callable[[int, int], bool]) -> _Tail | None:
    """The tensors at the end of the file that are zeros, if they are no accident."""
    if not c.all_tensors or layout_of(c).faults or not layout_of(c).is_known:
        return None
    tensors = c.tensors
    placed = sorted(
        (at for at, one in enumerate(tensors) if one.nbytes),
        key=lambda at: tensors[at].data_offset,
        reverse=True,
    )
    count, largest = 0, 0
    for at in placed:
        start, nbytes = tensors[at].data_offset, tensors[at].nbytes or 0
        if start + nbytes > c.document.file_size or not is_zero(start, nbytes):
            break
        count, largest = count + 1, max(largest, nbytes)
    if not _LEAST <= count < len(placed) or largest < _LARGE_NBYTES:
        return None
    return _Tail(count, placed[count - 1])


def _finding(c: Context, tail: _Tail, message: str) -> Finding:
    place = c.tensors[tail.at].data_offset
    return Finding(message, place, c.tensor_path(tail.at, "data"), _HINT)


@rule("data-zero-tail", source="practice", llama="warning", spec="warning", needs="tensors")
def sampled(c: Context) -> Iterator[Finding]:
    """The last tensors do not look like zeros (three places of each are looked at)."""

    def looks_zero(start: int, nbytes: int) -> bool:
        steps = (0, (nbytes - _LARGE_NBYTES) // 2, nbytes - _LARGE_NBYTES)
        places = {start + max(step, 0) for step in steps}
        return not any(
            any(c.document.buffer[at : min(at + _LARGE_NBYTES, start + nbytes)]) for at in places
        )

    tail = _tail(c, looks_zero)
    if tail is not None:
        message = f"the last {tail.num} tensors look like zeros; --data reads them whole"
        yield _finding(c, tail, message)


@rule("data-unwritten", source="practice", needs="tensors", reads_data=True)
def read_whole(c: Context) -> Iterator[Finding]:
    """The last tensors are not zeros to the last byte (only with --data)."""

    def is_zero(start: int, nbytes: int) -> bool:
        end = start + nbytes
        return not any(
            c.document.buffer[at : min(at + _PIECE_NBYTES, end)].strip(b"\0")
            for at in range(start, end, _PIECE_NBYTES)
        )

    tail = _tail(c, is_zero)
    if tail is not None:
        message = f"the last {tail.num} tensors are zeros, to the end of the file"
        yield _finding(c, tail, message)
