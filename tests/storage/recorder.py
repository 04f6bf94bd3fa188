"""The calls that a writer makes, in order, with the files that they are made on.

Strategy: every function of `gguf_construct.storage.system.syscalls` is wrapped by name.  What a
descriptor or a path stands for is told by its name: the target, its journal, its lock, a private
file that will take its place, the folder.  Calls that only read say nothing about order.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from itertools import groupby
from typing import TYPE_CHECKING, Any

from gguf_construct.storage.system import syscalls

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

# What puts bytes into a file, and what puts a file under its name.
_WRITES = {"pwrite", "pwrite_direct", "copy_file_range", "sendfile"}
_PUBLISHING = {"replace", "rename_new", "link"}
_TOLD = {
    *("create", "fsync", "fsync_folder", "insert_range", "collapse_range", "unlink"),
    *_WRITES,
    *_PUBLISHING,
}


class Recorder:
    """What was called: words such as ``write journal`` or ``publish``, repeats left out."""

    def __init__(self, target: Path) -> None:
        self._target = target
        self._files: dict[int, str] = {}
        self._calls: list[str] = []

    @property
    def calls(self) -> list[str]:
        """The calls in order; a run of the same one counts once."""
        return [word for word, _ in groupby(self._calls)]

    def call(self, name: str, original: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        word = self._word(name, arguments) if name in _TOLD else ""
        result = original(*arguments)
        if word:
            self._calls.append(word)  # it was done
        if name in ("create", "open_existing", "open_direct"):
            self._files[result] = self._label(arguments[0])
        return result

    def _word(self, name: str, arguments: tuple[Any, ...]) -> str:
        if name in _PUBLISHING:
            return f"publish as {self._label(arguments[1])}"
        if name in _WRITES:
            at = 1 if name in ("copy_file_range", "sendfile") else 0
            return f"write {self._files[arguments[at]]}"
        first = arguments[0]
        what = self._files[first] if isinstance(first, int) else self._label(first)
        return f"sync {what}" if name.startswith("fsync") else f"{name.split('_')[0]} {what}"

    def _label(self, path: str) -> str:
        name = os.path.basename(path)
        if os.path.samefile(os.path.dirname(path) or ".", self._target.parent):
            for ending in ("journal", "lock"):
                if name.endswith(f"gguf-construct-{ending}"):
                    return ending
            if name == self._target.name:
                return "target"
        if os.path.realpath(path) == os.path.realpath(self._target.parent):
            return "folder"
        return "private" if "gguf-construct-tmp-" in path else name


@contextmanager
def recorded(target: Path) -> Iterator[Recorder]:
    """Record the calls made inside the block."""
    recorder = Recorder(target)
    originals = {name: getattr(syscalls, name) for name in syscalls.__all__}

    def wrap(name: str, original: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *arguments: recorder.call(name, original, arguments)

    try:
        for name, original in originals.items():
            setattr(syscalls, name, wrap(name, original))
        yield recorder
    finally:
        for name, original in originals.items():
            setattr(syscalls, name, original)
