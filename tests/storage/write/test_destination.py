"""What a target is, and what a file keeps of the one whose place it takes."""

from __future__ import annotations

import errno
import os
import re
import shutil
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from gguf_construct.core.chunks import Literal, WritePlan
from gguf_construct.errors import DestinationExistsError, WriteError
from gguf_construct.storage.system import syscalls
from gguf_construct.storage.write import destination
from gguf_construct.storage.write.destination import (
    check_room,
    existing_target,
    free_bytes,
    keep_attributes,
    publish,
)
from gguf_construct.storage.write.new_file import write_plan
from tests.storage.scenarios import without

if TYPE_CHECKING:
    from pathlib import Path


def test_what_is_there(tmp_path: Path) -> None:
    path = tmp_path / "out"
    assert existing_target(str(path), overwrite=False) is None
    path.write_bytes(b"abc")
    status = existing_target(str(path), overwrite=True)
    assert status is not None
    assert status.st_size == 3
    with pytest.raises(DestinationExistsError, match=re.escape(f"{path} exists")) as caught:
        existing_target(str(path), overwrite=False)
    assert "--force" in str(caught.value.hint)


@pytest.mark.parametrize("kind", ["folder", "pipe", "device"])
@pytest.mark.parametrize("overwrite", [False, True])
def test_what_is_no_file_is_never_written(tmp_path: Path, kind: str, overwrite: bool) -> None:
    path = str(tmp_path / "out")
    if kind == "folder":
        os.mkdir(path)
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        path = os.devnull
    words = "a folder" if kind == "folder" else "not a regular file"
    for act in (
        lambda: existing_target(path, overwrite=overwrite),
        lambda: write_plan(WritePlan((Literal(b"x"),)), [], path, overwrite=overwrite),
    ):
        with pytest.raises(WriteError, match=f"is {words}") as caught:
            act()
        assert caught.value.hint == "Name a file to write to."
    assert os.path.lexists(path)


def test_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = str(tmp_path / "out")
    known = free_bytes(str(tmp_path))
    assert known is not None
    assert known > 0
    monkeypatch.setattr(
        os, "statvfs", lambda path: SimpleNamespace(f_bavail=5, f_frsize=10, f_blocks=9, f_bfree=99)
    )
    assert free_bytes("x") == 50
    check_room(target, 50)
    with pytest.raises(WriteError, match="needs 51 bytes, but 50 are free") as caught:
        check_room(target, 51)
    cause = caught.value.__cause__
    assert isinstance(cause, OSError)
    assert cause.errno == errno.ENOSPC
    monkeypatch.setattr(
        os, "statvfs", lambda path: SimpleNamespace(f_bavail=0, f_frsize=10, f_blocks=0)
    )
    assert free_bytes("x") is None
    check_room(target, 1 << 60)
    monkeypatch.delattr(os, "statvfs")
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=7))
    assert free_bytes("x") == 7

    def fail(path: str) -> None:
        raise OSError(5, "no")

    monkeypatch.setattr(shutil, "disk_usage", fail)
    assert free_bytes("x") is None


def test_mode_owner_and_attributes_are_kept(tmp_path: Path) -> None:
    new, old = tmp_path / "new", tmp_path / "old"
    for path in (new, old):
        path.write_bytes(b"")
    old.chmod(0o640)
    new.chmod(0o600)
    attributes = {}
    try:
        os.setxattr(old, "user.note", b"x")
        os.setxattr(old, "user.same", b"y")
        os.setxattr(new, "user.same", b"y")
        attributes = {"user.note": b"x", "user.same": b"y"}
    except OSError:
        pass
    if os.geteuid() == 0:
        os.chown(old, 12, 34)
    assert keep_attributes(str(new), str(old)) == []
    status = new.stat()
    assert status.st_mode & 0o7777 == 0o640
    assert (status.st_uid, status.st_gid) == (old.stat().st_uid, old.stat().st_gid)
    for name, value in attributes.items():
        assert os.getxattr(new, name) == value


