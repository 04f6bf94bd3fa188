"""Every stage of every edit in place, with every damage to its journal: what recovery makes of it.

``python -m tests.storage.damage`` goes through all of them and counts; the tests take a sample.
Afterwards the file has to be the old one, the new one, or untouched with exit code 4, after
`recover` and after a second `set -i` as well.
"""

from __future__ import annotations

import contextlib
import os
import random
import sys
import tempfile
import warnings
from collections import Counter
from functools import partial
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import gguf_construct as gc
from gguf_construct.cli.main import run
from gguf_construct.storage.inplace.recover import recover
from gguf_construct.storage.system.private_names import journal_path
from tests.storage import faults
from tests.storage.scenarios import can_insert
from tests.support import builders as b
from tests.support.files import write_vocabulary_model

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_FAULTS = {"before": faults.kill_before, "halfway": faults.kill_halfway}
_IO = 4
_AFTER = "general.name=afterwards"
_MOST_PLACES = 1500


class Edit(NamedTuple):
    """An edit in place of a model, by one strategy."""

    name: str
    strategy: str
    value: str


EDITS = (
    Edit("in-place", "in-place", "changed"),
    Edit("in-place, other value", "in-place", "charged"),
    Edit("insert", "insert", "x" * 5000),
)


class Stage(NamedTuple):
    """What a kill leaves: the file, its journal, and what the file was and would have been."""

    edit: str
    call: str
    content: bytes
    journal: bytes
    old: bytes
    new: bytes


