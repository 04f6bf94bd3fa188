"""Hands schemas to the official compiler and takes its texts back."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import yaml

from tools.ksc.install import KSC_FOLDER, KscMissing, find_program, is_installed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_DRIVER = Path(__file__).resolve().with_name("compile.cjs")

LANGUAGES = (
    "python",
    "javascript",
    "java",
    "go",
    "rust",
    "cpp_stl",
    "csharp",
    "ruby",
    "php",
    "perl",
    "lua",
    "nim",
)
"""The targets that the schema promises to compile for, by the compiler's own names."""


class KscError(Exception):
    """The compiler refused the schema; the message is the compiler's."""


class Compiled(NamedTuple):
    """What the compiler made for one language: file names and texts, or why it refused."""

    files: dict[str, str]
    error: str | None


def _read_specs(spec_dir: Path) -> dict[str, Any]:
    """Every .ksy of the folder as plain objects, by name without the extension."""
    return {
        path.stem: yaml.safe_load(path.read_text(encoding="utf-8"))
        for path in sorted(spec_dir.glob("*.ksy"))
    }


def _normalised(text: str) -> str:
    r"""The text with \n line ends and exactly one at its end; nothing else is touched."""
    return text.replace("\r\n", "\n").rstrip("\n") + "\n"


def _compiled(answer: Mapping[str, Any]) -> Compiled:
    """One language's answer; some targets name their files from the root of a package ("/x.go")."""
    files = {name.lstrip("/"): text for name, text in answer.get("files", {}).items()}
    return Compiled({name: _normalised(files[name]) for name in sorted(files)}, answer.get("error"))


def compile_languages(
    spec_dir: Path, top: str, languages: Iterable[str], folder: Path = KSC_FOLDER
) -> dict[str, Compiled]:
    """Compile `spec_dir/top.ksy` and what it imports, for several languages in one process.

    A language that the compiler refuses has its message in `error`.
    Raises KscMissing when node or the compiler is absent, KscError when there is no such schema
    or the driver itself fails.
    """
    node = find_program("node")
    if not is_installed(folder):
        raise KscMissing(
            f"the Kaitai compiler is not installed in {folder}: run python -m tools.ksc --install"
        )
    specs = _read_specs(spec_dir)
    if top not in specs:
        raise KscError(f"no {top}.ksy in {spec_dir}")
    request = {
        "modules": str(folder),
        "top": top,
        "specs": specs,
        "languages": list(languages),
    }
    done = subprocess.run(
        [node, str(_DRIVER)],
        input=json.dumps(request, default=str),
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    if done.returncode != 0:
        raise KscError(f"the compiler stopped: {done.stderr.strip()}")
    return {name: _compiled(answer) for name, answer in json.loads(done.stdout).items()}


def compile_spec(
    spec_dir: Path, top: str, language: str, folder: Path = KSC_FOLDER
) -> dict[str, str]:
    """File name to text, as the official compiler makes them from `spec_dir/top.ksy`.

    Raises KscMissing when node or the compiler is absent, KscError with the compiler's message.
    """
    compiled = compile_languages(spec_dir, top, [language], folder)[language]
    if compiled.error is not None:
        raise KscError(compiled.error)
    return compiled.files
