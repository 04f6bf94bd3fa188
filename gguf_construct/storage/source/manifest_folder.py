"""The folder of a manifest: read what the manifest names, and nothing else.

Strategy: a path is taken apart and looked at part by part; links, absolute paths and ``..`` are
refused, so a manifest from a stranger reaches no file outside its folder.  Files that a plan
copies from are opened when they are needed and few at a time: a model has thousands of tensors,
a process only some hundred descriptors.
"""

from __future__ import annotations

import os
import stat
from collections import OrderedDict
from collections.abc import Sequence
from typing import TYPE_CHECKING, overload

from ...errors import BuildError, SourceChangedError
from ...manifest.export import MANIFEST
from .source import open_source

if TYPE_CHECKING:
    from .source import Identity, Source

_MAX_READ_NBYTES = 512 << 20
_MAX_OPEN = 32
_DRIVES = frozenset("\\:\0")


class ManifestFolder(Sequence["Source"]):
    """The files of a folder by the paths that its manifest uses, and as sources of a plan."""

    def __init__(self, root: str | os.PathLike[str]) -> None:
        """Raises OSError when the folder is not there."""
        self.root = os.fspath(root)
        if not stat.S_ISDIR(os.stat(self.root).st_mode):
            raise NotADirectoryError(20, os.strerror(20), self.root)
        self._numbers: dict[str, int] = {}
        self._paths: list[str] = []
        self._identities: dict[int, Identity | None] = {}
        self._open: OrderedDict[int, Source] = OrderedDict()

    def resolve(self, path: str) -> tuple[str, os.stat_result]:
        """The full path of a file in the folder, and its status.

        Raises:
            BuildError: it leaves the folder, is a link, is no regular file, or is not there.
        """
        parts = path.split("/")
        if not path or set(path) & _DRIVES or any(part in ("", ".", "..") for part in parts):
            raise BuildError(
                f"{path[:100]!r} is no path inside the folder",
                hint="name files below the manifest, with / between folders",
            )
        full = self.root
        for at, part in enumerate(parts):
            full = os.path.join(full, part)
            try:
                status = os.lstat(full)
            except (OSError, ValueError) as error:
                raise BuildError(
                    f"{path[:100]!r} is not there", hint=f"looked in {self.root}"
                ) from error
            is_wanted = stat.S_ISREG if at == len(parts) - 1 else stat.S_ISDIR
            if stat.S_ISLNK(status.st_mode):
                raise BuildError(f"{path!r} is a link, which a manifest must not follow")
            if not is_wanted(status.st_mode):
                raise BuildError(f"{path!r} is no regular file")
            if at == len(parts) - 1:
                return full, status
        raise AssertionError(path)

    def read(self, path: str) -> bytes:
        """All bytes of a file.  Raises BuildError as `resolve`, and for one that is too large."""
        full, status = self.resolve(path)
        if status.st_size > _MAX_READ_NBYTES:
            raise BuildError(f"{path!r} has {status.st_size} bytes: too many for metadata")
        return self._bytes(full, status.st_size)

    def manifest(self) -> str:
        """The text of the manifest.

        Raises:
            BuildError: it is not UTF-8; the error says the line.
            OSError: there is none.
        """
        os.stat(os.path.join(self.root, MANIFEST))
        data = self.read(MANIFEST)
        try:
            return data.decode()
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            raise BuildError("the manifest is no UTF-8", path=f"line {line}", line=line) from error

    def head(self, path: str, nbytes: int) -> bytes:
        """The first bytes of a file.  Raises BuildError as `resolve`."""
        full, status = self.resolve(path)
        return self._bytes(full, min(nbytes, status.st_size))

    def _bytes(self, full: str, nbytes: int) -> bytes:
        with open(full, "rb") as file:
            return file.read(nbytes)

    def locate(self, path: str) -> tuple[int, int]:
        """(number of the source, size) of a file.  Raises BuildError as `resolve`."""
        full, status = self.resolve(path)
        number = self._numbers.setdefault(full, len(self._paths))
        if number == len(self._paths):
            self._paths.append(full)
        return number, status.st_size

    def __len__(self) -> int:
        return len(self._paths)

    @overload
    def __getitem__(self, index: int) -> Source: ...
    @overload
    def __getitem__(self, index: slice) -> list[Source]: ...
    def __getitem__(self, index: int | slice) -> Source | list[Source]:
        if isinstance(index, slice):
            raise TypeError("only one source at a time: few files are open at once")
        if not 0 <= index < len(self._paths):
            raise IndexError(index)
        source = self._open.get(index)
        if source is None:
            source = self._opened(index)
        self._open.move_to_end(index)
        return source

    def _opened(self, index: int) -> Source:
        while len(self._open) >= _MAX_OPEN:
            _, oldest = self._open.popitem(last=False)
            oldest.close()
        source = self._open[index] = open_source(self._paths[index])
        known = self._identities.setdefault(index, source.identity())
        if known != source.identity():
            raise SourceChangedError(
                f"{self._paths[index]}: it changed while it was in use",
                hint="Nothing was written. Run the command again.",
            )
        return source

    def close(self) -> None:
        """Close every file."""
        while self._open:
            self._open.popitem()[1].close()

    def __enter__(self) -> ManifestFolder:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
