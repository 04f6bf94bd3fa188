"""The programs that are compared, as commands."""

from __future__ import annotations

import os
import shutil
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from bench.measure import BenchError, Sample, run_process
from bench.report import RESULTS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_BESIDE_PYTHON = Path(sys.executable).parent


def program(name: str) -> str:
    """A program of this environment, or of the system. Raises BenchError when there is none."""
    beside = _BESIDE_PYTHON / name
    path = str(beside) if beside.is_file() else shutil.which(name)
    if path is None:
        raise BenchError(f"{name} is not installed")
    return path


def process(*command: str | os.PathLike[str]) -> Callable[[], Sample]:
    """A contestant that runs a command; the first word is looked up in this environment."""
    words = [program(os.fspath(command[0])), *(os.fspath(word) for word in command[1:])]
    RESULTS.mkdir(parents=True, exist_ok=True)
    return partial(run_process, words, RESULTS / "last-output.log")


def to_new_file(output: Path, *command: str | os.PathLike[str]) -> Callable[[], Sample]:
    """A contestant that writes `output`, which is removed before each run."""
    run = process(*command)

    def fresh() -> Sample:
        output.unlink(missing_ok=True)
        output.parent.mkdir(parents=True, exist_ok=True)
        return run()

    return fresh


def ours(*arguments: str | os.PathLike[str]) -> Sequence[str | os.PathLike[str]]:
    """Our command line with these arguments."""
    return ["gguf-construct", *arguments]


def python_nothing() -> Callable[[], Sample]:
    """The least that any Python program takes."""
    return process(Path(sys.executable).name, "-c", "pass")
