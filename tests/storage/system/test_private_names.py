"""Names of the private files beside a target."""

from __future__ import annotations

import ast
import os
from pathlib import Path

import pytest

from gguf_construct.storage.system import private_names, syscalls

MAKERS = [private_names.journal_path, private_names.lock_path, private_names.temporary_prefix]
STORAGE = Path(syscalls.__file__).parents[1]


@pytest.mark.parametrize("maker", MAKERS)
def test_hidden_beside_the_target_and_never_too_long(maker: object) -> None:
    assert callable(maker)
    for name in ("m.gguf", "ü" * 120 + ".gguf", "x" * 255):
        path = maker(f"/models/{name}")
        assert os.path.dirname(path) == "/models"
        assert os.path.basename(path).startswith("." + name[:20].rstrip("f"))
        assert len(os.fsencode(os.path.basename(path))) + 16 <= 255


@pytest.mark.parametrize("maker", MAKERS)
def test_long_names_with_the_same_start_are_kept_apart(maker: object) -> None:
    assert callable(maker)
    assert maker("x" * 250 + "a") != maker("x" * 250 + "b")


CHANGING = {"pwrite", "write", "fsync", "replace", "rename", "link", "unlink", "remove", "chmod"}
CHANGING |= {"ftruncate", "truncate", "chown", "setxattr", "copy_file_range", "sendfile"}


def test_nothing_is_changed_but_through_the_seam() -> None:
    """Else the fault injection would miss a crash point."""
    found = [
        f"{path.name}:{node.lineno}: os.{node.attr}"
        for path in STORAGE.rglob("*.py")
        if path.name != "syscalls.py"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "os"
        and node.attr in CHANGING
    ]
    # Neither is a file that a writer counts on: leftovers, and what a child process reads.
    assert [one.split(":")[0] for one in sorted(found)] == ["scratch.py", "temporary.py"]
    assert {one.rpartition(" ")[2] for one in found} == {"os.unlink"}


def test_every_call_of_the_seam_is_listed() -> None:
    functions = {
        name
        for name, value in vars(syscalls).items()
        if callable(value)
        and not name.startswith("_")
        and getattr(value, "__module__", "") == syscalls.__name__
    }
    assert functions - {"Unsupported"} == set(syscalls.__all__)