def test_only_what_differs_is_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    new, old = tmp_path / "new", tmp_path / "old"
    for path in (new, old):
        path.write_bytes(b"")
    monkeypatch.setattr(
        os,
        "listxattr",
        lambda path: ["user.a", "user.b", "user.c"][: 3 if "old" in str(path) else 2],
    )
    monkeypatch.setattr(
        os, "getxattr", lambda path, name: b"1" if name != "user.b" else os.fsencode(str(path))
    )
    calls: list[tuple[object, ...]] = []
    for name in ("set_owner", "set_xattr", "set_mode"):
        monkeypatch.setattr(
            syscalls, name, lambda *given, name=name: calls.append((name, *given[1:]))
        )
    assert keep_attributes(str(new), str(old)) == []
    assert calls == [
        ("set_xattr", "user.b", os.fsencode(str(old))),
        ("set_xattr", "user.c", b"1"),
        ("set_mode", old.stat().st_mode & 0o7777),
    ]


def test_what_cannot_be_kept_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    new, old = tmp_path / "new", tmp_path / "old"
    for path in (new, old):
        path.write_bytes(b"")

    def refuse(*_: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    real = os.stat

    def other_owner(path: str, **how: object) -> object:
        status = real(path, **how)  # type: ignore[arg-type]
        if path == str(old):
            return SimpleNamespace(st_uid=1234, st_gid=status.st_gid, st_mode=status.st_mode)
        return status

    monkeypatch.setattr(os, "stat", other_owner)
    monkeypatch.setattr(os, "listxattr", lambda path: ["user.a"] if path == str(old) else [])
    monkeypatch.setattr(os, "getxattr", lambda path, name: b"1")
    monkeypatch.setattr(syscalls, "set_owner", refuse)
    monkeypatch.setattr(syscalls, "set_xattr", refuse)
    group = real(old).st_gid
    assert keep_attributes(str(new), str(old)) == [
        f"the owner (1234:{group}) could not be kept",
        "the attribute user.a could not be kept (Operation not permitted)",
    ]

    def no_such_thing(path: str) -> list[str]:
        raise OSError(errno.EOPNOTSUPP, "none")

    monkeypatch.setattr(os, "listxattr", no_such_thing)
    assert len(keep_attributes(str(new), str(old))) == 1
    monkeypatch.delattr(os, "listxattr")
    assert len(keep_attributes(str(new), str(old))) == 1


@pytest.mark.parametrize("lacking", [(), ("rename_new",), ("rename_new", "link")])
def test_a_name_is_taken_once(tmp_path: Path, lacking: tuple[str, ...]) -> None:
    new, target = tmp_path / "new", tmp_path / "out"
    new.write_bytes(b"new")
    with without(lacking):
        publish(str(new), str(target), overwrite=False)
    assert target.read_bytes() == b"new"
    new.unlink(missing_ok=True)
    new.write_bytes(b"newer")
    with without(lacking), pytest.raises(DestinationExistsError, match="exists"):
        publish(str(new), str(target), overwrite=False)
    assert target.read_bytes() == b"new"
    publish(str(new), str(target), overwrite=True)
    assert target.read_bytes() == b"newer"
    assert not new.exists()


def test_a_claim_is_given_up_when_the_rename_fails(tmp_path: Path) -> None:
    target = tmp_path / "out"
    with without(("rename_new", "link")), pytest.raises(FileNotFoundError, match="absent"):
        publish(str(tmp_path / "absent"), str(target), overwrite=False)
    assert not target.exists()


def test_nothing_is_let_go_where_open_files_can_be_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from gguf_construct.storage.source.source import open_source

    one, other = tmp_path / "one", tmp_path / "other"
    for path in (one, other):
        path.write_bytes(b"abc")
    with open_source(one) as first, open_source(other) as second, open_source(b"x") as third:
        destination.let_go([first, second, third], str(one))
        monkeypatch.setattr(destination, "_REPLACES_OPEN_FILES", False)
        destination.let_go([first, second, third], str(tmp_path / "absent"))
        assert [source.fd is None for source in (first, second)] == [False, False]
        destination.let_go([first, second, third], str(one))
        assert [source.fd is None for source in (first, second)] == [True, False]
