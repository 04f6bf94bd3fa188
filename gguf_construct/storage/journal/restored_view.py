"""Show a file whose in-place edit was cut short as it was before that edit.

Strategy: a private copy-on-write map of the file, with the saved bytes put back in memory.  When
room had been inserted already, the map starts that much later in the file, so that what moved up
lies at its old place again.
"""

from __future__ import annotations

import mmap
import os
import platform
import sys
from typing import TYPE_CHECKING

from ...errors import WriteError
from .state import UnfinishedJournal, inspect

if TYPE_CHECKING:
    from .journal import Journal

# Python names the flag from 3.13 on; asm-generic/mman.h, which these machines depart from.
_OTHER_FLAGS = ("alpha", "mips", "parisc", "ppc", "sparc", "xtensa")
_NO_RESERVE = getattr(
    mmap,
    "MAP_NORESERVE",
    0x4000 if sys.platform == "linux" and not platform.machine().startswith(_OTHER_FLAGS) else 0,
)


def restored_view(
    fd: int, sidecar: str, name: str
) -> tuple[bytes | mmap.mmap, UnfinishedJournal] | None:
    """The old content of the file, and the journal; None when the journal has gone meanwhile.

    A journal that is damaged, or not of this file, changes nothing of the content.

    Args:
        fd: the file.
        sidecar: the journal's file.
        name: the file's name, without its folder.

    Raises:
        OSError: the journal cannot be read.
        WriteError: inserted room is where no map can leave it out.
    """
    found = inspect(fd, sidecar, name)
    if found is None:
        return None
    if found.state == "torn":
        raise WriteError(
            "an edit in place was cut short, and only recovery can show the file as it was",
            hint="Run `gguf-construct recover` on it first.",
        )
    if found.state == "mixed" and found.journal is not None:
        return _restore(fd, found.journal), found
    nbytes = os.fstat(fd).st_size
    return mmap.mmap(fd, 0, access=mmap.ACCESS_READ) if nbytes else b"", found


def _restore(fd: int, journal: Journal) -> mmap.mmap:
    room = journal.insertion
    shift = room.nbytes if room and os.fstat(fd).st_size == journal.new_size else 0
    if hasattr(mmap, "MAP_PRIVATE"):
        # Not ACCESS_COPY: without NORESERVE the kernel wants memory for the whole file.
        view = mmap.mmap(
            fd,
            journal.old_size,
            flags=mmap.MAP_PRIVATE | _NO_RESERVE,
            prot=mmap.PROT_READ | mmap.PROT_WRITE,
            offset=shift,
        )
    else:
        view = mmap.mmap(fd, journal.old_size, access=mmap.ACCESS_COPY, offset=shift)
    for saved in journal.saved:
        view[saved.offset : saved.offset + len(saved.data)] = saved.data
    return view
