"""A journal on the disk: a hidden file beside the one that is edited.

Layout: a magic line, the length of a JSON description (u32, little-endian), the description, the
saved bytes, the checksums (CRC-32 of each sector, u32 little-endian), SHA-256 of it all.  Whatever
does not match its SHA-256 was never finished, so the file it stands beside was not touched yet.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import struct
from typing import Any

from ...errors import WriteError
from ...planning.patches import Room
from ..system import syscalls
from ..system.exactly import write_at
from ..system.private_names import journal_path
from .journal import SECTOR, Journal, Patch, Saved

__all__ = ["decode", "encode", "read_journal", "remove_journal", "save_journal"]

_MAGIC = b"gguf-construct journal 1\n"
_DIGEST = hashlib.sha256().digest_size
_LENGTH = struct.Struct("<I")
_ROOM = 1 << 20  # a description is never longer
_LARGEST = 1 << 30  # a header of more than that is not edited in place


def save_journal(journal: Journal, target: str) -> None:
    """Write the sidecar and wait until it is on the disk; the file may be touched after that.

    Raises:
        FileExistsError: there is one already.
        OSError: it cannot be written; nothing is left of it.
    """
    path, data = journal_path(target), encode(journal)
    if len(data) > _LARGEST:
        raise WriteError(f"{len(data)} bytes would have to be saved: too much to edit in place")
    # Whoever may read the file must be able to see it whole while the edit is unfinished.
    fd = syscalls.create(path, stat.S_IMODE(os.stat(target).st_mode) & 0o666 | 0o600)
    try:
        try:
            write_at(fd, data, 0)
            syscalls.fsync(fd)
        finally:
            syscalls.close(fd)
        syscalls.fsync_folder(os.path.dirname(path))
    except BaseException:
        syscalls.unlink(path)
        raise


def remove_journal(target: str) -> None:
    """Remove the sidecar: from here on the edit (or its undoing) is final."""
    path = journal_path(target)
    syscalls.unlink(path)
    syscalls.fsync_folder(os.path.dirname(path))


def read_journal(path: str) -> Journal | None:
    """Read a sidecar; None when it is incomplete, damaged, or nothing that we would have made.

    Raises:
        OSError: it is not there or cannot be read.
    """
    if not stat.S_ISREG(os.lstat(path).st_mode):
        return None
    flags = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)
    with os.fdopen(os.open(path, flags), "rb") as file:
        return decode(file.read(_LARGEST + 1))


def encode(journal: Journal) -> bytes:
    """The bytes of a sidecar."""
    description = json.dumps(
        {
            "inode": journal.inode,
            "old_size": journal.old_size,
            "insertion": journal.insertion,
            "saved": [(saved.offset, len(saved.data)) for saved in journal.saved],
            "patches": [(patch.offset, patch.nbytes) for patch in journal.patches],
            "space": journal.space,
        }
    ).encode()
    checksums = [number for patch in journal.patches for number in patch.checksums]
    body = b"".join(
        [
            _MAGIC,
            _LENGTH.pack(len(description)),
            description,
            *(saved.data for saved in journal.saved),
            struct.pack(f"<{len(checksums)}I", *checksums),
        ]
    )
    return body + hashlib.sha256(body).digest()


def decode(data: bytes) -> Journal | None:
    """The journal in a sidecar's bytes, or None when they are not complete."""
    body, digest = data[:-_DIGEST], data[-_DIGEST:]
    if (
        len(data) > _LARGEST
        or not body.startswith(_MAGIC)
        or hashlib.sha256(body).digest() != digest
    ):
        return None
    try:
        return _decode(body)
    except (ValueError, KeyError, TypeError, RecursionError, struct.error):
        return None  # a sound checksum over nonsense: made by someone else


def _decode(body: bytes) -> Journal:
    start = len(_MAGIC) + _LENGTH.size
    (length,) = _LENGTH.unpack_from(body, len(_MAGIC))
    if length > _ROOM:
        raise ValueError(length)
    about: dict[str, Any] = json.loads(body[start : start + length])
    at = start + length
    saved = []
    for offset, nbytes in about["saved"]:
        saved.append(Saved(_natural(offset), body[at : at + _natural(nbytes)]))
        at += nbytes
    patches = []
    for offset, nbytes in about["patches"]:
        first, last = _natural(offset) // SECTOR, (offset + _natural(nbytes) - 1) // SECTOR
        numbers = struct.unpack_from(f"<{last - first + 1}I", body, at)
        patches.append(Patch(offset, nbytes, numbers))
        at += 4 * len(numbers)
    if at != len(body):
        raise ValueError(at)
    insertion = about["insertion"]
    journal = Journal(
        _natural(about["inode"]),
        _natural(about["old_size"]),
        Room(*map(_natural, insertion)) if insertion else None,
        tuple(saved),
        tuple(patches),
        tuple((_natural(first), _natural(last)) for first, last in about["space"]),
    )
    if any(part.offset + len(part.data) > journal.old_size for part in saved) or any(
        patch.offset + patch.nbytes > journal.new_size for patch in patches
    ):
        raise ValueError(journal.old_size)
    return journal


def _natural(value: object) -> int:
    if not isinstance(value, int) or value < 0:
        raise ValueError(value)
    return value
