"""A platform without the niceties: everything still works, by the plainest calls."""

from __future__ import annotations

import errno
import os
import random
import sys
import time
from typing import TYPE_CHECKING

import filelock
import pytest

from gguf_construct.core.chunks import Copy, Literal, Swap, WritePlan
from gguf_construct.errors import WriteError
from gguf_construct.storage.inplace.insertion_support import plan_insertion
from gguf_construct.storage.source.source import open_source
from gguf_construct.storage.system import syscalls
from gguf_construct.storage.write import destination
from gguf_construct.storage.write.new_file import write_plan
from tests.storage.scenarios import OLD, SCENARIOS, Scenario, start

if TYPE_CHECKING:
    from pathlib import Path

NICETIES = [
    "O_DIRECT",
    "O_DIRECTORY",
    "O_NOFOLLOW",
    "SEEK_DATA",
    "SEEK_HOLE",
    "chown",
    "copy_file_range",
    "getxattr",
    "link",
    "listxattr",
    "pread",
    "preadv",
    "pwrite",
    "setxattr",
]
PLAIN = [it for it in SCENARIOS if "insert" not in it.name and not it.lacking]


def make_bare(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in NICETIES:
        monkeypatch.delattr(os, name, raising=False)
    monkeypatch.setattr(syscalls, "_function", lambda name: None)
    monkeypatch.setattr(sys, "platform", "plain")


@pytest.mark.parametrize("scenario", PLAIN, ids=lambda scenario: scenario.name)
def test_a_bare_platform(
    tmp_path: Path, scenario: Scenario, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "model.gguf"
    start(scenario, path)
    make_bare(monkeypatch)
    scenario.run(path)
    assert path.read_bytes() == scenario.new
    assert os.listdir(tmp_path) == [path.name]


def test_threads_share_a_descriptor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = random.Random(1).randbytes(16 << 20)
    (tmp_path / "source").write_bytes(data)
    make_bare(monkeypatch)
    seek = os.lseek

    def seek_slowly(fd: int, position: int, how: int) -> int:
        at = seek(fd, position, how)
        time.sleep(0.0005)  # the other thread may run
        return at

    monkeypatch.setattr(os, "lseek", seek_slowly)
    with open_source(tmp_path / "source") as source:
        plan = WritePlan((Swap(0, len(data), ((2, 1),)),))
        write_plan(plan, [source], tmp_path / "out")
    assert (tmp_path / "out").read_bytes() == swapped(data)


def swapped(data: bytes) -> bytes:
    """Words in the other byte order."""
    out = bytearray(data)
    out[::2], out[1::2] = data[1::2], data[::2]
    return bytes(out)


def test_no_insertion_without_block_sizes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "model.gguf").write_bytes(OLD)
    monkeypatch.delattr(os, "statvfs", raising=False)
    assert plan_insertion(tmp_path / "model.gguf", 7000, 1) is None


def test_an_input_is_let_go_where_it_must_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, other = tmp_path / "model.gguf", tmp_path / "other.gguf"
    path.write_bytes(OLD)
    other.write_bytes(OLD)
    with open_source(path) as source, open_source(other) as second:
        plan = WritePlan((Copy(0, 10), Copy(0, 10, 1)))
        monkeypatch.setattr(destination, "_REPLACES_OPEN_FILES", False)
        write_plan(plan, [source, second], path, overwrite=True)
        assert source.fd is None
        assert second.fd is not None
    assert path.read_bytes() == OLD[:10] * 2


@pytest.mark.parametrize("error", [NotImplementedError(), OSError(errno.ENOLCK, "no locks")])
def test_a_file_system_without_locks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def refuse(self: object) -> None:
        raise error

    path = tmp_path / "model.gguf"
    path.write_bytes(OLD)
    monkeypatch.setattr(filelock.FileLock, "acquire", refuse)
    write_plan(WritePlan((Literal(b"new"),)), [], path, overwrite=True)
    assert path.read_bytes() == b"new"


def test_a_lock_that_cannot_be_made_is_a_write_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    path = tmp_path / "model.gguf"
    path.write_bytes(OLD)
    monkeypatch.setattr(filelock.FileLock, "acquire", refuse)
    with pytest.raises(WriteError, match="Permission denied"):
        write_plan(WritePlan((Literal(b"new"),)), [], path, overwrite=True)
    assert path.read_bytes() == OLD


def test_a_folder_that_cannot_be_synced_is_no_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(fd: int) -> None:
        raise OSError(errno.EINVAL, "Invalid argument")

    monkeypatch.setattr(os, "fsync", refuse)
    syscalls.fsync_folder(str(tmp_path))