def _killed(action: Callable[[], object], number: int, kind: str) -> str | None:
    """Run in a child that dies at a call: the call's place, or None when it came to an end."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        status = 1
        try:
            with faults.at_call(number, _FAULTS[kind]):
                action()
            status = 0
        finally:
            os._exit(status)
    _, code = os.waitpid(child, 0)
    return f"{kind} call {number}" if os.WIFSIGNALED(code) else None


def put(path: Path, content: bytes) -> None:
    """Give a file its content without giving it another inode."""
    with path.open("r+b" if path.exists() else "wb") as file:
        file.write(content)
        file.truncate()


def _save(path: Path, edit: Edit) -> None:
    with gc.open(path) as model:
        model.metadata["general.name"] = edit.value
        model.save(strategy=edit.strategy, reserve=1 if edit.strategy == "insert" else None)


def stages(path: Path, edit: Edit) -> list[Stage]:
    """Every stage of an edit that has a journal, and every stage of each recovery of these."""
    journal = Path(journal_path(str(path)))
    old = path.read_bytes()
    _save(path, edit)
    new = path.read_bytes()
    found: dict[tuple[bytes, bytes], Stage] = {}

    def begin(content: bytes, data: bytes | None) -> None:
        put(path, content)
        if data is None:
            journal.unlink(missing_ok=True)
        else:
            put(journal, data)

    def note(call: str) -> None:
        if journal.exists():
            left = path.read_bytes(), journal.read_bytes()
            found.setdefault(left, Stage(edit.name, call, *left, old, new))

    _everywhere(path, lambda: begin(old, None), lambda: _save(path, edit), note)
    for stage in list(found.values()):
        begin_again = partial(begin, stage.content, stage.journal)
        _everywhere(path, begin_again, lambda: recover(path), note)
    begin(old, None)
    return list(found.values())


def _everywhere(
    path: Path,
    begin: Callable[[], object],
    action: Callable[[], object],
    note: Callable[[str], object],
) -> None:
    """Kill an action at each of its system calls, and have what is left noted."""
    for kind in _FAULTS:
        for number in range(1, 200):
            begin()
            call = _killed(action, number, kind)
            _clean(path)
            if call is None:
                break
            note(call)


def _clean(path: Path) -> None:
    """Remove locks and temporary files that a killed child left."""
    for other in path.parent.iterdir():
        if ".gguf-construct-" in other.name and not other.name.endswith("journal"):
            other.unlink()


def damages(journal: bytes, chance: random.Random) -> Iterator[tuple[str, bytes]]:
    """Each byte flipped, each length cut, each half zeroed; the journal as it is as well.

    Of a long journal, so many of its bytes and lengths are taken by chance.
    """
    yield "none", journal
    size, half = len(journal), len(journal) // 2
    for at in sorted(chance.sample(range(size), min(size, _MOST_PLACES))):
        bit = 1 << chance.randrange(8)
        yield f"bit {bit} of byte {at}", _flipped(journal, at, bit)
        yield f"cut to {at}", journal[:at]
    yield "first half zeroed", bytes(half) + journal[half:]
    yield "second half zeroed", journal[:half] + bytes(size - half)
    yield "zeroed", bytes(size)


def _flipped(data: bytes, at: int, bit: int) -> bytes:
    return data[:at] + bytes([data[at] ^ bit]) + data[at + 1 :]


class Trial:
    """Tries stages with journals, in one folder."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "model.gguf"
        self.journal = Path(journal_path(str(self.path)))
        self.counts: Counter[str] = Counter()
        self._afterwards: dict[bytes, bytes] = {}
        text = b.Pair(b"x.text", b.text("t" * 5000))  # so that room is inserted inside the file
        write_vocabulary_model(folder, text)

    def check(self, stage: Stage, journal: bytes, what: str) -> None:
        """Recover and set; raises AssertionError when the file is neither old, new nor left."""
        where = f"{stage.edit}, {stage.call}, {what}"
        put(self.path, stage.content)
        self.journal.write_bytes(journal)
        code = self._run("recover", str(self.path))
        content = self.path.read_bytes()
        if code == _IO:
            assert content == stage.content, f"{where}: changed, with exit code 4"
            assert self.journal.read_bytes() == journal, f"{where}: the journal was changed"
        else:
            assert code == 0, f"{where}: exit code {code}"
            assert content in (stage.old, stage.new), f"{where}: a mix"
            assert not self.journal.exists(), f"{where}: the journal is left"
        before, refused = content, code == _IO
        code = self._run("set", str(self.path), "-i", _AFTER)
        content = self.path.read_bytes()
        if refused:
            assert (code, content) == (_IO, before), f"{where}: set, exit code {code}"
        else:
            assert code == 0, f"{where}: set, exit code {code}"
            assert content == self._expected(before), f"{where}: set gave a mix"
        self.counts["refused" if refused else "old" if before == stage.old else "new"] += 1

    def _run(self, *command: str) -> int:
        told = StringIO()
        with contextlib.redirect_stderr(told), contextlib.redirect_stdout(told):
            return run([*command])

    def _expected(self, before: bytes) -> bytes:
        if before not in self._afterwards:
            other = self.path.with_name("other.gguf")
            put(other, before)
            assert self._run("set", str(other), "-i", _AFTER) == 0
            self._afterwards[before] = other.read_bytes()
            other.unlink()
        return self._afterwards[before]


def all_stages(trial: Trial) -> list[Stage]:
    """Those of every edit that this file system can do."""
    able = can_insert(trial.path.parent)
    return [
        stage
        for edit in EDITS
        if able or edit.strategy != "insert"
        for stage in stages(trial.path, edit)
    ]


def swaps(found: list[Stage]) -> Iterator[tuple[Stage, Stage]]:
    """Each stage with the journal of each other edit: another file's, or an older one."""
    for stage in found:
        seen = {stage.journal}
        for other in found:
            if other.edit != stage.edit and other.journal not in seen:
                seen.add(other.journal)
                yield stage, other


def main() -> int:
    """Try everything, and say how many combinations there were."""
    fsync, os.fsync = os.fsync, lambda fd: None
    chance = random.Random(7)
    try:
        with tempfile.TemporaryDirectory() as folder:
            trial = Trial(Path(folder))
            found = all_stages(trial)
            for stage, other in swaps(found):
                trial.check(stage, other.journal, f"journal of {other.edit}, {other.call}")
            for stage in found:
                for name, journal in damages(stage.journal, chance):
                    trial.check(stage, journal, name)
                print(f"{stage.edit}, {stage.call}: {sum(trial.counts.values())}", flush=True)
    finally:
        os.fsync = fsync
    print(f"{len(found)} stages, {sum(trial.counts.values())} combinations: {dict(trial.counts)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
