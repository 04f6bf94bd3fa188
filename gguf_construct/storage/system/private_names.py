"""Names of the private files that stand beside a target: temporary file, lock, journal.

All of them are hidden, start with the target's name (so that a person sees what they belong to)
and can be found again from the target's path alone.  This module is on the path of every open,
so it imports nothing but `os`.
"""

from __future__ import annotations

import os

_MARK = ".gguf-construct-"
_NAME_MAX = 255  # bytes in one path component; ext4, xfs, btrfs, APFS and NTFS take at least this
_LONGEST_ENDING = 32


def _beside(path: str, ending: str) -> str:
    folder, name = os.path.split(path)
    raw = os.fsencode(name)
    room = _NAME_MAX - len(_MARK) - _LONGEST_ENDING - 1
    if len(raw) > room:
        # Two long names may share their start: the checksum keeps their private files apart.
        import zlib

        name = f"{os.fsdecode(raw[: room - 9])}-{zlib.crc32(raw):08x}"
    return os.path.join(folder, f".{name}{_MARK}{ending}")


def is_private(path: str) -> bool:
    """Whether a path is one of ours: nothing to show to a person."""
    return _MARK in os.path.basename(path)


def journal_path(path: str) -> str:
    """The sidecar that holds the old bytes while `path` (resolved) is patched in place."""
    return _beside(path, "journal")


def has_journal(path: str) -> bool:
    """Whether there is a sidecar beside the file that `path` leads to; cheap."""
    return os.path.lexists(journal_path(os.path.realpath(path)))


def lock_path(path: str) -> str:
    """The file that two writers of `path` (resolved) lock against each other."""
    return _beside(path, "lock")


def temporary_prefix(path: str) -> str:
    """What the full path of each temporary file of `path` (resolved) starts with."""
    return _beside(path, "tmp-")


def is_same_file(one: str, other: str) -> bool:
    """Whether two paths lead to one file."""
    try:
        return os.path.samefile(one, other)
    except OSError:
        return False
