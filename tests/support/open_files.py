"""The files that this process has open."""

from __future__ import annotations

import os

_DESCRIPTORS = "/proc/self/fd"
_OTHERS = ("pipe:", "socket:", "anon_inode:", "/dev/", "/proc/")


def open_files() -> set[tuple[str, str]]:
    """The descriptors of files and folders: (number, where it leads); empty where not known."""
    found = set()
    for number in os.listdir(_DESCRIPTORS) if os.path.isdir(_DESCRIPTORS) else ():
        try:
            path = os.readlink(f"{_DESCRIPTORS}/{number}")
        except OSError:
            continue  # that of the listing itself
        if not path.startswith(_OTHERS):
            found.add((number, path))
    return found
