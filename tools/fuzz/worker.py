"""The process that runs the inputs, under limits of memory and time.

It writes each input into a shared file before it tries it, so that the harness knows the last one
if this process dies.  `python -m tools.fuzz.worker` is started by the harness only.
"""

from __future__ import annotations

import argparse
import json
import mmap
import signal
import struct
import sys
import time
import traceback
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gguf_construct._generated import codec, codec_be, codec_le, trace
from tools.fuzz import crashes
from tools.fuzz.branches import Branches
from tools.fuzz.corpus import Corpus
from tools.fuzz.targets import Violation, check, walk

if TYPE_CHECKING:
    from types import FrameType

STATE_NBYTES = 1 << 20
HEADER = struct.Struct("<QQ")
"""Number of the input, size of the input; its bytes follow."""

SECONDS_PER_INPUT = 2.0
MORE_MEMORY = 192 << 20
_MOST_CRASHES = 20


class OverTime(BaseException):
    """An input took too long; no `except Exception` holds it up."""


def _alarm(_: int, frame: FrameType | None) -> None:
    raise OverTime


def limit_memory(more: int = MORE_MEMORY) -> None:
    """Allow this process only so many bytes more than it has.  Linux only."""
    import resource

    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    limit = pages * mmap.PAGESIZE + more
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


class Runner:
    """Tries inputs one by one and keeps the books."""

    def __init__(self, seed: int, folder: Path, state: mmap.mmap | None = None) -> None:
        self.corpus = Corpus(seed)
        self.branches = Branches([codec, codec_le, codec_be, trace])
        self.folder = folder
        self.state = state
        self.num_inputs = self.num_opened = 0
        self.slowest = 0.0
        self.failures: dict[str, str] = {}

    def run(self, seconds: float, most: int | None = None) -> None:
        """Try the corpus and then mutations of it until the time is over."""
        end = time.monotonic() + seconds
        signal.signal(signal.SIGPROF, _alarm)
        first = self.corpus.first()
        while time.monotonic() < end and len(self.failures) < _MOST_CRASHES:
            if most is not None and self.num_inputs >= most:
                break
            data = next(first, None)
            self.one(self.corpus.next() if data is None else data)

    def one(self, data: bytes) -> None:
        """Try one input; a failure is shrunk and saved, new branches make it a seed."""
        self.num_inputs += 1
        self._announce(data)
        began = time.process_time()
        failure = self._attempt(data)
        self.slowest = max(self.slowest, time.process_time() - began)
        if failure is not None:
            self._keep(data, *failure)
            return
        known = len(self.branches.reached)
        self.branches.run(walk, data)
        if len(self.branches.reached) > known:
            self.corpus.add(data)

    def _announce(self, data: bytes) -> None:
        if self.state is not None:
            size = min(len(data), STATE_NBYTES - HEADER.size)
            self.state[: HEADER.size] = HEADER.pack(self.num_inputs, size)
            self.state[HEADER.size : HEADER.size + size] = data[:size]

    def _attempt(self, data: bytes) -> tuple[str, str] | None:
        """What went wrong: a signature and the full story; None when all is well."""
        # Processor time: other programs may slow this machine down, a bad loop is still seen.
        signal.setitimer(signal.ITIMER_PROF, SECONDS_PER_INPUT)
        try:
            self.num_opened += check(data)
        except (Violation, MemoryError, RecursionError, OverTime) as error:
            signal.setitimer(signal.ITIMER_PROF, 0)
            cause: BaseException = error.__cause__ or error
            frames = traceback.extract_tb(cause.__traceback__)
            place = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
            signature = f"{type(error).__name__} {type(cause).__name__} {place}"
            return signature, "".join(traceback.format_exception(error))
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
        return None

    def _keep(self, data: bytes, signature: str, story: str) -> None:
        if signature in self.failures:
            return
        self.failures[signature] = story

        def fails(shorter: bytes) -> bool:
            again = self._attempt(shorter)
            return again is not None and again[0] == signature

        small = crashes.shrink(data, fails) if fails(data) else data
        crashes.save(small, story, self.folder)

    def report(self) -> dict[str, Any]:
        """The numbers so far."""
        return {
            "inputs": self.num_inputs,
            "opened": self.num_opened,
            "slowest": self.slowest,
            "reached": sorted(self.branches.reached),
            "branches": self.branches.total,
            "missed": self.branches.missed(),
            "failures": self.failures,
        }


def _main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--state", type=Path, required=True)
    parser.add_argument("--folder", type=Path, required=True)
    options = parser.parse_args()
    with options.state.open("r+b") as file:
        runner = Runner(options.seed, options.folder, mmap.mmap(file.fileno(), STATE_NBYTES))
    for data in list(runner.corpus.first())[::20]:
        with suppress(Violation):  # so that everything is imported before memory is limited
            check(data)
    limit_memory()
    runner.run(options.seconds)
    json.dump(runner.report(), sys.stdout)


if __name__ == "__main__":
    _main()
