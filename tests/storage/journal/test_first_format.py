"""Journals of the first format: checksums where the second has bytes."""

from __future__ import annotations

import os
import struct
import zlib
from typing import TYPE_CHECKING

import pytest

from gguf_construct.planning.patches import Room
from gguf_construct.storage.journal.first_format import first_state, read_checksums
from gguf_construct.storage.journal.journal import Journal, Patch, Rest, Saved

if TYPE_CHECKING:
    from pathlib import Path

OLD, NEW = b"a" * 2000, b"b" * 2000
SIZE = 3000
PATCH = Patch(100, bytes(2000))


def checksums(data: bytes, offset: int) -> tuple[int, ...]:
    found = []
    at = offset
    while at < offset + len(data):
        end = min(at // 512 * 512 + 512, offset + len(data))
        found.append(zlib.crc32(data[at - offset : end - offset]))
        at = end
    return tuple(found)


JOURNAL = Journal(
    1, "", SIZE, None, (Saved(100, OLD),), (PATCH,), Rest(0, 0), (), (checksums(NEW, 100),)
)


def state(
    path: Path, content: bytes, journal: Journal = JOURNAL, *, room: bool = False, same: bool = True
) -> str:
    path.write_bytes(content)
    fd = os.open(path, os.O_RDONLY)
    try:
        return first_state(fd, journal, has_room=room, is_same_file=same)
    finally:
        os.close(fd)


def mixed(cut: int) -> bytes:
    return bytes(100) + NEW[:cut] + OLD[cut:] + bytes(900)


@pytest.mark.parametrize("same", [True, False])
def test_states(tmp_path: Path, same: bool) -> None:
    path = tmp_path / "m"
    assert state(path, mixed(0), same=same) == "old"
    assert state(path, mixed(2000), same=same) == "new"
    for cut in (412, 413, 1000, 1999):
        assert state(path, mixed(cut), same=same) == ("mixed" if same else "foreign")
    strange = bytearray(mixed(924))
    strange[700] = 0
    assert state(path, bytes(strange)) == "mixed"
    strange[1700] = 0
    assert state(path, bytes(strange)) == "foreign"


def test_with_room(tmp_path: Path) -> None:
    path = tmp_path / "m"
    journal = JOURNAL._replace(
        insertion=Room(100, 500),
        saved=(Saved(0, bytes(100)), Saved(100, OLD[:1500])),
    )
    shifted = bytes(500) + OLD[:1500]
    assert state(path, bytes(100) + NEW, journal, room=True) == "new"
    assert state(path, bytes(100) + shifted, journal, room=True, same=False) == "mixed"
    assert state(path, bytes(100) + NEW[:924] + shifted[924:], journal, room=True) == "mixed"
    assert (
        state(path, bytes(100) + NEW[:924] + shifted[924:], journal, room=True, same=False)
        == "foreign"
    )
    assert state(path, bytes(100) + OLD, journal) == "old"
    assert state(path, bytes(100) + b"?" + OLD[1:], journal) == "mixed"
    assert state(path, bytes(100) + b"?" + OLD[1:], journal, same=False) == "foreign"


@pytest.mark.parametrize(
    ("offset", "nbytes", "count"),
    [(0, 1, 1), (0, 512, 1), (0, 513, 2), (511, 1, 1), (511, 2, 2), (100, 2000, 5)],
)
def test_a_checksum_for_each_sector(offset: int, nbytes: int, count: int) -> None:
    body = b"??" + struct.pack("<9I", *range(9))
    assert read_checksums(body, 2, [(offset, nbytes)]) == ((tuple(range(count)),), 2 + 4 * count)
    assert len(checksums(bytes(nbytes), offset)) == count
    two = read_checksums(body, 2, [(0, 5), (offset, nbytes)])
    assert two == (((0,), tuple(range(1, 1 + count))), 6 + 4 * count)
    with pytest.raises(struct.error, match="requires a buffer"):
        read_checksums(body[: 1 + 4 * count], 2, [(offset, nbytes)])
