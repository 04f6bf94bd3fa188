"""Edits of the file itself on the command line: the way they go, what is said, what is refused."""

from __future__ import annotations

import errno
import json
import os
import random
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import gguf_construct as gc
from gguf_construct.cli.main import run
from gguf_construct.planning.reserve import reserve_key, reserve_nbytes
from gguf_construct.storage.system import syscalls
from gguf_construct.storage.write import destination
from gguf_construct.validation.validate import validate
from tests.support import builders as b
from tests.support.files import write_vocabulary_model

if TYPE_CHECKING:
    from collections.abc import Callable

Text = pytest.CaptureFixture[str]


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A little model without anything in reserve."""
    return write_vocabulary_model(tmp_path)


@pytest.fixture
def reserved(model: Path) -> Path:
    """A little model with 4 KiB in reserve."""
    assert run(["repack", str(model), "-i", "-q", "--reserve", "4KiB"]) == 0
    return model


def _tensors(path: Path) -> list[bytes]:
    with gc.open(path) as opened:
        return [tensor.raw for tensor in opened.tensors.all]


def _name(path: Path) -> str:
    with gc.open(path) as opened:
        return str(opened.metadata["general.name"])


def _report(capfd: Text) -> Any:
    return json.loads(capfd.readouterr().out)


def test_what_is_said_of_the_reserve(reserved: Path, capfd: Text) -> None:
    capfd.readouterr()
    assert run(["show", str(reserved)]) == 0
    assert "left for edits in place" in capfd.readouterr().out
    assert run(["show", str(reserved), "--json"]) == 0
    before = _report(capfd)["reserve"]
    assert before >= 4096
    assert run(["set", str(reserved), "-i", "general.name=" + "x" * 105, "--json"]) == 0
    told = capfd.readouterr()
    assert f"{before - 100} bytes are in reserve" in told.err
    assert "wrote" in told.err
    assert "in place" in told.err
    report = json.loads(told.out)
    assert (report["strategy"], report["reserve"]) == ("in place", before - 100)
    assert run(["unset", str(reserved), "-i", "general.name", "--json"]) == 0
    assert _report(capfd)["reserve"] > before


def test_reserve_used_up_and_given_up(reserved: Path, capfd: Text) -> None:
    with gc.open(reserved) as opened:
        room = (reserve_nbytes(opened) or 0) + 46
    assert run(["set", str(reserved), "-i", "general.name=" + "x" * (5 + room)]) == 0
    assert f"{reserve_key()} is gone" in capfd.readouterr().err
    assert run(["set", str(reserved), "-i", "general.name=short", "--reserve", "1k"]) == 0
    assert run(["unset", str(reserved), "-i", "x.flag", "--reserve", "0", "--json"]) == 0
    assert _report(capfd)["reserve"] is None
    with gc.open(reserved) as opened:
        assert reserve_key() not in opened.metadata


@pytest.mark.parametrize("size", ["many", "-5", "1EiB", "1.5k"])
def test_sizes_that_are_none(model: Path, size: str, capfd: Text) -> None:
    assert run(["repack", str(model), "-i", f"--reserve={size}"]) == 2
    assert "size" in capfd.readouterr().err


def test_strategies_can_be_forced(model: Path, capfd: Text) -> None:
    before = model.read_bytes()
    edit = ["set", str(model), "-i", "general.name=" + "x" * 500]
    assert run([*edit, "--strategy", "in-place"]) == 2
    assert "more than there is room" in capfd.readouterr().err
    assert run([*edit, "--strategy", "new-file"]) == 2
    out = ["-o", str(model.with_name("out.gguf"))]
    assert run(["set", str(model), *out, "general.name=x", "--strategy", "insert"]) == 2
    assert model.read_bytes() == before
    inode = model.stat().st_ino
    assert run([*edit[:-1], "general.name=Name", "--strategy", "replace"]) == 0
    assert model.stat().st_ino != inode


DRY = [
    (["set", "FILE", "-i", "general.name=Name2"], "in place", "written"),
    (["set", "FILE", "-i", "general.name=" + "x" * 500], "replacement", "copied"),
    (["unset", "FILE", "-o", "OUT", "general.name"], "new file", "copied"),
    (["rename", "FILE", "-i", "x.flag", "x.flags"], "in place", "written"),
    (["repack", "FILE", "-i", "--alignment", "128"], "replacement", "copied"),
    (["convert", "FILE", "-o", "OUT", "--endian", "big"], "new file", "copied"),
    (["token", "set", "FILE", "eos", "2", "-i"], "in place", "written"),
    (["template", "set", "FILE", "{{ messages[0].content }}", "-i"], "replacement", "copied"),
]


@pytest.mark.parametrize(("words", "way", "most"), DRY)
def test_a_dry_run_tells_and_does_nothing(
    words: list[str], way: str, most: str, model: Path, capfd: Text
) -> None:
    before, stamp = model.read_bytes(), model.stat().st_mtime_ns
    names = {"FILE": str(model), "OUT": str(model.with_name("out.gguf"))}
    command = [names.get(word, word) for word in words]
    assert run([*command, "--dry-run"]) == 0
    assert f"strategy {way} " in " ".join(capfd.readouterr().out.split()) + " "
    assert run([*command, "--dry-run", "--json"]) == 0
    report = _report(capfd)
    assert (report["schema"], report["dry_run"], report["strategy"]) == (1, True, way)
    assert report[f"bytes_{most}"] > 0
    ends = [step["offset"] + step["nbytes"] for step in report["steps"]]
    assert max(ends) <= report["file_size"]
    assert (model.read_bytes(), model.stat().st_mtime_ns) == (before, stamp)
    assert os.listdir(model.parent) == [model.name]
    assert run([*command, "-q"]) == 0


def test_a_dry_run_needs_no_target(reserved: Path, capfd: Text) -> None:
    shown = []
    for target in ([], ["-i"]):
        assert run(["set", str(reserved), "general.name=other", "-n", *target]) == 0
        shown.append(capfd.readouterr())
    assert shown[0] == shown[1]
    assert f"would write  {reserved}" in shown[0].out


def test_a_dry_run_says_what_the_run_does(reserved: Path, capfd: Text) -> None:
    edit = ["set", str(reserved), "-i", "--json", "general.name=" + "x" * 300]
    capfd.readouterr()
    assert run([*edit, "-n"]) == 0
    planned = _report(capfd)
    assert run(edit) == 0
    done = _report(capfd)
    assert planned["strategy"] == done["strategy"]
    assert planned["reserve"] == done["reserve"]
    assert planned["bytes_written"] < done["bytes_written"] < 3 * planned["bytes_written"] + 1000
    assert planned["file_size"] == reserved.stat().st_size


@pytest.mark.parametrize("level", ["none", "header", "full", "kaitai"])
def test_checks(reserved: Path, level: str) -> None:
    for text in ("short", "long" * 500):
        assert run(["set", str(reserved), "-i", f"general.name={text}", "--verify", level]) == 0
        assert _name(reserved) == text


# ---- what lies around the file ----------------------------------------------------------------


def test_a_link_stays_a_link(reserved: Path, tmp_path: Path, capfd: Text) -> None:
    link = tmp_path / "link.gguf"
    link.symlink_to(reserved.name)
    for way in ("in-place", "replace"):
        edit = ["set", str(link), "-i", f"general.name={way}", "--strategy", way]
        assert run(edit) == 0
        assert "is a link" in capfd.readouterr().err
        assert link.is_symlink()
        assert _name(reserved) == way


def test_a_hub_cache_is_warned_of(reserved: Path, tmp_path: Path, capfd: Text) -> None:
    blob = tmp_path / "models--org--name" / "blobs" / ("0123456789abcdef" * 4)
    blob.parent.mkdir(parents=True)
    reserved.rename(blob)
    assert run(["set", str(blob), "-i", "general.name=x"]) == 2
    assert "Hugging Face" in capfd.readouterr().err
    assert _name(blob) == "Anné"
    assert run(["set", str(blob), "-i", "general.name=x", "--yes"]) == 0
    assert _name(blob) == "x"


def test_hard_links_are_warned_of(reserved: Path, tmp_path: Path, capfd: Text) -> None:
    other = tmp_path / "other.gguf"
    os.link(reserved, other)
    edit = ["set", str(reserved), "-i", "general.name=x"]
    assert run(edit) == 2
    assert "keep the old content" in capfd.readouterr().err
    assert run([*edit, "--strategy", "in-place"]) == 2
    assert "under all of them" in capfd.readouterr().err
    assert run([*edit, "--yes"]) == 0
    assert (_name(reserved), _name(other)) == ("x", "Anné")


def test_too_little_room_is_noticed_before_writing(
    reserved: Path, tmp_path: Path, capfd: Text, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = reserved.read_bytes()
    monkeypatch.setattr(destination, "free_bytes", lambda folder: 100)
    out = tmp_path / "out.gguf"
    for where in (["-o", str(out)], ["-i"], ["-i", "--strategy", "replace"]):
        assert run(["set", str(reserved), "general.name=" + "x" * 300, *where]) == 4
        assert "are free on its disk" in capfd.readouterr().err
    assert reserved.read_bytes() == before
    assert os.listdir(tmp_path) == [reserved.name]


def test_an_output_that_is_the_input(reserved: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.gguf"
    link.symlink_to(reserved.name)
    for out in (reserved, link):
        edit = ["set", str(reserved), "-o", str(out), f"general.name={out.name}"]
        assert run([*edit, "--yes"]) == 4
        assert run([*edit, "--force", "--yes"]) == 0
        assert _name(reserved) == out.name
    assert link.is_symlink()


@pytest.mark.parametrize("way", ["in-place", "replace"])
def test_read_only_media(
    reserved: Path, way: str, capfd: Text, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: str, *_: Any) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), path)

    before = reserved.read_bytes()
    for name in ("create", "open_existing"):
        monkeypatch.setattr(syscalls, name, refuse)
    assert run(["set", str(reserved), "-i", "general.name=x", "--strategy", way]) == 4
    assert "Read-only file system" in capfd.readouterr().err
    assert reserved.read_bytes() == before
    assert os.listdir(reserved.parent) == [reserved.name]


# ---- several processes ------------------------------------------------------------------------

_MAIN = "import sys; from gguf_construct.cli.main import main; main()"


def _start(*words: str, **how: Any) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", how.pop("code", _MAIN), *words]
    root = str(Path(__file__).resolve().parents[2])
    environment = {**os.environ, "PYTHONPATH": root}
    return subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True, **how)


@pytest.mark.parametrize("way", ["auto", "replace"])
def test_edits_at_the_same_time_are_made_or_refused(reserved: Path, way: str) -> None:
    tensors = _tensors(reserved)
    keys = [f"x.process{number}" for number in range(4)]
    children = {
        key: _start("set", str(reserved), "-i", f"{key}:u32=7", "--strategy", way) for key in keys
    }
    codes = {}
    for key, child in children.items():
        _, told = child.communicate(timeout=120)
        codes[key] = child.returncode
        assert child.returncode in (0, 4), told
    assert 0 in codes.values()
    with gc.open(reserved) as opened:
        assert {key for key in keys if key in opened.metadata} == {
            key for key, code in codes.items() if code == 0
        }
    assert _tensors(reserved) == tensors
    assert os.listdir(reserved.parent) == [reserved.name]


def test_an_edit_of_a_file_that_changed_since_it_was_read(
    reserved: Path, monkeypatch: pytest.MonkeyPatch, capfd: Text
) -> None:
    from gguf_construct.model import Model

    plan: Callable[..., Any] = Model.plan

    def slowly(self: Model, *arguments: Any, **named: Any) -> Any:
        planned = plan(self, *arguments, **named)
        with gc.open(reserved) as other:
            other.metadata["general.name"] = "the other one"
            monkeypatch.setattr(Model, "plan", plan)
            other.save(strategy="in-place")
        return planned

    monkeypatch.setattr(Model, "plan", slowly)
    assert run(["set", str(reserved), "-i", "x.flag=false"]) == 4
    assert "changed while it was in use" in capfd.readouterr().err
    with gc.open(reserved) as opened:
        assert opened.metadata["general.name"] == "the other one"
        assert opened.metadata.field("x.flag").raw == b"\2"


_HANGING = """
import os, signal, sys
from gguf_construct.storage.system import syscalls
def hang(fd, original=syscalls.fsync):
    os.kill(os.getpid(), int(sys.argv.pop()))
    signal.pause()
