"""Which files are meant by files, folders and patterns on a command line."""

from __future__ import annotations

import glob
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_SUFFIX = ".gguf"


def find_files(names: Iterable[str | os.PathLike[str]]) -> list[str]:
    """The files that names stand for: themselves, or all .gguf files of a folder or pattern.

    A folder is searched with its subfolders; links to folders are not followed.  A name without
    any file stays in the list, so that opening it fails with its reason; an empty folder gives
    nothing.  Each file is listed once, in the order of the names, those of a folder sorted.
    """
    found: dict[str, None] = {}
    for name in (os.fspath(one) for one in names):
        for path in _files_of(name):
            found.setdefault(path)
    return list(found)


def _files_of(name: str) -> Iterator[str]:
    if os.path.isdir(name):
        yield from _folder(name)
    elif not os.path.lexists(name) and glob.has_magic(name):
        for path in sorted(glob.glob(name, recursive=True)):
            yield from _folder(path) if os.path.isdir(path) else [path]
    else:
        yield name


def _folder(folder: str) -> Iterator[str]:
    for root, folders, files in os.walk(folder):
        folders.sort()
        for file in sorted(files):
            if file.lower().endswith(_SUFFIX):
                yield os.path.join(root, file)
