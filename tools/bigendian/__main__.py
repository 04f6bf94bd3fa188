"""python -m tools.bigendian: run the tests on an emulated big-endian Python."""

from __future__ import annotations

import argparse
import subprocess
import sys
from typing import TYPE_CHECKING

from tools.bigendian.rig import REPOSITORY, RigError, prepare

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

# What cannot differ there, or needs programs that are not emulated: wheels, node, benchmarks.
LEFT_OUT = ("tests/packaging", "tests/tools/test_ksc.py", "tests/bench")

# What touches bytes, and runs in a few minutes under emulation.
SHORT = (
    "tests/core",
    "tests/quants",
    "tests/roundtrip",
    "tests/storage",
    "tests/planning/test_layout.py",
    "tests/cli/test_convert.py",
)

PYTEST_OPTIONS = ("-q", "-p", "no:cacheprovider", "-n", "auto", "--dist", "worksteal")


def selection(short: bool) -> list[str]:
    """The arguments that choose the tests: everything that applies, or the short list."""
    if short:
        chosen = [name for name in SHORT if (REPOSITORY / name).exists()]
        return [*chosen, "-m", "not slow"]
    return ["tests", *(f"--ignore={name}" for name in LEFT_OUT)]


def _report(python: Path) -> None:
    """Say what the tests run on."""
    code = (
        "import platform, sys, numpy;"
        "print(f'Python {platform.python_version()}, numpy {numpy.__version__},"
        " {sys.byteorder}-endian {platform.machine()}')"
    )
    subprocess.run([str(python), "-c", code], check=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """pytest's exit code; 2 when the emulated Python cannot be made."""
    parser = argparse.ArgumentParser(prog="python -m tools.bigendian", description=__doc__)
    parser.add_argument("--prepare", action="store_true", help="only make the emulated Python")
    parser.add_argument("--short", action="store_true", help="the selection for CI")
    parser.add_argument("pytest", nargs="*", help="arguments for pytest instead, after --")
    options = parser.parse_args(arguments)
    try:
        python = prepare()
    except RigError as error:
        print(f"tools.bigendian: {error}", file=sys.stderr)
        return 2
    _report(python)
    if options.prepare:
        return 0
    chosen = options.pytest or selection(options.short)
    command = [str(python), "-m", "pytest", *PYTEST_OPTIONS, *chosen]
    return subprocess.run(command, cwd=REPOSITORY, check=False).returncode


if __name__ == "__main__":
    raise SystemExit(main())
