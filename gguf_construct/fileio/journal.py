"""The journal of an in-place edit: what is needed to take it back, and to see how far it came.

Strategy: before a file is touched, the bytes that the edit destroys are saved in a sidecar, which
is on the disk before the first write.  The sidecar also holds a checksum of every sector that the
edit will write, so that a later look tells exactly where the file stands:

    incomplete   the sidecar itself is damaged: the edit had not begun
    old          nothing was written yet
    mixed        some was: the old bytes have to be put back
    new          all was, only the sidecar is left over
    foreign      the file is another one than the sidecar tells of: hands off

Sidecar: a magic line, the length of a JSON description (u32, little-endian), the description,
the saved bytes, the checksums (CRC-32 of each sector, u32 little-endian), SHA-256 of it all.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import struct
import zlib
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import WriteError
from . import syscalls
from .names import journal_path
from .transfer import write_at

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = [
    "Insertion",
    "Journal",
    "Patch",
    "Saved",
    "UnfinishedJournal",
    "inspect",
    "prepare",
    "read_journal",
    "remove_journal",
    "save_journal",
]

SECTOR = 512  # the smallest unit that disks write whole
_MAGIC = b"gguf-construct journal 1\n"
_DIGEST = hashlib.sha256().digest_size
_LENGTH = struct.Struct("<I")
_ROOM = 1 << 20  # a description is never longer
_LARGEST = 1 << 30  # a header of more than that is not edited in place


class Insertion(NamedTuple):
    """`nbytes` bytes of room made at `offset`; what follows moves up."""

    offset: int
    nbytes: int


class Saved(NamedTuple):
    """Old bytes, and where in the old file they stood."""

    offset: int
    data: bytes


class Patch(NamedTuple):
    """A range of the new file that the edit writes, and the CRC-32 of each of its sectors."""

    offset: int
    nbytes: int
    checksums: tuple[int, ...]


class Journal(NamedTuple):
    """One in-place edit.

    Attributes:
        inode: of the file, 0 where unknown.
        old_size: the file's length before the edit.
        insertion: room made first, or None.
        saved: the bytes that the edit destroys, in order.
        patches: what it writes, in order.
    """

    inode: int
    old_size: int
    insertion: Insertion | None
    saved: tuple[Saved, ...]
    patches: tuple[Patch, ...]

    @property
    def new_size(self) -> int:
        """The file's length after the edit."""
        return self.old_size + (self.insertion.nbytes if self.insertion else 0)

    def bytes_before(self, patch: Patch) -> bytes:
        """What stands in a patch's range when the room is made but nothing is written yet."""
        before = bytearray(patch.nbytes)
        for saved in self.saved:
            at = self._shifted(saved.offset) - patch.offset
            first = max(0, -at)
            part = saved.data[first : max(first, patch.nbytes - at)]
            if part:
                before[at + first : at + first + len(part)] = part
        return bytes(before)

    def _shifted(self, offset: int) -> int:
        if self.insertion is None or offset < self.insertion.offset:
            return offset
        return offset + self.insertion.nbytes


class UnfinishedJournal(NamedTuple):
    """A journal found beside a file.

    Attributes:
        path: the sidecar.
        state: ``incomplete``, ``old``, ``mixed``, ``new`` or ``foreign`` (see the module).
        journal: its content; None when it is incomplete.
    """

    path: str
    state: str
    journal: Journal | None


def prepare(
    fd: int, patches: Sequence[tuple[int, bytes]], insertion: Insertion | None
) -> tuple[Journal, list[tuple[int, bytes]]]:
    """Work out an edit's journal, and the writes that are left when equal bytes are dropped.

    Args:
        fd: the file, unchanged so far.
        patches: (offset in the new file, bytes), in order, without overlap, inside the file.
        insertion: room to make first.
    """
    status = os.fstat(fd)
    if insertion is None:
        writes = [part for offset, data in patches for part in _changed(fd, offset, data)]
        spans = [(offset, offset + len(data)) for offset, data in writes]
    else:
        writes = [(offset, bytes(data)) for offset, data in patches if data]
        spans = [(0, insertion.offset), *_destroyed_after(writes, insertion)]
    saved = tuple(Saved(begin, _read(fd, begin, end)) for begin, end in spans if begin < end)
    planned = tuple(
        Patch(offset, len(data), tuple(zlib.crc32(part) for _, part in sectors(offset, data)))
        for offset, data in writes
    )
    return Journal(status.st_ino, status.st_size, insertion, saved, planned), writes


