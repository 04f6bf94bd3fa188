"""Rules about edits in place that were cut short: seen by their journal, and by what they leave."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...core.sizes import align_up
from .base import Finding, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .context import Context

_BLOCK = 4096  # file systems insert room in multiples of it
_MOST = 16 << 20  # more room is not inserted for a header


@rule("edit-unfinished", source="the journal that gguf-construct keeps beside a file it edits")
def by_journal(c: Context) -> Iterator[Finding]:
    """No edit in place of the file was cut short in a state that nobody can prove."""
    if c.unfinished:
        yield Finding(c.unfinished, hint="gguf-construct recover ... says what to do")


@rule("insertion-unfinished", source="practice", needs="tensors")
def by_bytes(c: Context) -> Iterator[Finding]:
    """The data section was not moved up by room that the file system inserted for a header."""
    document = c.document
    ends = [one.offset + one.nbytes for one in document.tensors.all if one.nbytes is not None]
    end = document.data_start + align_up(max(ends, default=0), document.alignment)
    extra = document.file_size - end
    at = document.data_start // _BLOCK * _BLOCK
    if not ends or not 0 < extra <= _MOST or extra % _BLOCK:
        return
    room, behind = document.buffer[at : at + extra], document.buffer[end : end + extra]
    if not any(room) and any(behind):
        yield Finding(
            f"{extra} zeros are inserted before the data, which goes on {extra} bytes behind its "
            "end: an edit in place was cut short, and every tensor is read from a wrong place",
            at,
            "data",
            "take the file from where you have it",
        )
