"""python -m tools.mutants: plant faults one at a time, and see whether the tests notice."""

from __future__ import annotations

import argparse
import math
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from tools.mutants.faults import faults_in
from tools.mutants.report import DOCUMENT, load_equivalents, rate, reason_why_equivalent, render
from tools.mutants.trial import REPOSITORY, copy_tree, try_fault

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tools.mutants.faults import Fault
    from tools.mutants.trial import Trial

_ROOMS = ["gguf_construct"]


def main(arguments: Sequence[str] | None = None) -> int:
    """0 when the tests noticed at least the share of faults that was asked for, else 1."""
    parser = argparse.ArgumentParser(prog="python -m tools.mutants", description=__doc__)
    parser.add_argument("rooms", nargs="*", default=_ROOMS, help="files and folders of the package")
    parser.add_argument("--seed", type=int, default=1, help="the same seed, the same faults")
    parser.add_argument("--count", type=int, default=100, help="how many faults")
    parser.add_argument("--minutes", type=float, help="begin no further fault after so long")
    parser.add_argument("--jobs", type=int, default=1, help="processes of one run of the tests")
    parser.add_argument("--stages", type=int, help="how wide to look, from 1; all by default")
    parser.add_argument("--least", type=float, default=0, help="the least rate, in percent")
    parser.add_argument("--document", action="store_true", help=f"write docs/{DOCUMENT.name}")
    parser.add_argument("--list", action="store_true", help="only say which faults it would be")
    options = parser.parse_args(arguments)
    chosen = choose(options.rooms, options.seed, options.count)
    if options.list:
        for file, fault in chosen:
            print(f"{file} {fault}")
        return 0
    trials = _run(chosen, options.jobs, options.stages, options.minutes)
    known = load_equivalents()
    if options.document:
        text = render(trials, options.seed, known)
        DOCUMENT.write_text(text, encoding="utf-8", newline="\n")
    missed = [
        trial
        for trial in trials
        if not trial.killed_by and not reason_why_equivalent(trial.file, trial.fault, known)
    ]
    same = sum(not trial.killed_by for trial in trials) - len(missed)
    counted = len(trials) - same
    print(
        f"{counted - len(missed)} of {counted} noticed ({rate(counted - len(missed), counted)}), "
        f"{same} without effect"
    )
    return 1 if counted and 100 * (counted - len(missed)) < options.least * counted else 0


def choose(rooms: Sequence[str], seed: int, count: int) -> list[tuple[str, Fault]]:
    """A sample of the faults that some files and folders have room for, in the order of the draw.

    A run that ends early has then tried a sample, too, not the first files.
    """
    files = sorted({file for room in rooms for file in _files(REPOSITORY / room)})
    known = [
        (str(path.relative_to(REPOSITORY)), fault)
        for path in files
        for fault in faults_in(path.read_text(encoding="utf-8"))
    ]
    at = random.Random(seed).sample(range(len(known)), min(count, len(known)))
    return [known[index] for index in at]


def _files(room: Path) -> list[Path]:
    if room.is_file():
        return [room]
    files = [path for path in room.rglob("*.py") if "_generated" not in path.parts]
    if not files:
        raise SystemExit(f"no Python files in {room}")
    return files


def _run(
    chosen: Sequence[tuple[str, Fault]], jobs: int, most_stages: int | None, minutes: float | None
) -> list[Trial]:
    trials: list[Trial] = []
    until = time.monotonic() + 60 * minutes if minutes else math.inf
    with tempfile.TemporaryDirectory(prefix="gguf-construct-mutants-") as folder:
        tree = copy_tree(Path(folder) / "tree")
        for number, (file, fault) in enumerate(chosen, 1):
            if time.monotonic() > until:
                break
            trial = try_fault(tree, file, fault, jobs, most_stages)
            trials.append(trial)
            result = f"killed by {trial.killed_by}" if trial.killed_by else "SURVIVED"
            print(
                f"[{number}/{len(chosen)}] {file} {fault}: {result} ({trial.seconds:.0f} s)",
                flush=True,
            )
    return trials


if __name__ == "__main__":
    sys.exit(main())
