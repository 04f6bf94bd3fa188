"""Read the small files of a Hugging Face folder, by name; what they say is parsed elsewhere."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import TYPE_CHECKING

from ..._generated.types import MAGIC

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

_MAX_NBYTES = 256 << 20
_MAX_MATCHES = 100


def read_folder(folder: str | os.PathLike[str], names: Iterable[str]) -> dict[str, bytes]:
    """The bytes of those files that the folder has, in the order of `names`.

    Args:
        names: file names; one with ``*`` stands for all that match, by name, 100 at most.

    Raises:
        OSError: there is no such folder, or a file cannot be read, is too large, or is a link
            that leads out of the folder.
    """
    root = Path(folder)
    if not root.is_dir():
        code = errno.ENOTDIR if root.exists() else errno.ENOENT
        raise OSError(code, "Not a folder" if root.exists() else "No such folder", str(root))
    found: dict[str, bytes] = {}
    for name in names:
        matches = sorted(root.glob(name))[:_MAX_MATCHES] if "*" in name else [root / name]
        for path in matches:
            if path.is_file():
                _refuse_outside(path, root)
                found[path.relative_to(root).as_posix()] = _read(path)
    return found


def _refuse_outside(path: Path, root: Path) -> None:
    """Refuse a link that leads out of the folder, but for the blobs of a Hugging Face cache."""
    inside = [root.resolve()]
    if inside[0].parent.name == "snapshots":
        inside.append(inside[0].parent.parent / "blobs")
    real = path.resolve()
    if not any(real.is_relative_to(one) for one in inside):
        raise OSError(errno.EPERM, "A link that leads out of the folder is not followed", str(path))


def _read(path: Path) -> bytes:
    if path.stat().st_size > _MAX_NBYTES:
        raise OSError(errno.EFBIG, "File too large to be a configuration", str(path))
    return path.read_bytes()


def is_folder(path: str) -> bool:
    """Whether a path names a folder."""
    return Path(path).is_dir()


def is_gguf(path: str) -> bool:
    """Whether a file starts as a GGUF file does."""
    if not Path(path).is_file():
        return False
    with Path(path).open("rb") as file:
        return file.read(len(MAGIC)) == MAGIC
