"""Start workers, watch over them, add up what they report."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tools.fuzz import crashes
from tools.fuzz.worker import HEADER, STATE_NBYTES

_SILENCE = 60.0
_TICK = 0.2
# The report of a worker that died.
_NOTHING = {"opened": 0, "slowest": 0.0, "reached": [], "branches": 0, "missed": []}
_REPOSITORY = Path(__file__).resolve().parents[2]


@dataclass
class Result:
    """What all workers found together."""

    inputs: int = 0
    opened: int = 0
    slowest: float = 0.0
    branches: int = 0
    reached: set[tuple[str, int, bool]] = field(default_factory=set)
    missed: set[str] = field(default_factory=set)
    failures: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0

    def add(self, report: dict[str, Any]) -> None:
        """Take in the report of one worker."""
        self.inputs += report["inputs"]
        self.opened += report["opened"]
        self.slowest = max(self.slowest, report["slowest"])
        missed = set(report["missed"])
        if report["branches"]:
            self.missed = self.missed & missed if self.branches else missed
            self.branches = report["branches"]
        self.reached |= {(file, line, way) for file, line, way in report["reached"]}
        self.failures |= report["failures"]

    def __str__(self) -> str:
        lines = [
            f"{self.inputs} inputs in {self.seconds:.0f} s "
            f"({self.inputs / max(self.seconds, 1e-9):.0f} a second), "
            f"{self.opened} of them opened; the slowest took {self.slowest:.2f} s",
            f"{len(self.reached)} of {self.branches} branches of the codec and the trace reached",
            f"{len(self.failures)} violations",
        ]
        if self.missed:
            lines.insert(2, f"not reached: {', '.join(sorted(self.missed)[:12])}")
        lines += [f"- {name}\n{story}" for name, story in self.failures.items()]
        return "\n".join(lines)


class _Worker:
    def __init__(self, seed: int, seconds: float, scratch: Path, folder: Path) -> None:
        self.seed = seed
        self.folder = folder
        self.state = scratch / f"state-{seed}"
        self.state.write_bytes(bytes(STATE_NBYTES))
        self.output = scratch / f"report-{seed}"
        self.errors = scratch / f"errors-{seed}"
        command = [sys.executable, "-m", "tools.fuzz.worker", "--seed", str(seed)]
        command += ["--seconds", str(seconds), "--state", str(self.state), "--folder", str(folder)]
        with self.output.open("wb") as output, self.errors.open("wb") as errors:
            self.process = subprocess.Popen(
                command, stdout=output, stderr=errors, cwd=_REPOSITORY, stdin=subprocess.DEVNULL
            )
        self.number = -1
        self.heard = time.monotonic()

    def is_over(self) -> bool:
        """Whether it has ended; one that no longer moves is ended."""
        number = HEADER.unpack_from(self.state.read_bytes()[: HEADER.size])[0]
        if number != self.number:
            self.number, self.heard = number, time.monotonic()
        elif time.monotonic() - self.heard > _SILENCE:
            self.process.kill()
            self.process.wait()
        return self.process.poll() is not None

    def report(self) -> dict[str, Any]:
        """Its report, or one that says that it died."""
        code = self.process.wait()
        if code == 0:
            found: dict[str, Any] = json.loads(self.output.read_text(encoding="utf-8"))
            return found
        state = self.state.read_bytes()
        number, size = HEADER.unpack_from(state)
        data = state[HEADER.size : HEADER.size + size]
        story = self.errors.read_text(encoding="utf-8", errors="replace")[-2000:]
        why = f"the process died with {code} at input {number}\n{story}"
        path = crashes.save(data, why, self.folder)
        failures = {f"died {path.stem}": why}
        return dict(_NOTHING, inputs=number, failures=failures)


def fuzz(seconds: float, seed: int, jobs: int = 1, folder: Path = crashes.FOLDER) -> Result:
    """Fuzz for so many seconds in so many processes; crashes are saved in `folder`."""
    began = time.monotonic()
    result = Result()
    with tempfile.TemporaryDirectory(prefix="gguf-fuzz-") as scratch:
        workers = [_Worker(seed + n, seconds, Path(scratch), folder) for n in range(jobs)]
        following = seed + jobs
        try:
            while workers:
                time.sleep(_TICK)
                for worker in [worker for worker in workers if worker.is_over()]:
                    workers.remove(worker)
                    result.add(worker.report())
                    left = seconds - (time.monotonic() - began)
                    if left > 2 and len(result.failures) < 20:
                        workers.append(_Worker(following, left, Path(scratch), folder))
                        following += 1
        finally:
            for worker in workers:
                worker.process.kill()
                worker.process.wait()
    result.seconds = time.monotonic() - began
    return result
