"""Give a finished private file its name, in one step, but never that of another file."""

from __future__ import annotations

from contextlib import suppress

from . import syscalls
from .syscalls import Unsupported

_PRIVATE = 0o600


def place_new(private: str, path: str) -> None:
    """Rename `private` to `path`; where that is done by a second name, the first one may remain.

    Raises:
        FileExistsError: there is a file.
        OSError: it cannot be renamed.
    """
    with suppress(Unsupported):
        syscalls.rename_new(private, path)
        return
    with suppress(Unsupported):
        syscalls.link(private, path)
        return
    # File systems without hard links: take the name first, then rename over it.
    claim = syscalls.create(path, _PRIVATE)
    try:
        syscalls.close(claim)
        syscalls.replace(private, path)
    except BaseException:
        syscalls.unlink(path)
        raise
