"""Tensors that come one by one from an iterator, set down in a private file as they come.

Strategy: a header says what all tensors are before the first of them, so what an iterator gives
has to be somewhere until it ends.  Beside the target it takes disk, not memory, and the kernel
copies it from there.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ...core.tensors import TensorInfo
from ...errors import WriteError
from ..source.source import open_source
from ..system.exactly import write_at
from .new_file import reason
from .temporary import remove_leftovers, temporary_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_PRIVATE = 0o600


@contextmanager
def spooled(
    tensors: Iterable[TensorInfo], path: str | os.PathLike[str]
) -> Iterator[list[TensorInfo]]:
    """The same tensors with their bytes in a file beside `path`, which goes when the block ends.

    Raises:
        WriteError: the file cannot be written.
    """
    target = os.path.realpath(path)
    try:
        remove_leftovers(target)
        with temporary_file(target, _PRIVATE) as temporary:
            places = []
            end = 0
            for tensor in tensors:
                write_at(temporary.fd, tensor.data.data, end)
                places.append((tensor.record, tensor.byte_order, end, tensor.size))
                end += tensor.size
            with open_source(temporary.path) as source:
                yield [
                    TensorInfo(record, -1, source.buffer, order, start, nbytes, source)
                    for record, order, start, nbytes in places
                ]
    except OSError as error:
        raise WriteError(f"{os.fspath(path)} cannot be written: {reason(error)}") from error
