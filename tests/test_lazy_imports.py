"""What a start loads: heavy libraries only where they are used."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.support.builders import build
from tests.support.cases_valid import base

if TYPE_CHECKING:
    from pathlib import Path

HEAVY = {
    "construct",
    "filelock",
    "fsspec",
    "gguf",
    "jinja2",
    "kaitaistruct",
    "numpy",
    "requests",
    "rich",
    "yaml",
}

REPORT = "import json, sys; sys.stderr.write(json.dumps(sorted(sys.modules)))"


def modules_after(code: str) -> set[str]:
    """The top-level modules that a fresh interpreter has loaded after `code`."""
    command = [sys.executable, "-c", f"{code}\n{REPORT}"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return {name.partition(".")[0] for name in json.loads(done.stderr)}


@pytest.mark.parametrize("module", ["gguf_construct", "gguf_construct.cli.main"])
def test_an_import_loads_nothing_heavy(module: str) -> None:
    assert modules_after(f"import {module}") & HEAVY == set()


def test_the_library_does_not_load_the_command_line() -> None:
    assert "click" not in modules_after("import gguf_construct")


@pytest.mark.parametrize(
    "verb", [["get", "FILE", "general.architecture"], ["--help"], ["--version"]]
)
def test_a_quick_verb_loads_nothing_heavy(verb: list[str], tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(build(base()).data)
    arguments = [str(path) if word == "FILE" else word for word in verb]
    code = f"from gguf_construct.cli.main import run\nassert run({arguments!r}) == 0\n"
    assert modules_after(code) & HEAVY == set()
