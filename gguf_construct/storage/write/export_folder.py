"""Write the folder of an exported model.

Strategy: everything goes into a private folder beside the target, which gets the target's name
only when all of it is there.
"""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from typing import TYPE_CHECKING

from ...core.chunks import Copy, Literal
from ...errors import DestinationExistsError, WriteError
from ..system import syscalls
from ..system.private_names import temporary_prefix
from ..system.signals import terminate_cleanly
from . import copying
from .new_file import reason

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...manifest.export import ExportFile
    from ..source.source import Source

_BY_UMASK = 0o666


def write_export(
    files: list[ExportFile],
    source: Source,
    folder: str | os.PathLike[str],
    *,
    progress: Callable[[int, int], None] | None = None,
) -> None:
    """Write the files of an export into a folder that does not exist, or is empty.

    Args:
        files: what to write.
        source: the file that they copy from.
        folder: where to.
        progress: called with (bytes done, bytes in all).

    Raises:
        DestinationExistsError: the folder holds something.
        WriteError: anything else; nothing is left behind.
    """
    target = os.path.realpath(folder)
    try:
        if os.path.lexists(target) and (not os.path.isdir(target) or os.listdir(target)):
            raise DestinationExistsError(
                f"{os.fspath(folder)} exists and is not empty", hint="Choose another name."
            )
        private = f"{temporary_prefix(target)}{os.urandom(8).hex()}"
        with terminate_cleanly():
            os.mkdir(private)
            try:
                _write_files(files, source, private, progress)
                source.check_unchanged()
                with suppress(FileNotFoundError):
                    os.rmdir(target)
                syscalls.replace(private, target)
            except BaseException:
                shutil.rmtree(private, ignore_errors=True)
                raise
    except OSError as error:
        raise WriteError(f"{os.fspath(folder)} cannot be written: {reason(error)}") from error


def _write_files(
    files: list[ExportFile],
    source: Source,
    folder: str,
    progress: Callable[[int, int], None] | None,
) -> None:
    total = sum(chunk.nbytes for file in files for chunk in file.chunks)
    done = 0

    def advance(nbytes: int) -> None:
        nonlocal done
        done += nbytes
        if progress is not None:
            progress(done, total)

    for name in dict.fromkeys(os.path.dirname(file.path) for file in files):
        if name:
            os.mkdir(os.path.join(folder, name))
    for file in files:
        fd = syscalls.create(os.path.join(folder, *file.path.split("/")), _BY_UMASK)
        try:
            _write_file(fd, file, source, advance)
        finally:
            syscalls.close(fd)


def _write_file(fd: int, file: ExportFile, source: Source, advance: Callable[[int], None]) -> None:
    out = copying.Target(fd, advance)
    syscalls.truncate(fd, sum(chunk.nbytes for chunk in file.chunks))
    at = 0
    for chunk in file.chunks:
        if isinstance(chunk, Literal):
            copying.write_all(out, chunk.data, at)
        else:
            assert isinstance(chunk, Copy)
            copying.copy(source, out, chunk.start, chunk.nbytes, at)
        at += chunk.nbytes
