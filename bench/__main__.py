"""python -m bench: run the suites, print their tables, write docs/benchmarks.md and its plots."""

from __future__ import annotations

import argparse
import subprocess
import sys
from importlib import import_module
from typing import TYPE_CHECKING

from bench import report

if TYPE_CHECKING:
    from collections.abc import Sequence

SUITES = ["header", "convert", "edit_cost", "hostile", "decode"]


def _measure(name: str, quick: bool) -> int:
    """Run one suite in this process: what it imports weighs on nobody else's numbers."""
    section = import_module(f"bench.{name}").run(quick=quick)
    report.save(section)
    print(report.as_text(section), flush=True)
    return 0 if all(promise.kept for promise in section.promises) else 1


def main(arguments: Sequence[str] | None = None) -> int:
    """0 when every promise was kept, else 1."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("suites", nargs="*", metavar="SUITE", help=f"of {', '.join(SUITES)}")
    parser.add_argument("--quick", action="store_true", help="few rounds: numbers are rough")
    parser.add_argument("--here", action="store_true", help="one suite, in this process")
    options = parser.parse_args(arguments)
    unknown = set(options.suites) - set(SUITES)
    if unknown:
        parser.error(f"no suite {', '.join(sorted(unknown))}")
    if options.here:
        return _measure(options.suites[0], options.quick)
    again = [sys.executable, "-m", "bench", "--here", *(["--quick"] if options.quick else [])]
    codes = [
        subprocess.run([*again, name], check=False, cwd=report.REPOSITORY).returncode
        for name in options.suites or SUITES
    ]
    subprocess.run([sys.executable, "-m", "bench.plot"], check=True, cwd=report.REPOSITORY)
    print(f"written: {report.write_document(SUITES).relative_to(report.REPOSITORY)}")
    return max(codes)


if __name__ == "__main__":
    raise SystemExit(main())
