"""What a target is before it is written, and how a finished file takes its place."""

from __future__ import annotations

import errno
import os
import stat
from typing import TYPE_CHECKING

from ...errors import DestinationExistsError, WriteError
from ..system import syscalls
from ..system.placing import place_new

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..source.source import Source

_REPLACES_OPEN_FILES = os.name != "nt"


def existing_target(target: str, *, overwrite: bool) -> os.stat_result | None:
    """The status of what is at `target` (resolved), or None when there is nothing.

    Raises:
        DestinationExistsError: there is a file and `overwrite` is off.
        WriteError: it is a folder, a device or a pipe.
        OSError: it cannot be looked at.
    """
    try:
        status = os.lstat(target)
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(status.st_mode):
        what = "a folder" if stat.S_ISDIR(status.st_mode) else "not a regular file"
        raise WriteError(f"{target} is {what}", hint="Name a file to write to.")
    if not overwrite:
        raise exists(target)
    return status


def exists(target: str) -> DestinationExistsError:
    """The error for an output that is already there."""
    return DestinationExistsError(
        f"{target} exists",
        hint="choose another name, or overwrite it with --force (in Python: overwrite=True)",
    )


def free_bytes(folder: str) -> int | None:
    """Bytes that this user may still write to the folder's disk; None where unknown."""
    try:
        if hasattr(os, "statvfs"):
            room = os.statvfs(folder)
            # A file system that knows no number (some FUSE ones) says that it has no blocks.
            return room.f_bavail * room.f_frsize if room.f_blocks else None
        import shutil

        return shutil.disk_usage(folder).free
    except OSError:
        return None


def check_room(target: str, nbytes: int) -> None:
    """Refuse before the first byte is written when the disk has no room.

    Raises:
        WriteError: too little space; an OSError with ENOSPC is chained.
    """
    free = free_bytes(os.path.dirname(target) or ".")
    if free is not None and free < nbytes:
        raise WriteError(
            f"{target} needs {nbytes} bytes, but {free} are free on its disk",
            hint="Nothing was written. Make room, or write to another disk.",
        ) from OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), target)


def keep_attributes(temporary: str, origin: str) -> list[str]:
    """Give a new file the mode, owner and extended attributes of another.

    Returns:
        What could not be kept, one line each.
    """
    lost = []
    before, now = os.stat(origin), os.stat(temporary)
    if (before.st_uid, before.st_gid) != (now.st_uid, now.st_gid):
        try:
            syscalls.set_owner(temporary, before.st_uid, before.st_gid)
        except PermissionError:
            lost.append(f"the owner ({before.st_uid}:{before.st_gid}) could not be kept")
    lost += _keep_xattrs(temporary, origin)
    # After the owner: changing that clears the set-id bits.
    syscalls.set_mode(temporary, stat.S_IMODE(before.st_mode))
    return lost


def _keep_xattrs(temporary: str, origin: str) -> list[str]:
    if not hasattr(os, "listxattr"):
        return []
    try:
        names = os.listxattr(origin)
    except OSError:
        return []  # a file system without them
    return [lost for name in names if (lost := _keep_xattr(temporary, origin, name))]


def _keep_xattr(temporary: str, origin: str, name: str) -> str | None:
    try:
        value = os.getxattr(origin, name)
        # The kernel sets some by itself (security labels), and may refuse to be told them.
        if name not in os.listxattr(temporary) or os.getxattr(temporary, name) != value:
            syscalls.set_xattr(temporary, name, value)
    except OSError as error:
        return f"the attribute {name} could not be kept ({error.strerror})"
    return None


def let_go(sources: Sequence[Source], target: str) -> None:
    """Close the sources that are about to be replaced, where an open file cannot be: Windows."""
    if _REPLACES_OPEN_FILES:
        return
    for source in sources:
        if (
            source.path is not None
            and os.path.exists(target)
            and os.path.samefile(source.path, target)
        ):
            source.close()


def publish(temporary: str, target: str, *, overwrite: bool) -> None:
    """Give the finished file its final name, in one step.

    Raises:
        DestinationExistsError: `overwrite` is off and a file has appeared there meanwhile.
    """
    if overwrite:
        syscalls.replace(temporary, target)
        return
    try:
        place_new(temporary, target)
    except FileExistsError:
        raise exists(target) from None
