"""Journals: what they hold, what they tell about a file, and what is done with bad ones."""

from __future__ import annotations

import hashlib
import json
import os
import struct
import sys
from typing import TYPE_CHECKING, Any

import pytest

from gguf_construct.errors import WriteError
from gguf_construct.planning.patches import Room
from gguf_construct.storage.inplace.prepare import prepare
from gguf_construct.storage.inplace.recover import find_journal, recover
from gguf_construct.storage.journal import journal_file as sidecars
from gguf_construct.storage.journal.journal import Journal, Patch, Rest, Saved
from gguf_construct.storage.journal.journal_file import decode, encode
from gguf_construct.storage.source.source import open_source
from gguf_construct.storage.system.private_names import journal_path
from gguf_construct.storage.write.new_file import write_plan
from tests.storage.scenarios import (
    OLD,
    PATCHED,
    PATCHES,
    can_insert,
    cut_short_after,
    cut_short_before,
    cut_short_in_place,
    cut_short_insertion,
)

if TYPE_CHECKING:
    from collections.abc import Callable
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


STATES: list[tuple[Callable[[Path], None], str, bytes, str]] = [
    (cut_short_before, "old", OLD, "discarded"),
    (cut_short_in_place, "mixed", OLD, "rolled back"),
    (cut_short_insertion, "mixed", OLD, "rolled back"),
    (cut_short_after, "new", PATCHED, "completed"),
]


@pytest.mark.parametrize(("leave", "state", "content", "action"), STATES)
def test_states(
    path: Path, leave: Callable[[Path], None], state: str, content: bytes, action: str
) -> None:
    if leave is cut_short_insertion and not can_insert(path.parent):
        pytest.skip("this file system cannot insert room")
    leave(path)
    found = find_journal(path)
    assert found is not None
    assert (found.state, found.path) == (state, journal_path(str(path)))
    with open_source(path) as source:
        assert bytes(source.buffer[:]) == content
        assert source.unfinished_journal == found
        assert source.size == len(content)
    result = recover(path)
    assert (result.action, path.read_bytes()) == (action, content)
    assert os.listdir(path.parent) == [path.name]
    assert (recover(path).action, find_journal(path)) == ("nothing", None)


def test_a_torn_sector_is_rolled_back(path: Path) -> None:
    cut_short_in_place(path)
    with path.open("r+b") as file:  # sector by sector, as a power cut leaves them
        file.write(PATCHED[:512] + OLD[512:1024])
    assert recover(path).action == "rolled back"
    assert path.read_bytes() == OLD


def test_another_file_under_the_name_is_left_alone(path: Path) -> None:
    cut_short_in_place(path)
    other = path.with_name("other")
    other.write_bytes(bytes(len(OLD)))
    other.replace(path)
    found = find_journal(path)
    assert found is not None
    assert found.state == "foreign"
    with open_source(path) as source:
        assert not any(bytes(source.buffer))
    with pytest.raises(WriteError, match="in no state of the edit") as caught:
        recover(path)
    assert caught.value.hint is not None
    assert not any(path.read_bytes())
    assert os.path.exists(found.path)


@pytest.mark.parametrize("grow", [-1, 1])
def test_a_file_of_another_length_is_never_forced(path: Path, grow: int) -> None:
    cut_short_in_place(path)
    os.truncate(path, len(OLD) + grow)
    for force in (False, True):
        with pytest.raises(WriteError) as caught:
            recover(path, force=force)
        assert "--force" not in str(caught.value.hint)  # what cannot be done is not advised


def test_a_copied_pair_can_be_forced(path: Path) -> None:
    cut_short_in_place(path)
    copy = path.with_name("copy.gguf")
    copy.write_bytes(path.read_bytes())
    sidecar = journal_path(str(path))
    os.rename(sidecar, journal_path(str(copy)))
    with pytest.raises(WriteError) as caught:
        recover(copy)
    assert "--force" in str(caught.value.hint)
    assert recover(copy, force=True).action == "rolled back"
    assert copy.read_bytes() == OLD


@pytest.mark.skipif(sys.platform != "linux" or sys.maxsize < 2**40, reason="needs room to map")
def test_a_file_larger_than_memory_is_shown(path: Path) -> None:
    size = 1 << 40
    try:
        os.truncate(path, size)
    except OSError:
        pytest.skip("this file system holds no such file")
    cut_short_in_place(path)
    with open_source(path) as source:
        assert source.unfinished_journal is not None
        assert source.unfinished_journal.state == "mixed"
        assert source.size == size
        assert source.buffer[: len(OLD)] == OLD


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


def test_a_whole_file_is_not_written_over_an_unfinished_one(path: Path) -> None:
    from gguf_construct.core.chunks import Copy, WritePlan

    cut_short_in_place(path)
    with open_source(path) as source:
        plan = WritePlan((Copy(0, source.size),))
        with pytest.raises(WriteError, match="cut short"):
            write_plan(plan, [source], path, overwrite=True)
        elsewhere = path.with_name("copy.gguf")
        write_plan(plan, [source], elsewhere)
    assert elsewhere.read_bytes() == OLD


def test_the_journal_of_small_changes_is_small(path: Path) -> None:
    fd = os.open(path, os.O_RDONLY)
    try:
        whole = [(0, PATCHED[:9000])]
        journal, writes = prepare(fd, path.name, whole, None)
        nothing, no_writes = prepare(fd, path.name, [(0, OLD)], None)
    finally:
        os.close(fd)
    assert sum(len(saved.data) for saved in journal.saved) <= 2 * 4096
    assert (nothing.saved, nothing.patches, no_writes) == ((), (), [])
    assert all(len(data) <= 2 * 4096 for _, data in writes)
    assert PATCHES[0][0] < writes[0][0] + len(writes[0][1])


def test_the_sidecar_can_be_read_by_who_can_read_the_file(path: Path) -> None:
    path.chmod(0o644)
    cut_short_in_place(path)
    assert os.stat(journal_path(str(path))).st_mode & 0o777 == 0o644
