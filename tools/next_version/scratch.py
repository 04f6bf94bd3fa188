"""A copy of the project to change the schema of, in build/, with the code that it gives."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

from tools.generate import REPOSITORY

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

SCRATCH = REPOSITORY / "build" / "next-version"
_COPIED = ("gguf_construct", "generated", "spec", "tools", "tests")
_OURS_ONLY = """
from tools import generate
generate.write(generate.render(), generate.GENERATED, keep="kaitai")
"""


class ScratchError(Exception):
    """The generator refused the schema of the copy; the message is its own."""


def make_copy(folder: Path = SCRATCH) -> None:
    """Copy what the generator, the package and its tests need; an older copy goes."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    ignored = shutil.ignore_patterns("__pycache__")
    for name in _COPIED:
        shutil.copytree(REPOSITORY / name, folder / name, symlinks=True, ignore=ignored)
    shutil.copyfile(REPOSITORY / "pyproject.toml", folder / "pyproject.toml")
    (folder / "build").mkdir()
    (folder / "build" / "ksc").symlink_to(REPOSITORY / "build" / "ksc")


def read_spec(folder: Path) -> dict[str, str]:
    """The schema files of a folder by name."""
    return {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}


def write_spec(folder: Path, texts: Mapping[str, str]) -> None:
    """Write the schema files of a copy."""
    for name, text in texts.items():
        (folder / "spec" / name).write_text(text, encoding="utf-8", newline="\n")


def run(folder: Path, arguments: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """This Python with the copy as its project, wherever the original is installed."""
    environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def generate(folder: Path, *, with_kaitai: bool) -> None:
    """Run the generator of a copy.  Raises ScratchError."""
    command = ["-m", "tools.generate"] if with_kaitai else ["-c", _OURS_ONLY]
    done = run(folder, command)
    if done.returncode:
        raise ScratchError(done.stderr.strip() or done.stdout.strip())
