"""A short run of the fuzzer, the crashes it has found, and whether it would find new ones."""

from __future__ import annotations

import itertools
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from gguf_construct.core.document import Document
from gguf_construct.core.field import Field
from gguf_construct.runtime import views
from tests.support.require import EMULATED
from tools.fuzz import crashes, harness, targets, worker
from tools.fuzz.branches import Branches
from tools.fuzz.corpus import Corpus
from tools.fuzz.targets import Violation, check
from tools.fuzz.worker import Runner

if TYPE_CHECKING:
    from pathlib import Path

    from gguf_construct.model import Model

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs POSIX timers")
SAVED = crashes.saved()


def test_there_are_saved_crashes() -> None:
    assert SAVED


@pytest.mark.parametrize("path", SAVED, ids=lambda path: path.stem)
def test_what_once_broke_holds(path: Path) -> None:
    check(path.read_bytes())


def test_a_short_run_finds_nothing(tmp_path: Path) -> None:
    runner = Runner(20, tmp_path)
    runner.corpus.seeds = runner.corpus.seeds[::5]
    runner.run(seconds=900, most=300)
    assert runner.failures == {}
    assert runner.num_inputs == 300
    assert 0 < runner.num_opened < 300
    report = runner.report()
    assert len(report["reached"]) > report["branches"] / 2
    assert len(report["reached"]) + len(report["missed"]) == report["branches"]


def test_the_same_seed_gives_the_same_inputs() -> None:
    first, again, other = Corpus(1), Corpus(1), Corpus(2)
    inputs = [first.next() for _ in range(50)]
    assert inputs == [again.next() for _ in range(50)]
    assert inputs != [other.next() for _ in range(50)]


def failing(tmp_path: Path) -> dict[str, str]:
    runner = Runner(0, tmp_path)
    runner.corpus.seeds = runner.corpus.seeds[::40]
    runner.run(seconds=60, most=30)
    return runner.failures


def test_a_wrong_exception_is_found_and_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def raw(self: views.StringArray) -> Any:
        raise IndexError("planted")

    monkeypatch.setattr(views.StringArray, "iter_raw", raw)
    (story,) = [s for name, s in failing(tmp_path).items() if "IndexError" in name][:1]
    assert "planted" in story
    kept = crashes.saved(tmp_path)
    assert kept
    with pytest.raises(Violation):
        check(kept[0].read_bytes())
    monkeypatch.undo()
    check(kept[0].read_bytes())


def test_wrong_bytes_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Field, "encoded", property(lambda self: b"planted"))
    assert failing(tmp_path)


def test_a_wrong_map_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Document, "data_start", property(lambda self: self.header_end + 1))
    assert failing(tmp_path)


def test_a_loop_without_end_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def show(model: Model, data: bytes) -> None:
        for _ in itertools.count():
            pass

    monkeypatch.setitem(targets.STAGES, "show", show)
    monkeypatch.setattr(worker, "SECONDS_PER_INPUT", 0.05)
    monkeypatch.setattr(crashes, "shrink", lambda data, fails: data)
    assert any("OverTime" in name for name in failing(tmp_path))


@pytest.mark.skipif(sys.platform != "linux" or EMULATED, reason="no limits of memory here")
def test_memory_is_limited() -> None:
    code = "from tools.fuzz.worker import limit_memory\nlimit_memory(1 << 25)\nbytes(1 << 27)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "MemoryError" in done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_the_harness_runs_workers_and_adds_up(tmp_path: Path) -> None:
    result = harness.fuzz(1, seed=3, folder=tmp_path)
    assert result.failures == {}
    assert 0 < len(result.reached) < result.branches
    assert f"{result.inputs} inputs" in str(result)
    assert "0 violations" in str(result)


def test_a_worker_that_dies_is_a_violation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.executable", "/bin/false")
    result = harness.fuzz(1, seed=3, folder=tmp_path)
    assert len(result.failures) == 1
    assert "died with 1" in str(result)
    assert crashes.saved(tmp_path)


def test_inputs_are_shrunk() -> None:
    small = crashes.shrink(bytes(500) + b"bad" + bytes(500), lambda data: b"bad" in data)
    assert small == b"bad"


def test_branches_are_counted_both_ways() -> None:
    branches = Branches([crashes])
    missed = len(branches.missed())
    assert missed == branches.total > 0
    assert branches.run(crashes.saved) == SAVED
    branches.run(crashes.shrink, b"ab", lambda data: False)
    assert len(branches.missed()) == branches.total - len(branches.reached) < missed
