"""Exports: the whole folder or nothing, whatever happens on the way."""

from __future__ import annotations

import errno
import os
import signal
from typing import TYPE_CHECKING

import pytest

from gguf_construct.core.codec import parse
from gguf_construct.errors import DestinationExistsError, GGUFError, SourceChangedError, WriteError
from gguf_construct.manifest.export import ExportFile, plan_export
from gguf_construct.storage.source.source import open_source
from gguf_construct.storage.system import syscalls
from gguf_construct.storage.write.export_folder import write_export
from tests.storage import faults
from tests.support import builders as b
from tests.support.cases_valid import base, weight
from tests.support.plans import made

if TYPE_CHECKING:
    from pathlib import Path

PAIRS = (b.Pair(b"long", b.text("line\n" * 100)), b.Pair(b"list", b.array(b.INT32, *range(50))))
MODEL = b.build(base(*PAIRS, tensors=(weight(), weight(name=b"other"), weight(name=b"third")))).data


def planned() -> list[ExportFile]:
    return plan_export(parse(MODEL))


EXPECTED = {one.path: made(one.chunks, [MODEL]) for one in planned()}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "m.gguf"
    file.write_bytes(MODEL)
    return file


def export(path: Path, folder: Path) -> None:
    with open_source(path) as source:
        write_export(planned(), source, folder)


def found(folder: Path) -> dict[str, bytes]:
    return {
        str(one.relative_to(folder)): one.read_bytes() for one in folder.rglob("*") if one.is_file()
    }


def test_all_files_are_there(path: Path) -> None:
    told: list[tuple[int, int]] = []
    folder = path.with_name("out")
    with open_source(path) as source:
        write_export(planned(), source, folder, progress=lambda *at: told.append(at))
    assert found(folder) == EXPECTED
    size = sum(map(len, EXPECTED.values()))
    assert told[-1] == (size, size)
    assert told == sorted(told)
    assert sorted(os.listdir(path.parent)) == ["m.gguf", "out"]


def test_an_empty_folder_is_taken(path: Path) -> None:
    folder = path.with_name("out")
    folder.mkdir()
    export(path, folder)
    assert found(folder) == EXPECTED


def test_what_holds_something_is_left_alone(path: Path) -> None:
    folder = path.with_name("out")
    folder.mkdir()
    (folder / "mine").write_bytes(b"x")
    with pytest.raises(DestinationExistsError, match="out exists and is not empty") as caught:
        export(path, folder)
    assert caught.value.hint == "Choose another name."
    assert found(folder) == {"mine": b"x"}
    with pytest.raises(DestinationExistsError, match="exists"):
        export(path, path)
    assert path.read_bytes() == MODEL


ACTIONS = {
    "ENOSPC": faults.fail(errno.ENOSPC),
    "EIO": faults.fail(errno.EIO),
    "short": faults.halve,
    "ctrl-c": faults.interrupt,
    "sigterm": faults.terminate,
}


@pytest.mark.parametrize("action", ACTIONS)
def test_each_call_fails_once(path: Path, action: str) -> None:
    folder = path.with_name("out")
    for number in range(1, 200):
        raised = False
        with faults.at_call(number, ACTIONS[action]) as counter:
            try:
                export(path, folder)
            except (GGUFError, KeyboardInterrupt, SystemExit):
                raised = True
        if not counter.hit:
            break
        assert raised is (action != "short"), f"{action} at call {number}, {counter.hit}"
        if raised:
            assert os.listdir(path.parent) == ["m.gguf"], f"{action} at {number}, {counter.hit}"
        else:
            assert found(folder) == EXPECTED
            remove(folder)
    assert number > 10
    assert found(folder) == EXPECTED


def remove(folder: Path) -> None:
    import shutil

    shutil.rmtree(folder)


def test_a_polite_kill_leaves_nothing(path: Path) -> None:
    folder = path.with_name("out")

    def die(done: int, total: int) -> None:
        if done > total // 2:
            os.kill(os.getpid(), signal.SIGTERM)

    with open_source(path) as source, pytest.raises(SystemExit, match="143"):
        write_export(planned(), source, folder, progress=die)
    assert os.listdir(path.parent) == ["m.gguf"]
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


@pytest.mark.parametrize("how", ["cut", "touched", "replaced", "removed"])
def test_a_source_that_changes_in_the_middle(
    path: Path, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = path.with_name("out")
    calls = [0]
    real = syscalls.create

    def change(name: str, mode: int) -> int:
        calls[0] += 1
        if calls[0] == 3:
            if how == "cut":
                os.truncate(path, 300)
            elif how == "touched":
                os.utime(path, ns=(1, 1))
            elif how == "removed":
                path.unlink()
            else:
                other = path.with_name("other")
                other.write_bytes(MODEL)
                other.replace(path)
        return real(name, mode)

    monkeypatch.setattr(syscalls, "create", change)
    with pytest.raises(SourceChangedError, match="while it was in use"):
        export(path, folder)
    assert set(os.listdir(path.parent)) <= {"m.gguf"}


def test_what_the_system_says_is_told(path: Path) -> None:
    with pytest.raises(WriteError, match="deep/out cannot be written: No such file or directory"):
        export(path, path.with_name("deep") / "out")
