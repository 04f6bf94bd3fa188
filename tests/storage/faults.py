"""Make the n-th system call of a writer fail, fall short, or be its last.

The calls are those of `gguf_construct.storage.system.syscalls`: every function there is replaced
by name, so the crash points are the executors' own and none can be forgotten.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

from gguf_construct.storage.system import syscalls

Action = Callable[[str, Callable[..., Any], tuple[Any, ...]], Any]

_BYTES_ARGUMENT = {"pwrite": 1, "pwrite_direct": 1, "preadv": 1}
_COUNT_ARGUMENT = {"pread": 1, "copy_file_range": 2}


class Counter:
    """How many calls were made, and the name of the one that was acted on."""

    def __init__(self) -> None:
        self.calls = 0
        self.hit = ""


@contextmanager
def at_call(number: int, action: Action) -> Iterator[Counter]:
    """Run `action` instead of call `number` (from 1); all others go through."""
    counter = Counter()
    originals = {name: getattr(syscalls, name) for name in syscalls.__all__}

    def wrap(name: str, original: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            counter.calls += 1
            if counter.calls != number:
                return original(*arguments)
            counter.hit = name
            return action(name, original, arguments)

        return call

    fsync = os.fsync
    try:
        # What a kill leaves is in the page cache, on the disk or not: no need to wait for it.
        os.fsync = lambda fd: None
        for name, original in originals.items():
            setattr(syscalls, name, wrap(name, original))
        yield counter
    finally:
        os.fsync = fsync
        for name, original in originals.items():
            setattr(syscalls, name, original)


def fail(code: int) -> Action:
    """An action: the call fails with this errno and does nothing; a failed close closes, too."""

    def action(name: str, original: Callable[..., Any], arguments: tuple[Any, ...]) -> NoReturn:
        _close(name, original, arguments)
        raise OSError(code, os.strerror(code))

    return action


def interrupt(name: str, original: Callable[..., Any], arguments: tuple[Any, ...]) -> NoReturn:
    """An action: Ctrl-C before the call (behind a close: the descriptor is not the subject)."""
    _close(name, original, arguments)
    raise KeyboardInterrupt


def _close(name: str, original: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    if name == "close":
        original(*arguments)


def halve(name: str, original: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """An action: the call does half of what was asked for, where that is possible."""
    changed = list(arguments)
    if name in _BYTES_ARGUMENT:
        data = memoryview(changed[1])
        changed[1] = data[: (len(data) + 1) // 2]
    elif name in _COUNT_ARGUMENT:
        place = _COUNT_ARGUMENT[name]
        changed[place] = (changed[place] + 1) // 2
    return original(*changed)


def terminate(name: str, original: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """An action: SIGTERM arrives before the call (behind a close)."""
    if name == "close":
        original(*arguments)
        os.kill(os.getpid(), signal.SIGTERM)
        return None
    os.kill(os.getpid(), signal.SIGTERM)
    return original(*arguments)


def kill_before(name: str, original: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """An action: SIGKILL instead of the call."""
    os.kill(os.getpid(), signal.SIGKILL)


def kill_halfway(name: str, original: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """An action: SIGKILL when half of the call's bytes are through."""
    try:
        halve(name, original, arguments)
    finally:
        os.kill(os.getpid(), signal.SIGKILL)


def kill_after(name: str, original: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """An action: SIGKILL as soon as the call returns."""
    try:
        original(*arguments)
    finally:
        os.kill(os.getpid(), signal.SIGKILL)
