"""What goes on around a file: whether its file system can make room in it, who else has it open."""

from __future__ import annotations

import os
from contextlib import suppress

from ..system import syscalls

__all__ = ["can_insert", "is_open_elsewhere"]

# linux/magic.h: the file systems whose fallocate(2) knows FALLOC_FL_INSERT_RANGE.
_INSERTING = frozenset({0xEF53, 0x58465342, 0xF2F52010})  # ext4, xfs, f2fs
_PROCESSES = "/proc"


def can_insert(path: str) -> bool:
    """Whether the file system of a file is one that can make room inside files."""
    try:
        fd = os.open(path, os.O_RDONLY)
    except OSError:
        return False
    try:
        return syscalls.filesystem_type(fd) in _INSERTING
    finally:
        os.close(fd)


def is_open_elsewhere(path: str) -> bool:
    """Whether another process has the file open or mapped: a model server, a running copy.

    Such a reader would see the data move under it.  Linux only; processes of other users are not
    seen without their rights.
    """
    target = os.path.realpath(path)
    own = str(os.getpid())
    with suppress(OSError):
        numbers = [name for name in os.listdir(_PROCESSES) if name.isdecimal() and name != own]
        return any(_has_mapped(number, target) or _has_open(number, target) for number in numbers)
    return False


def _has_mapped(number: str, target: str) -> bool:
    try:
        with open(f"{_PROCESSES}/{number}/maps", "rb") as file:
            return os.fsencode(target) + b"\n" in file.read()
    except OSError:
        return False  # gone meanwhile, or not ours to look at


def _has_open(number: str, target: str) -> bool:
    folder = f"{_PROCESSES}/{number}/fd"
    try:
        return any(os.readlink(f"{folder}/{name}") == target for name in os.listdir(folder))
    except OSError:
        return False
