"""The lock that keeps two writers apart."""

from __future__ import annotations

import errno
import os
import signal
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

import filelock
import pytest

from gguf_construct.errors import LockedError
from gguf_construct.storage.system import locking
from gguf_construct.storage.system.locking import is_locked, writer_lock
from gguf_construct.storage.system.private_names import lock_path

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def target(tmp_path: Path) -> str:
    return str(tmp_path / "model.gguf")


def test_the_lock_is_there_while_it_is_held(target: str) -> None:
    assert not is_locked(target)
    with writer_lock(target):
        assert is_locked(target)
        assert os.path.exists(lock_path(target))
    assert not is_locked(target)
    assert os.listdir(os.path.dirname(target)) == []


def test_an_error_inside_gives_it_back(target: str) -> None:
    with pytest.raises(KeyError, match="mine"), writer_lock(target):
        raise KeyError("mine")
    assert not os.path.lexists(lock_path(target))
    with writer_lock(target):
        pass


def test_nobody_else_gets_it_meanwhile(target: str) -> None:
    told: list[LockedError] = []

    def other() -> None:
        try:
            with writer_lock(target):
                pass
        except LockedError as error:
            told.append(error)

    with writer_lock(target):
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
        assert is_locked(target)
    assert len(told) == 1
    assert str(told[0]).startswith(f"{target} is being written by another process")
    assert told[0].hint == "Wait until it is done, then run the command again."


def test_a_lock_that_was_removed_under_us_guards_nothing(
    target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = filelock.FileLock.acquire
    times = [0]

    def acquire(self: filelock.FileLock, *arguments: object, **how: object) -> object:
        result = real(self, *arguments, **how)  # type: ignore[arg-type]
        times[0] += 1
        if times[0] < 3:
            os.unlink(lock_path(target))
        return result

    monkeypatch.setattr(filelock.FileLock, "acquire", acquire)
    with writer_lock(target):
        assert os.path.exists(lock_path(target))
    assert times[0] == 3
    monkeypatch.setattr(locking, "_ATTEMPTS", 2)
    times[0] = 0
    with pytest.raises(LockedError, match="is being written"), writer_lock(target):
        pass
    assert times[0] == 2


def test_interrupts_wait_until_the_lock_is_noted(
    target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[set[int]] = []
    real = filelock.FileLock.acquire

    def acquire(self: filelock.FileLock, *arguments: object, **how: object) -> object:
        seen.append(set(signal.pthread_sigmask(signal.SIG_BLOCK, [])))
        return real(self, *arguments, **how)  # type: ignore[arg-type]

    monkeypatch.setattr(filelock.FileLock, "acquire", acquire)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [])
    with writer_lock(target):
        assert signal.pthread_sigmask(signal.SIG_BLOCK, []) == before
    assert {signal.SIGINT, signal.SIGTERM, signal.SIGHUP} <= seen[0]
    assert signal.pthread_sigmask(signal.SIG_BLOCK, []) == before


@pytest.mark.parametrize(
    "error",
    [
        filelock.Timeout("x"),
        OSError(errno.EACCES, "no"),
        OSError(errno.ENOLCK, "none"),
        KeyboardInterrupt(),
        NotImplementedError(),
    ],
)
def test_interrupts_are_let_in_again_whatever_comes(
    target: str, error: BaseException, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(filelock.FileLock, "acquire", fail)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [])
    entered = False
    with suppress(LockedError, type(error)), writer_lock(target):
        entered = True
        assert signal.pthread_sigmask(signal.SIG_BLOCK, []) == before
    assert signal.pthread_sigmask(signal.SIG_BLOCK, []) == before
    is_without_locks = isinstance(error, NotImplementedError) or (
        isinstance(error, OSError) and error.errno == errno.ENOLCK
    )
    assert entered is is_without_locks


def test_a_lock_file_that_nobody_holds_is_no_lock(target: str) -> None:
    with open(lock_path(target), "w", encoding="utf-8"):
        pass
    assert not is_locked(target)
    with writer_lock(target):
        assert is_locked(target)
