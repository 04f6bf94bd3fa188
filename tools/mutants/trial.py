"""Try the tests on one fault: the module's own test file first, then wider and wider.

Strategy: faults are planted in a copy of the tree, so that nobody's work is touched.  A failure,
an error or a run that does not end kills the fault.  What lives through the last stage survived.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tools.mutants.faults import plant

if TYPE_CHECKING:
    from tools.mutants.faults import Fault

REPOSITORY = Path(__file__).resolve().parents[2]
_NOT_COPIED = shutil.ignore_patterns(
    ".git", ".venv", "build", "dist", "__pycache__", ".*_cache", ".hypothesis", "*.egg-info"
)
_WIDER = {
    "storage": ("tests/storage", "tests/cli", "tests/roundtrip"),
    "planning": ("tests/planning", "tests/storage", "tests/roundtrip", "tests/cli"),
    "editing": ("tests/editing", "tests/cli", "tests/roundtrip"),
    "cli": ("tests/cli", "tests/docs"),
    "render": ("tests/render", "tests/cli", "tests/docs"),
    "core": ("tests/core", "tests/roundtrip", "tests/property", "tests/cli"),
    "runtime": ("tests/runtime", "tests/core", "tests/roundtrip", "tests/property"),
}
_SLOW = ("gemma3", "emulated")  # no fault is worth a model of 253 MB
_LIMIT = 420.0
_TIMES = count(1_000_000_000, 10)


class Trial(NamedTuple):
    """What became of a fault.

    Attributes:
        file: the module, as a path in the repository.
        fault: what was planted.
        killed_by: the stage whose tests noticed; empty when none did.
        seconds: how long the tests took.
    """

    file: str
    fault: Fault
    killed_by: str
    seconds: float


def copy_tree(folder: Path) -> Path:
    """A copy of the working tree that faults can be planted in."""
    shutil.copytree(REPOSITORY, folder, symlinks=True, ignore=_NOT_COPIED)
    if (REPOSITORY / "build").exists():
        (folder / "build").symlink_to(REPOSITORY / "build")
    return folder


def stages(file: str, tree: Path) -> list[list[str]]:
    """Which tests are asked about a module, one list of paths for each stage."""
    path = Path(file).relative_to("gguf_construct")
    own = Path("tests") / path.parent / f"test_{path.name}"
    room = path.parts[0].removesuffix(".py")
    wider = _WIDER.get(room, (f"tests/{room}", "tests/cli", "tests/roundtrip"))
    folder = str(own.parent)
    wanted = [[str(own)], [folder] if folder != "tests" else [], *([one] for one in wider)]
    seen: set[str] = set()
    found = []
    for stage in wanted:
        new = [name for name in stage if (tree / name).exists() and name not in seen]
        seen.update(new)
        if new:
            found.append(new)
    return found


def try_fault(
    tree: Path, file: str, fault: Fault, jobs: int = 1, most_stages: int | None = None
) -> Trial:
    """Plant the fault, run the stages until one notices, and put the module back."""
    path = tree / file
    before = path.read_bytes()
    started = time.perf_counter()
    killed_by = ""
    try:
        plant(path, fault)
        _touch(path)
        for stage in stages(file, tree)[:most_stages]:
            if _notices(tree, stage, jobs):
                killed_by = " ".join(stage)
                break
    finally:
        path.write_bytes(before)
        _touch(path)
    return Trial(file, fault, killed_by, time.perf_counter() - started)


def _touch(path: Path) -> None:
    """Give a file a time that it never had: compiled code is kept by time and size."""
    now = next(_TIMES)
    os.utime(path, (now, now))


def _notices(tree: Path, tests: list[str], jobs: int) -> bool:
    command = [sys.executable, "-m", "pytest", "-x", "-q", "--no-header", "-p", "no:cacheprovider"]
    command += ["-m", f"not ({' or '.join(_SLOW[:1])})"]
    if jobs > 1 and not tests[0].endswith(".py"):
        command += ["-n", str(jobs), "--dist", "worksteal"]
    # A fixed order of Hypothesis' examples: a fault that lives today must live tomorrow.
    environment = {**os.environ, "PYTHONPATH": str(tree), "CI": "1"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    with subprocess.Popen(
        [*command, *tests],
        cwd=tree,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as child:
        try:
            return child.wait(_LIMIT) not in (0, 5)  # 5: no test was left after the selection
        except subprocess.TimeoutExpired:
            return True
        finally:
            _end(child.pid)


def _end(group: int) -> None:
    """Nothing that the tests started lives on."""
    try:
        os.killpg(group, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return
