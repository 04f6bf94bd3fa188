"""Private files: named after their target, locked, removed whatever happens."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

import pytest

from gguf_construct.storage.system.private_names import is_private
from gguf_construct.storage.write.temporary import TemporaryFile, remove_leftovers, temporary_file


def test_a_private_file_lives_as_long_as_its_block(tmp_path: Path) -> None:
    target = tmp_path / "m.gguf"
    mask = os.umask(0)
    try:
        with temporary_file(str(target), 0o640) as one, temporary_file(str(target), 0o600) as two:
            assert one.path != two.path
            for file, mode in ((one, 0o640), (two, 0o600)):
                assert is_private(file.path)
                assert os.path.dirname(file.path) == str(tmp_path)
                assert os.stat(file.path).st_mode & 0o777 == mode
                assert os.fstat(file.fd).st_ino == os.stat(file.path).st_ino
            fd = os.open(one.path, os.O_RDWR)
            try:
                with pytest.raises(BlockingIOError, match="unavailable"):
                    fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            finally:
                os.close(fd)
    finally:
        os.umask(mask)
    assert os.listdir(tmp_path) == []


def test_it_is_removed_when_something_fails(tmp_path: Path) -> None:
    with pytest.raises(KeyError, match="mine"), temporary_file(str(tmp_path / "m"), 0o600) as one:
        raise KeyError("mine")
    assert one.fd == -1
    assert os.listdir(tmp_path) == []


def test_once_renamed_it_stays(tmp_path: Path) -> None:
    with temporary_file(str(tmp_path / "m"), 0o600) as one:
        os.write(one.fd, b"abc")
        one.close()
        one.close()
        os.replace(one.path, tmp_path / "m")
    assert (tmp_path / "m").read_bytes() == b"abc"


def test_a_file_that_was_never_opened_needs_no_closing() -> None:
    TemporaryFile("x").close()


@pytest.mark.parametrize(("age", "is_removed"), [(6, True), (4, False)])
def test_leftovers_are_those_of_some_age(tmp_path: Path, age: int, is_removed: bool) -> None:
    import time

    with temporary_file(str(tmp_path / "m"), 0o600) as one:
        left = Path(one.path + "x")
    left.write_bytes(b"")
    other = tmp_path / "other"
    other.write_bytes(b"")
    then = time.time() - age
    for path in (left, other):
        os.utime(path, (then, then))
    remove_leftovers(str(tmp_path / "m"))
    assert left.exists() is not is_removed
    assert other.exists()
    remove_leftovers(str(tmp_path / "absent" / "m"))
