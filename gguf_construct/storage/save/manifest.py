"""Export a model into a folder, and build a model from one.

Strategy: an export is written into a private folder beside the target, which gets the target's
name only when all of it is there; a build is a write plan like any other.
"""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from typing import TYPE_CHECKING

from ...core.chunks import Copy, Literal
from ...errors import BuildError, DestinationExistsError, WriteError
from ...manifest.build import plan_build
from ...manifest.export import MANIFEST, plan_export
from ..source.manifest_folder import ManifestFolder
from ..system import syscalls
from ..system.private_names import temporary_prefix
from ..system.signals import terminate_cleanly
from ..write import copying
from ..write.new_file import WriteResult, reason, write_plan

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...manifest.export import ExportFile
    from ...model import Model
    from ..source.source import Source

__all__ = ["build_bytes", "build_model", "export_model"]

_BY_UMASK = 0o666


def export_model(
    model: Model,
    folder: str | os.PathLike[str],
    *,
    progress: Callable[[int, int], None] | None = None,
) -> list[str]:
    """Write a model as a manifest and files; edits that were not saved are left out.

    Args:
        model: an open model.
        folder: where to; it must not exist, or be empty.
        progress: called with (bytes done, bytes in all).

    Returns:
        The paths of the files, relative to the folder.

    Raises:
        BuildError: the model has unsaved edits.
        TruncatedError: the data of a tensor is not all there.
        DestinationExistsError: the folder holds something.
        WriteError: anything else; nothing is left behind.
    """
    if model.metadata.is_changed:
        raise BuildError("the model has edits that were not saved", hint="save it first")
    files = plan_export(model)
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
                _write_files(files, model.source, private, progress)
                model.source.check_unchanged()
                with suppress(FileNotFoundError):
                    os.rmdir(target)
                syscalls.replace(private, target)
            except BaseException:
                shutil.rmtree(private, ignore_errors=True)
                raise
    except OSError as error:
        raise WriteError(f"{os.fspath(folder)} cannot be written: {reason(error)}") from error
    return [file.path for file in files]


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


def build_model(
    folder: str | os.PathLike[str],
    path: str | os.PathLike[str],
    *,
    overwrite: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> WriteResult:
    """Build a model from the manifest in a folder.

    Args:
        folder: a folder with a ``manifest.yaml``.
        path: the file to write.
        overwrite: allow it to exist.
        progress: called with (bytes done, bytes in all).

    Raises:
        BuildError: the manifest is wrong, or names what is not in the folder; it says the line.
        WriteError: nothing was written.
        OSError: there is no manifest.
    """
    with ManifestFolder(folder) as files:
        plan = plan_build(_manifest_text(files), files)
        return write_plan(plan, files, path, overwrite=overwrite, progress=progress)


def build_bytes(folder: str | os.PathLike[str]) -> bytes:
    """The file that `build_model` would write, for small models.  Raises BuildError."""
    from ..write.in_memory import plan_bytes

    with ManifestFolder(folder) as files:
        return plan_bytes(plan_build(_manifest_text(files), files), files)


def _manifest_text(files: ManifestFolder) -> str:
    os.stat(os.path.join(files.root, MANIFEST))
    data = files.read(MANIFEST)
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BuildError("the manifest is no UTF-8", path=f"line {line}", line=line) from error
