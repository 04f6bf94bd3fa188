"""Journals on the disk: every damage is seen, and nonsense with a sound checksum is nonsense."""

from __future__ import annotations

import hashlib
import json
import os
import struct
from typing import TYPE_CHECKING, Any

import pytest

from gguf_construct.errors import WriteError
from gguf_construct.planning.patches import Room
from gguf_construct.storage.inplace.recover import find_journal, recover
from gguf_construct.storage.journal import journal_file as sidecars
from gguf_construct.storage.journal.journal import Journal, Patch, Rest, Saved
from gguf_construct.storage.journal.journal_file import (
    decode,
    encode,
    read_journal,
    remove_journal,
    save_journal,
)
from gguf_construct.storage.source.source import open_source
from gguf_construct.storage.system import syscalls
from gguf_construct.storage.system.private_names import journal_path
from tests.storage.scenarios import (
    OLD,
    cut_short_in_place,
)

if TYPE_CHECKING:
    from pathlib import Path

SAMPLE = Journal(
    7,
    "m.gguf",
    5000,
    Room(4096, 8192),
    (Saved(0, b"abc"), Saved(4096, b"")),
    (Patch(510, b"news"), Patch(1024, bytes(512))),
    Rest(4500, 0xFFFFFFFF),
    ((4096, 5000),),
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "model.gguf"
    file.write_bytes(OLD)
    return file


@pytest.mark.parametrize("journal", [SAMPLE, SAMPLE._replace(insertion=None, saved=(), patches=())])
def test_a_journal_survives_its_sidecar(journal: Journal) -> None:
    assert decode(encode(journal)) == journal


def test_no_damage_goes_unnoticed() -> None:
    data = encode(SAMPLE)
    for at in range(len(data)):
        assert decode(data[:at]) is None
        assert decode(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]) is None


def forge(about: object, payload: bytes = b"") -> bytes:
    """A sidecar with a sound checksum over anything."""
    description = json.dumps(about).encode()
    body = b"gguf-construct journal 2\n" + struct.pack("<I", len(description)) + description
    body += payload
    return body + hashlib.sha256(body).digest()


GOOD: dict[str, Any] = {
    "inode": 1,
    "name": "m",
    "old_size": 9,
    "rest": [0, 0],
    "insertion": None,
    "saved": [],
    "patches": [],
    "space": [],
}
NONSENSE = [
    [],
    {},
    GOOD | {"inode": -1},
    GOOD | {"old_size": "9"},
    GOOD | {"name": 9},
    GOOD | {"rest": [10, 0]},
    GOOD | {"insertion": [1]},
    GOOD | {"insertion": [1, 2, 3]},
    GOOD | {"saved": [[0, 1]]},
    GOOD | {"saved": [[2**62, 0]]},
    GOOD | {"saved": [[0, -1]]},
    GOOD | {"patches": [[0, 2**62]]},
    GOOD | {"patches": [[0]]},
    GOOD | {"space": [[0]]},
]


@pytest.mark.parametrize("about", NONSENSE, ids=str)
def test_sound_nonsense_is_no_journal(about: object) -> None:
    assert decode(forge(GOOD)) is not None
    assert decode(forge(about)) is None


def test_deep_nesting_is_no_journal() -> None:
    text = b"[" * 100_000
    body = b"gguf-construct journal 2\n" + struct.pack("<I", len(text)) + text
    assert decode(body + hashlib.sha256(body).digest()) is None


def test_a_journal_that_is_no_file_is_not_believed(path: Path) -> None:
    sidecar = journal_path(str(path))
    os.symlink("/dev/zero", sidecar)
    with open_source(path) as source:
        assert source.buffer[:] == OLD
    with pytest.raises(WriteError, match="is damaged"):
        recover(path)
    assert os.path.lexists(sidecar)


def test_a_huge_journal_is_not_read(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cut_short_in_place(path)
    monkeypatch.setattr(sidecars, "_LARGEST", 100)
    found = find_journal(path)
    assert found is not None
    assert found.state == "damaged"


def test_the_sidecar_can_be_read_by_who_can_read_the_file(path: Path) -> None:
    path.chmod(0o644)
    cut_short_in_place(path)
    assert os.stat(journal_path(str(path))).st_mode & 0o777 == 0o644


def test_where_a_sample_lies() -> None:
    """The layout of a journal, byte by byte."""
    data = encode(SAMPLE)
    assert data.startswith(b"gguf-construct journal 2\n")
    (length,) = struct.unpack_from("<I", data, 25)
    about = json.loads(data[29 : 29 + length])
    assert about["inode"] == 7
    assert about["saved"] == [[0, 3], [4096, 0]]
    rest = data[29 + length : -32]
    assert rest == b"abc" + b"news" + bytes(512)
    assert hashlib.sha256(data[:-32]).digest() == data[-32:]


@pytest.mark.parametrize("name", ["saved", "patches"])
def test_what_reaches_past_the_end_is_no_journal(name: str) -> None:
    for offset, is_sound in ((1, True), (2, False)):
        found = decode(forge(GOOD | {name: [[offset, 8]]}, b"12345678"))
        assert (found is not None) is is_sound
    with_room = GOOD | {name: [[2, 8]], "insertion": [0, 1]}
    assert (decode(forge(with_room, b"12345678")) is not None) is (name == "patches")
    for end, is_sound in ((9, True), (10, False)):
        assert (decode(forge(GOOD | {"rest": [end, 0]})) is not None) is is_sound


def test_what_is_left_over_is_no_journal() -> None:
    assert decode(forge(GOOD, b"x")) is None
    assert decode(forge(GOOD | {"saved": [[0, 2]]}, b"xy")) is not None
    assert decode(forge(GOOD | {"saved": [[0, 2]]}, b"xyz")) is None


def test_a_journal_that_is_there_is_not_written_over(path: Path) -> None:
    save_journal(SAMPLE, str(path))
    with pytest.raises(FileExistsError, match="journal"):
        save_journal(SAMPLE, str(path))
    sidecar = journal_path(str(path))
    assert read_journal(sidecar) == SAMPLE
    remove_journal(str(path))
    assert not os.path.lexists(sidecar)
    with pytest.raises(FileNotFoundError, match="journal"):
        read_journal(sidecar)


def test_too_much_to_save_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sidecars, "_LARGEST", len(encode(SAMPLE)))
    save_journal(SAMPLE, str(path))
    assert read_journal(journal_path(str(path))) == SAMPLE
    remove_journal(str(path))
    monkeypatch.setattr(sidecars, "_LARGEST", len(encode(SAMPLE)) - 1)
    with pytest.raises(WriteError, match="too much to edit in place"):
        save_journal(SAMPLE, str(path))
    assert os.listdir(path.parent) == [path.name]


@pytest.mark.parametrize("name", ["pwrite", "fsync", "close", "fsync_folder"])
def test_what_cannot_be_finished_is_removed(
    path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = getattr(syscalls, name)

    def fail(*arguments: object) -> object:
        if name == "close":
            real(*arguments)
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(syscalls, name, fail)
    with pytest.raises(OSError, match="Input/output error"):
        save_journal(SAMPLE, str(path))
    assert os.listdir(path.parent) == [path.name]


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755, 0o400])
def test_the_journal_has_the_mode_of_the_file(path: Path, mode: int) -> None:
    path.chmod(mode)
    mask = os.umask(0)
    try:
        save_journal(SAMPLE, str(path))
    finally:
        os.umask(mask)
    assert os.stat(journal_path(str(path))).st_mode & 0o777 == mode & 0o666 | 0o600
    path.chmod(0o600)
