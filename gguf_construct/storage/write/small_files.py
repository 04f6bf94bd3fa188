"""Small files that a person names on the command line: templates, values, manifests."""

from __future__ import annotations

import errno
import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import TextIO

MAX_VALUE_NBYTES = 1 << 30


def read_value(path: str) -> bytes:
    """The bytes of a file, or of standard input for ``-``; kept as they are.

    Raises:
        OSError: the file cannot be read, or is too large to be a value.
    """
    if path == "-":
        if not sys.stdin.buffer.readable():
            raise OSError(errno.EBADF, "standard input is closed", path)
        data = sys.stdin.buffer.read(MAX_VALUE_NBYTES + 1)
        if len(data) > MAX_VALUE_NBYTES:
            what = f"more than {MAX_VALUE_NBYTES} bytes on standard input: name a file instead"
            raise OSError(errno.EFBIG, what, path)
        return data
    with open(path, "rb") as file:
        if os.fstat(file.fileno()).st_size > MAX_VALUE_NBYTES:
            raise OSError(errno.EFBIG, "File too large to be a metadata value", path)
        return file.read()


def write_text(path: str | os.PathLike[str], text: str, *, overwrite: bool = False) -> None:
    """Write a small text file as UTF-8; it appears only when it is complete.

    Raises:
        DestinationExistsError: `overwrite` is off and there is a file.
        WriteError: it cannot be written.
    """
    write_bytes(path, text.encode("utf-8", "surrogateescape"), overwrite=overwrite)


def write_bytes(path: str | os.PathLike[str], data: bytes, *, overwrite: bool = False) -> None:
    """Write a small file; it appears only when it is complete.  Raises as `write_text` does."""
    from ...core.chunks import Literal, WritePlan
    from .new_file import write_plan

    write_plan(WritePlan((Literal(data),)), [], path, overwrite=overwrite, durable=False)


def open_nowhere() -> TextIO:
    """A stream that forgets what it is given, and that cannot be read."""
    return open(os.devnull, "w", encoding="utf-8")
