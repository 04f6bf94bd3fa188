"""The harness runs, takes turns, and takes the median; it does not judge speed."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from bench.measure import BenchError, Sample, in_turns, run_process, run_python, summarise

if TYPE_CHECKING:
    from pathlib import Path

MIB = 1 << 20


def test_a_process_is_timed_and_weighed(tmp_path: Path) -> None:
    hungry = [sys.executable, "-c", f"x = bytearray({256 * MIB}); x[::4096] = x[::4096]"]
    sample = run_process(hungry, tmp_path / "log")
    assert sample.seconds > 0
    assert sample.peak_nbytes > 256 * MIB


def test_a_failing_command_is_an_error_with_its_words(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match="out of luck"):
        run_process([sys.executable, "-c", "raise SystemExit('out of luck')"], tmp_path / "log")


def test_only_the_work_counts_in_a_fresh_interpreter() -> None:
    sample = run_python(f"before = b'x' * {128 * MIB}; del before", f"x = b'x' * {64 * MIB}")
    assert 63 * MIB < sample.peak_nbytes < 80 * MIB


def test_work_that_fails_is_an_error() -> None:
    with pytest.raises(BenchError, match="ZeroDivisionError"):
        run_python("pass", "1 / 0")


def test_contestants_take_turns() -> None:
    log: list[str] = []

    def contestant(name: str, times: list[float]) -> Sample:
        log.append(name)
        return Sample(times.pop(0), len(log))

    times_a, times_b = [9.0, 1.0, 3.0, 2.0], [9.0, 5.0, 5.0, 5.0]
    summaries = in_turns(
        {"a": lambda: contestant("a", times_a), "b": lambda: contestant("b", times_b)}, rounds=3
    )
    assert "".join(log) == "ab" * 4
    assert summaries["a"].seconds == 2.0
    assert summaries["b"].runs == 3


def test_the_median_ignores_one_outlier() -> None:
    assert summarise([Sample(1.0, 1), Sample(99.0, 9), Sample(2.0, 2)]).seconds == 2.0
