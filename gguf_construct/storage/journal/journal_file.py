"""A journal on the disk: a hidden file beside the one that is edited.

Layout: a magic line, the length of a JSON description (u32, little-endian), the description, the
saved bytes, the bytes of the patches, SHA-256 of it all.  The file gets its name only when all of
it is on the disk.  So one that does not match its SHA-256 was damaged later: the edit may have
begun, and nothing is known of the file beside it.
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
from ..system.placing import place_new
from ..system.private_names import journal_path, temporary_prefix
from .first_format import FIRST_MAGIC, read_checksums
from .journal import Journal, Patch, Rest, Saved

_MAGIC = b"gguf-construct journal 2\n"
_DIGEST = hashlib.sha256().digest_size
_LENGTH = struct.Struct("<I")
_ROOM = 1 << 20  # a description is never longer
_LARGEST = 1 << 30  # a header of more than that is not edited in place


def save_journal(journal: Journal, target: str) -> None:
    """Write the journal and wait until it is on the disk; the file may be touched after that.

    Raises:
        FileExistsError: there is one already.
        OSError: it cannot be written; nothing is left of it.
    """
    path, data = journal_path(target), encode(journal)
    if len(data) > _LARGEST:
        raise WriteError(f"{len(data)} bytes would have to be saved: too much to edit in place")
    private = f"{temporary_prefix(target)}{os.urandom(8).hex()}"
    # Whoever may read the file must be able to see it whole while the edit is unfinished.
    fd = syscalls.create(private, stat.S_IMODE(os.stat(target).st_mode) & 0o666 | 0o600)
    try:
        try:
            write_at(fd, data, 0)
            syscalls.fsync(fd)
        finally:
            syscalls.close(fd)
        place_new(private, path)
    finally:
        if os.path.lexists(private):
            syscalls.unlink(private)
    try:
        syscalls.fsync_folder(os.path.dirname(path))
    except BaseException:
        syscalls.unlink(path)
        raise


def remove_journal(target: str) -> None:
    """Remove the journal: from here on the edit (or its undoing) is final."""
    path = journal_path(target)
    syscalls.unlink(path)
    syscalls.fsync_folder(os.path.dirname(path))


def read_journal(path: str) -> Journal | None:
    """Read a journal; None when it is damaged, or nothing that we would have made.

    Raises:
        OSError: it is not there or cannot be read.
    """
    if not stat.S_ISREG(os.lstat(path).st_mode):
        return None
    flags = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)
    with os.fdopen(os.open(path, flags), "rb") as file:
        return decode(file.read(_LARGEST + 1))


def encode(journal: Journal) -> bytes:
    """The bytes of a journal's file."""
    saved, patches = journal.saved, journal.patches
    about = {name: value for name, value in journal._asdict().items() if name != "checksums"} | {
        "saved": [(part.offset, len(part.data)) for part in saved],
        "patches": [(part.offset, len(part.data)) for part in patches],
    }
    description = json.dumps(about).encode()
    data = [*(part.data for part in saved), *(part.data for part in patches)]
    body = b"".join([_MAGIC, _LENGTH.pack(len(description)), description, *data])
    return body + hashlib.sha256(body).digest()


def decode(data: bytes) -> Journal | None:
    """The journal in a file's bytes, or None when they are not what was written."""
    body, digest = data[:-_DIGEST], data[-_DIGEST:]
    if (
        len(data) > _LARGEST
        or not body.startswith((_MAGIC, FIRST_MAGIC))
        or hashlib.sha256(body).digest() != digest
    ):
        return None
    try:
        return _decode(body)
    except (ValueError, KeyError, TypeError, RecursionError, struct.error):
        return None  # a sound checksum over nonsense: made by someone else


def _decode(body: bytes) -> Journal:
    at = len(_MAGIC) + _LENGTH.size
    (length,) = _LENGTH.unpack_from(body, len(_MAGIC))
    if length > _ROOM:
        raise ValueError(length)
    about: dict[str, Any] = json.loads(body[at : at + length])
    is_first = body.startswith(FIRST_MAGIC)
    saved, at = _parts(about["saved"], body, at + length)
    checksums: tuple[tuple[int, ...], ...] = ()
    if is_first:
        about |= {"name": "", "rest": (0, 0)}
        places = [(_natural(offset), _natural(nbytes)) for offset, nbytes in about["patches"]]
        checksums, at = read_checksums(body, at, places)
        patches = [(offset, bytes(nbytes)) for offset, nbytes in places]
    else:
        patches, at = _parts(about["patches"], body, at)
    if at != len(body) or not isinstance(about["name"], str):
        raise ValueError(at)
    insertion = about["insertion"]
    journal = Journal(
        _natural(about["inode"]),
        about["name"],
        _natural(about["old_size"]),
        Room(*map(_natural, insertion)) if insertion else None,
        tuple(Saved(*part) for part in saved),
        tuple(Patch(*part) for part in patches),
        Rest(*map(_natural, about["rest"])),
        tuple((_natural(first), _natural(last)) for first, last in about["space"]),
        checksums,
    )
    ends = [journal.rest.end, *(offset + len(data) for offset, data in saved)]
    if max(ends) > journal.old_size or any(
        offset + len(data) > journal.new_size for offset, data in patches
    ):
        raise ValueError(journal.old_size)
    return journal


def _parts(places: Any, body: bytes, at: int) -> tuple[list[tuple[int, bytes]], int]:
    """(offset, bytes) for each (offset, length), and where the bytes end."""
    found = []
    for offset, nbytes in places:
        found.append((_natural(offset), body[at : at + _natural(nbytes)]))
        at += nbytes
    return found, at


def _natural(value: object) -> int:
    if not isinstance(value, int) or value < 0:
        raise ValueError(value)
    return value
