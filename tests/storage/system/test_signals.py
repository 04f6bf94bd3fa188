"""A polite kill becomes an exception, only where that is ours to decide."""

from __future__ import annotations

import os
import signal
import threading

import pytest

from gguf_construct.storage.system.signals import terminate_cleanly

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")


def kill_twice(number: int, cleaned: list[bool]) -> None:
    with terminate_cleanly():
        try:
            os.kill(os.getpid(), number)
        finally:
            os.kill(os.getpid(), number)  # an impatient second one
            cleaned.append(True)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_raises_once_and_the_handler_comes_back(number: signal.Signals) -> None:
    before = signal.signal(number, signal.SIG_DFL)
    cleaned: list[bool] = []
    try:
        with pytest.raises(SystemExit) as caught:
            kill_twice(number, cleaned)
        assert caught.value.code == 128 + number
        assert cleaned
        assert signal.getsignal(number) is signal.SIG_DFL
    finally:
        signal.signal(number, before)


def test_a_handler_of_the_application_stays() -> None:
    seen: list[int] = []
    before = signal.signal(signal.SIGTERM, lambda number, frame: seen.append(number))
    try:
        with terminate_cleanly():
            os.kill(os.getpid(), signal.SIGTERM)
        assert seen == [signal.SIGTERM]
    finally:
        signal.signal(signal.SIGTERM, before)


def test_other_threads_leave_signals_alone() -> None:
    inside: list[object] = []

    def work() -> None:
        with terminate_cleanly():
            inside.append(signal.getsignal(signal.SIGTERM))

    before = signal.getsignal(signal.SIGTERM)
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert inside == [before]
