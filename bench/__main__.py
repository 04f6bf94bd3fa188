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

SUITES = ["header"]


def main(arguments: Sequence[str] | None = None) -> int:
    """0 when every promise was kept, else 1."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("suites", nargs="*", metavar="SUITE", help=f"of {', '.join(SUITES)}")
    parser.add_argument("--quick", action="store_true", help="few rounds: numbers are rough")
    options = parser.parse_args(arguments)
    kept = True
    for name in options.suites or SUITES:
        if name not in SUITES:
            parser.error(f"no suite {name!r}")
        section = import_module(f"bench.{name}").run(quick=options.quick)
        report.save(section)
        print(report.as_text(section), flush=True)
        kept = kept and all(promise.kept for promise in section.promises)
    subprocess.run([sys.executable, "-m", "bench.plot"], check=True, cwd=report.REPOSITORY)
    print(f"written: {report.write_document(SUITES).relative_to(report.REPOSITORY)}")
    return 0 if kept else 1


if __name__ == "__main__":
    raise SystemExit(main())
