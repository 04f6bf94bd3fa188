"""Times and memory of whole processes, measured in turns.

Strategy: a machine's speed drifts, so what is compared runs in turns (A B A B ...) and medians are
compared. Time is wall time from start to exit; memory is the peak resident size that the kernel
reports for the child. That peak is never below the size of the process which started the child, so
a bare interpreter of some 10 MB starts and times it.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

MIB = 1 << 20


class Sample(NamedTuple):
    """One run: wall time in seconds and peak memory in bytes."""

    seconds: float
    peak_nbytes: int


class Summary(NamedTuple):
    """Medians over the runs of one contestant."""

    seconds: float
    peak_nbytes: int
    runs: int


class BenchError(Exception):
    """A measured command failed; the message holds its last words."""


# Starts a command, its output into a file, and prints exit code, seconds, peak size.
_LAUNCHER = """\
import os, sys, time
log, *command = sys.argv[1:]
output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
nothing = os.open(os.devnull, os.O_RDONLY)
actions = [(os.POSIX_SPAWN_DUP2, source, target)
           for source, target in ((nothing, 0), (output, 1), (output, 2))]
start = time.perf_counter()
child = os.posix_spawn(command[0], command, os.environ, file_actions=actions)
_, status, usage = os.wait4(child, 0)
seconds = time.perf_counter() - start
print(os.waitstatus_to_exitcode(status), seconds, usage.ru_maxrss)
"""


def run_process(command: Sequence[str], log: Path) -> Sample:
    """Run a command to its end; its output goes to `log`. Raises BenchError when it fails.

    The first word is the full path of the program.
    """
    launcher = [sys.executable, "-I", "-S", "-c", _LAUNCHER, str(log), *command]
    done = subprocess.run(launcher, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise BenchError(done.stderr[-1500:])
    code, seconds, peak = done.stdout.split()
    if code != "0":
        tail = log.read_text(encoding="utf-8", errors="replace")[-1500:]
        raise BenchError(f"{' '.join(command)} ended with {code}:\n{tail}")
    unit = 1 if sys.platform == "darwin" else 1024
    return Sample(float(seconds), int(peak) * unit)


# A fresh interpreter: imports first, then the clock, and how far the peak rises above the start.
# The peak is the kernel's for this address space: getrusage's would include the parent's.
_CHILD = """\
import json, time
{setup}
def status(name):
    for line in open("/proc/self/status"):
        if line.startswith(name):
            return int(line.split()[1]) * 1024
open("/proc/self/clear_refs", "w").write("5")  # the peak starts anew
before = status("VmRSS:")
start = time.perf_counter()
{work}
seconds = time.perf_counter() - start
print(json.dumps([seconds, status("VmHWM:") - before]))
"""


def run_python(setup: str, work: str) -> Sample:
    """Time `work` in a fresh interpreter after `setup`; memory is what it added to the peak.

    Linux only. Raises BenchError when the code fails.
    """
    code = _CHILD.format(setup=setup, work=work)
    # From elsewhere, so that what is installed is imported, not what lies in this folder.
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tempfile.gettempdir(),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise BenchError(done.stderr[-1500:])
    seconds, added = json.loads(done.stdout.splitlines()[-1])
    return Sample(seconds, added)


def in_turns(
    contestants: Mapping[str, Callable[[], Sample]], rounds: int, warm_up: int = 1
) -> dict[str, Summary]:
    """Run the contestants one after the other, `rounds` times over, and summarise each."""
    samples: dict[str, list[Sample]] = {name: [] for name in contestants}
    for turn in range(warm_up + rounds):
        for name, run in contestants.items():
            sample = run()
            if turn >= warm_up:
                samples[name].append(sample)
    return {name: summarise(runs) for name, runs in samples.items()}


def summarise(samples: Sequence[Sample]) -> Summary:
    """The medians."""
    return Summary(
        median(sample.seconds for sample in samples),
        int(median(sample.peak_nbytes for sample in samples)),
        len(samples),
    )


def warm(path: Path) -> None:
    """Read a file once, so that every contestant finds it in the page cache."""
    with path.open("rb", buffering=0) as file:
        while file.read(8 * MIB):
            pass
