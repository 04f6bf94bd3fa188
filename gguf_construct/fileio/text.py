"""Small files that a person names on the command line: templates, values, manifests."""

from __future__ import annotations

import sys
from pathlib import Path

__all__ = ["read_value"]

MAX_VALUE_NBYTES = 1 << 30


def read_value(path: str) -> bytes:
    """The bytes of a file, or of standard input for ``-``; kept as they are.

    Raises:
        OSError: the file cannot be read, or is too large to be a value.
    """
    if path == "-":
        return sys.stdin.buffer.read()
    if Path(path).stat().st_size > MAX_VALUE_NBYTES:
        raise OSError(27, "File too large to be a metadata value", path)
    return Path(path).read_bytes()
