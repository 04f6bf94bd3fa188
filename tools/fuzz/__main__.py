"""python -m tools.fuzz: mutate files, try everything on them, report what was reached."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tools.fuzz import crashes
from tools.fuzz.harness import fuzz

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """0 when the invariant held for every input, else 1."""
    parser = argparse.ArgumentParser(prog="python -m tools.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1, help="the same seed, the same inputs")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument(
        "--crashes", type=Path, default=crashes.FOLDER, help="where failing inputs are kept"
    )
    options = parser.parse_args(arguments)
    result = fuzz(options.seconds, options.seed, options.jobs, options.crashes)
    print(result)
    if result.failures:
        print(f"kept in {options.crashes}", file=sys.stderr)
    return 1 if result.failures else 0


if __name__ == "__main__":
    raise SystemExit(main())
