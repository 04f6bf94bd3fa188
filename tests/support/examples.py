"""Examples in Markdown that run: ``console`` blocks as commands, ``pycon`` blocks as doctests.

In a console block, lines that start with ``$ `` are commands; what follows is their output, stdout
and stderr as they come, then ``[exit code N]`` unless it is 0.  ``...`` stands for anything.
"""

from __future__ import annotations

import doctest
import re
import shlex
import subprocess
import sys
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

_BLOCK = re.compile(r"^```(console|pycon)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_PROGRAM = "gguf-construct"
_FLAGS = doctest.ELLIPSIS


class Block(NamedTuple):
    """A block of code: its language, its text, the line of the document where the text begins."""

    language: str
    text: str
    line: int


def blocks(document: str) -> list[Block]:
    """The blocks of a document that can be run, in order."""
    return [
        Block(found[1], found[2], document.count("\n", 0, found.start(2)) + 1)
        for found in _BLOCK.finditer(document)
    ]


def commands(text: str) -> list[tuple[str, str]]:
    """Command and expected output of each example in a console block."""
    found: list[tuple[str, str]] = []
    for line in text.splitlines(keepends=True):
        if line.startswith("$ "):
            found.append((line[2:].strip(), ""))
        else:
            command, output = found[-1]
            found[-1] = (command, output + line)
    return found


def output_of(command: str, folder: Path) -> str:
    """What a command prints in `folder`; ``> FILE`` at its end takes stdout into a file."""
    words = shlex.split(command)
    assert words[0] == _PROGRAM, f"no command of ours: {command}"
    target = None
    if len(words) > 2 and words[-2] == ">":
        target = folder / words[-1]
        words = words[:-2]
    done = subprocess.run(
        [sys.executable, "-m", "gguf_construct", *words[1:]],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE if target else subprocess.STDOUT,
        check=False,
    )
    if target:
        target.write_bytes(done.stdout)
    text = (done.stderr if target else done.stdout).decode("utf-8", "replace")
    if text and not text.endswith("\n"):
        text += "\n"
    return text + (f"[exit code {done.returncode}]\n" if done.returncode else "")


def differences(block: Block, folder: Path, names: dict[str, object]) -> list[str]:
    """How the output of a block's examples differs from what it says; empty where it does not.

    Args:
        block: the block.
        folder: where commands run; doctests run in the current folder.
        names: the global names of doctests, kept from block to block.
    """
    if block.language == "pycon":
        return _doctest_differences(block, names)
    checker = doctest.OutputChecker()
    found = []
    for command, expected in commands(block.text):
        actual = output_of(command, folder)
        if not checker.check_output(expected, actual, _FLAGS):
            found.append(f"$ {command}\n--- expected\n{expected}--- printed\n{actual}")
    return found


def _doctest_differences(block: Block, names: dict[str, object]) -> list[str]:
    test = doctest.DocTestParser().get_doctest(block.text, names, "example", None, block.line)
    report: list[str] = []
    runner = doctest.DocTestRunner(optionflags=_FLAGS)
    runner.run(test, out=report.append, clear_globs=False)
    names.update(test.globs)
    return report
