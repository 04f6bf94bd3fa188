"""A file for another program to read: it is gone when that program has read it."""

from __future__ import annotations

import os
import tempfile
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def scratch_file(data: bytes, suffix: str) -> Iterator[str]:
    """The path of a private temporary file with these bytes, inside the block.

    Raises:
        OSError: it cannot be written.
    """
    descriptor, path = tempfile.mkstemp(suffix, "gguf-construct-")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        yield path
    finally:
        with suppress(OSError):
            os.unlink(path)