def _destroyed_after(
    writes: list[tuple[int, bytes]], insertion: Insertion
) -> Iterator[tuple[int, int]]:
    """The ranges of the old file, from the insertion on, that the writes fall on."""
    for offset, data in writes:
        begin, end = offset - insertion.nbytes, offset + len(data) - insertion.nbytes
        yield max(begin, insertion.offset), end


def _changed(fd: int, offset: int, data: bytes) -> Iterator[tuple[int, bytes]]:
    """The parts of a patch, cut at page bounds, whose bytes are not there already."""
    begin = None
    for at, part in sectors(offset, data, 8 * SECTOR):
        if _read(fd, at, at + len(part)) != part:
            begin = at if begin is None else begin
        elif begin is not None:
            yield begin, bytes(data[begin - offset : at - offset])
            begin = None
    if begin is not None:
        yield begin, bytes(data[begin - offset :])


def sectors(offset: int, data: bytes, size: int = SECTOR) -> Iterator[tuple[int, bytes]]:
    """Cut bytes that start at `offset` where the disk's sectors end: (offset, part)."""
    at = 0
    while at < len(data):
        end = min(len(data), at + size - (offset + at) % size)
        yield offset + at, data[at:end]
        at = end


def _read(fd: int, begin: int, end: int) -> bytes:
    parts = []
    while begin < end:
        part = syscalls.pread(fd, end - begin, begin)
        if not part:
            raise WriteError("the file ended while it was read", offset=begin)
        parts.append(part)
        begin += len(part)
    return b"".join(parts)


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
    if len(data) > _LARGEST or not body.startswith(_MAGIC) or hashlib.sha256(body).digest() != digest:
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
        Insertion(*map(_natural, insertion)) if insertion else None,
        tuple(saved),
        tuple(patches),
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


def inspect(fd: int, sidecar: str) -> UnfinishedJournal | None:
    """Where an edited file stands; None when the sidecar has gone meanwhile.

    Raises:
        OSError: the sidecar cannot be read.
    """
    try:
        journal = read_journal(sidecar)
    except FileNotFoundError:
        return None
    state = "incomplete" if journal is None else _state(fd, journal)
    return UnfinishedJournal(sidecar, state, journal)


def _state(fd: int, journal: Journal) -> str:
    status = os.fstat(fd)
    if journal.insertion and status.st_size == journal.old_size:
        return _state_without_room(fd, journal, status.st_ino)
    if status.st_size != journal.new_size:
        return "foreign"
    old = new = True
    for patch in journal.patches:
        patch_old, patch_new, strange = _compare(fd, journal, patch)
        if strange > 1:
            # One sector may be torn where a write was cut short; more are someone else's bytes.
            return "foreign"
        old, new = old and patch_old, new and patch_new
    if new:
        return "new"
    if old and not journal.insertion:
        return "old"
    return "mixed" if journal.inode == status.st_ino or old else "foreign"


def _state_without_room(fd: int, journal: Journal, inode: int) -> str:
    """The room was not made yet, or was taken out again by a recovery that was cut short."""
    if all(_read(fd, at, at + len(data)) == data for at, data in journal.saved):
        return "old"
    return "mixed" if journal.inode == inode else "foreign"


def _compare(fd: int, journal: Journal, patch: Patch) -> tuple[bool, bool, int]:
    """(all sectors as before, all as after, number of sectors that are neither)."""
    before = journal.bytes_before(patch)
    now = _read(fd, patch.offset, patch.offset + patch.nbytes)
    old = new = True
    strange = 0
    for (at, part), checksum in zip(sectors(patch.offset, now), patch.checksums, strict=True):
        begin = at - patch.offset
        is_old = part == before[begin : begin + len(part)]
        is_new = zlib.crc32(part) == checksum
        old, new = old and is_old, new and is_new
        strange += not (is_old or is_new)
    return old, new, strange
