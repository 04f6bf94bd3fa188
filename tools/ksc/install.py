"""Installs the pinned compiler and its JavaScript runtime from their npm packages."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

_HERE = Path(__file__).resolve().parent
_MANIFESTS = ("package.json", "package-lock.json")

KSC_FOLDER = _HERE.parents[1] / "build" / "ksc"
"""Where the compiler is installed unless another folder is named; ignored by git."""


class KscMissing(Exception):
    """Node, npm or the compiler's package is not there; the message says how to get it."""


def find_program(name: str) -> str:
    """The full path of `node` or `npm`. Raises KscMissing where the machine has none."""
    path = shutil.which(name)
    if path is None:
        raise KscMissing(f"{name} is not installed: the official Kaitai compiler runs on node")
    return path


def pinned_versions() -> dict[str, str]:
    """The npm packages that tools/ksc/package.json pins, with their exact versions."""
    manifest = json.loads((_HERE / "package.json").read_text(encoding="utf-8"))
    return dict(manifest["dependencies"])


def is_installed(folder: Path = KSC_FOLDER) -> bool:
    """Whether `folder` holds every pinned package in its pinned version."""
    for name, version in pinned_versions().items():
        manifest = folder / "node_modules" / name / "package.json"
        if not manifest.is_file():
            return False
        if json.loads(manifest.read_text(encoding="utf-8"))["version"] != version:
            return False
    return True


def ensure_compiler(folder: Path = KSC_FOLDER) -> Path:
    """Install what is_installed() finds missing, by `npm ci` from the committed lock file.

    Returns the folder. Raises KscMissing without node or npm, or with npm's words when it fails.
    """
    find_program("node")
    if is_installed(folder):
        return folder
    npm = find_program("npm")
    folder.mkdir(parents=True, exist_ok=True)
    for name in _MANIFESTS:
        shutil.copyfile(_HERE / name, folder / name)
    command = [npm, "ci", "--no-audit", "--no-fund", "--ignore-scripts"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise KscMissing(f"npm ci failed in {folder}:\n{done.stderr.strip()}")
    return folder
