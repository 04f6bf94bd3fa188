"""Read a file again that another process edits in place while it is read.

The half-written bytes of such an edit show through the map.  What came of them is thrown away,
whether it looks like a result or like an error, and the file is opened anew.

`get` imports this module: keep it free of heavy imports.
"""

from __future__ import annotations

import os
import time

from ...errors import SourceChangedError, WriteError
from ..system.private_names import has_journal
from .source import is_being_written

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from .source import PathOrBytes, Source

    T = TypeVar("T")

__all__ = ["read_steadily"]

_ATTEMPTS, _PAUSE = 20, 0.02


def read_steadily(
    path_or_bytes: PathOrBytes,
    opener: Callable[[PathOrBytes], Source],
    read: Callable[[Source], T],
) -> tuple[Source, T]:
    """The source that `opener` gave, which the caller has to close, and what `read` made of it.

    Raises:
        SourceChangedError: the file is changed again and again while it is read.
        OSError: it cannot be opened.
    """
    for _ in range(_ATTEMPTS):
        try:
            source = opener(path_or_bytes)
        except WriteError:  # it cannot be shown as it was before the edit: only for now?
            if not _is_passing(path_or_bytes):
                raise
        else:
            try:
                result = read(source)
            except BaseException as error:  # whatever half of an edit leads to
                is_stale = isinstance(error, Exception) and source.is_stale()
                source.close()
                if not is_stale:
                    raise
            else:
                if not source.is_stale():
                    return source, result
                source.close()
        time.sleep(_PAUSE)
    raise SourceChangedError(f"{path_or_bytes!s}: it is being changed while it is read")


def _is_passing(path_or_bytes: PathOrBytes) -> bool:
    """Whether the edit that is in the way is still running, or has just ended."""
    if isinstance(path_or_bytes, (bytes, bytearray, memoryview)):
        return False
    path = os.fspath(path_or_bytes)
    return is_being_written(path) or not has_journal(path)