syscalls.fsync = hang
from gguf_construct.cli.main import main
# What runs in the background may have it ignored, and children inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
main(sys.argv[1:])
"""


@pytest.mark.skipif(not hasattr(signal, "pause"), reason="needs POSIX signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("way", ["in-place", "replace"])
def test_signals_clean_up(reserved: Path, number: signal.Signals, way: str) -> None:
    before = reserved.read_bytes()
    edit = ["set", str(reserved), "-i", "general.name=x", "--strategy", way]
    code = _HANGING.replace("sys.argv.pop()", str(int(number)))
    child = _start(*edit, code=code)
    _, told = child.communicate(timeout=120)
    assert child.returncode in (130, 128 + number), told
    assert reserved.read_bytes() == before
    assert os.listdir(reserved.parent) == [reserved.name]


def test_a_hundred_edits_of_one_file(tmp_path: Path, capfd: Text) -> None:
    extra = [b.Pair(b"x.%d" % number, b.text("x" * number)) for number in range(4)]
    path = write_vocabulary_model(tmp_path, *extra)
    assert run(["repack", str(path), "-i", "-q", "--reserve", "16KiB"]) == 0
    tensors, inode = _tensors(path), path.stat().st_ino
    with gc.open(path) as opened:
        start = opened.data_start
        known = {one.code for one in validate(opened.buffer).problems}
    rng = random.Random(5)
    for turn in range(100):
        key = f"x.{rng.randrange(6)}"
        value = "".join(rng.choices("abc\u00e4\n", k=rng.choice((0, 3, 50, 2000))))
        capfd.readouterr()
        assert run(["set", str(path), "-i", "--json", "-q", f"{key}:str={value}x{turn}"]) == 0
        assert _report(capfd)["strategy"] == "in place"
        with gc.open(path) as opened:
            assert opened.metadata[key] == f"{value}x{turn}"
            assert opened.data_start == start
            assert {one.code for one in validate(opened.buffer).problems} <= known
    assert _tensors(path) == tensors
    assert path.stat().st_ino == inode
    assert os.listdir(tmp_path) == [path.name]
