"""Make a polite kill clean up: SIGTERM and SIGHUP become an exception while a file is written."""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

_SHELL_BASE = 128  # shells report "ended by signal N" as 128 + N


def _raise_exit(number: int, frame: Any) -> None:
    signal.signal(number, signal.SIG_IGN)  # a second one must not break the cleaning up
    raise SystemExit(_SHELL_BASE + number)


@contextmanager
def terminate_cleanly() -> Iterator[None]:
    """While inside, SIGTERM and SIGHUP raise SystemExit in the main thread.

    Does nothing outside the main thread (Python runs handlers only there) and leaves alone the
    signals that the application handles or ignores itself.  SIGINT is Python's own.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    names = ("SIGTERM", "SIGHUP", "SIGBREAK")
    numbers = [getattr(signal, name) for name in names if hasattr(signal, name)]
    ours = [number for number in numbers if signal.getsignal(number) is signal.SIG_DFL]
    try:
        for number in ours:
            signal.signal(number, _raise_exit)
        yield
    finally:
        for number in ours:
            signal.signal(number, signal.SIG_DFL)
