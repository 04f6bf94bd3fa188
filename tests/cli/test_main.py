"""The frame of the command line: help, unknown verbs, colours, pipes, completion."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from gguf_construct.cli.main import SECTIONS, cli, run
from gguf_construct.render.escaping import printable
from gguf_construct.storage.source.resources import spec_names
from tests.support.files import write_vocabulary_model

if TYPE_CHECKING:
    from pathlib import Path

VERBS = cli.list_commands(None)  # type: ignore[arg-type]


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help_with_examples(verb: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run([verb, "--help"]) == 0
    told = capfd.readouterr().out
    assert "Usage: gguf-construct" in told
    assert "Examples:" in told


def test_help_lists_every_verb(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["--help"]) == 0
    told = capfd.readouterr().out
    for verbs in SECTIONS.values():
        for name, text in verbs.items():
            assert f"  {name} " in told
            assert text in told


def test_an_unknown_verb_suggests_another(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["shwo"]) == 2
    assert "show" in capfd.readouterr().err


def test_version(capfd: pytest.CaptureFixture[str]) -> None:
    from gguf_construct import __version__

    assert run(["--version"]) == 0
    assert __version__ in capfd.readouterr().out


def _process(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "gguf_construct", *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        check=False,
    )


def test_colours_follow_the_environment(tmp_path: Path) -> None:
    missing = str(tmp_path / "none.gguf")
    assert "\x1b[" not in _process("show", missing, NO_COLOR="", FORCE_COLOR="").stderr
    assert "\x1b[" in _process("show", missing, NO_COLOR="", FORCE_COLOR="1").stderr
    assert "\x1b[" not in _process("show", missing, NO_COLOR="1", FORCE_COLOR="1").stderr


@pytest.mark.parametrize("options", ["--json --full", "--full"])
def test_a_closed_pipe_is_no_error(options: str, tmp_path: Path) -> None:
    path = write_vocabulary_model(tmp_path)
    verb = f"{sys.executable} -m gguf_construct show {path} {options}"
    # The reader is gone before the first byte; 1 would mean findings.
    command = f"{{ sleep 0.3; {verb}; echo $? >&2; }} | true"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("", "0\n")


@pytest.mark.parametrize("verb", ["show {}", "get {} general.name", "tensors {}"])
def test_closed_standard_streams_do_not_matter(verb: str, tmp_path: Path) -> None:
    path = write_vocabulary_model(tmp_path)
    command = f"{sys.executable} -m gguf_construct {verb.format(path)} >&-; echo $? >&2"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert done.stderr == "0\n"
    command = f"{sys.executable} -m gguf_construct show {path}.none >&- 2>&-"
    assert subprocess.run(command, shell=True, check=False).returncode == 4


@pytest.mark.parametrize("error", [KeyError("x"), RecursionError(), MemoryError(), ValueError("y")])
def test_a_fault_of_ours_is_told_without_the_code_of_findings(
    error: Exception, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(cli, "main", fail)
    assert run(["show", "x"]) == 4
    told = capfd.readouterr().err
    assert told.startswith("error: ")
    assert "Traceback" not in told
    monkeypatch.setenv("GGUF_CONSTRUCT_TRACEBACK", "1")
    assert run(["show", "x"]) == 4
    assert ("Traceback" in capfd.readouterr().err) == (not isinstance(error, MemoryError))


def test_reading_from_a_closed_stream_is_told(tmp_path: Path) -> None:
    path = write_vocabulary_model(tmp_path)
    verb = f"{sys.executable} -m gguf_construct set {path} -i general.name=@- <&-"
    done = subprocess.run(verb, shell=True, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (4, "error: -: standard input is closed\n")


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-8"])
def test_output_is_utf8_whatever_the_locale(encoding: str, tmp_path: Path) -> None:
    path = write_vocabulary_model(tmp_path)
    assert run(["set", str(path), "-i", "-q", "general.name=\u2581 \U0001f40d"]) == 0
    for options in (["--json"], ["--no-tensors"]):
        done = _process("show", str(path), *options, PYTHONIOENCODING=encoding, PYTHONUTF8="0")
        assert (done.returncode, done.stderr) == (0, "")
        assert "\u2581 \U0001f40d" in done.stdout


def test_messages_name_files_by_their_bytes() -> None:
    assert printable("a\udcff\x1b\ud800 \u00fc\n") == "a\\xff\\x1b\\ud800 \u00fc\n"


def test_only_opening_a_file_tells_whether_it_can_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # click would ask os.access, and call a file that may not be read wrong usage (2, not 4).
    path = write_vocabulary_model(tmp_path)
    with monkeypatch.context() as patched:
        patched.setattr(os, "access", lambda *_, **__: False)
        assert run(["show", str(path)]) == 0
        assert run(["validate", str(path)]) in (0, 1)


def test_completion_scripts(capfd: pytest.CaptureFixture[str]) -> None:
    for shell in ("bash", "zsh", "fish"):
        assert run(["completion", shell]) == 0
        assert "_GGUF_CONSTRUCT_COMPLETE" in capfd.readouterr().out


@pytest.mark.parametrize(("verb", "end"), [("get", ""), ("set", "="), ("unset", "")])
def test_completion_of_keys(verb: str, end: str, tmp_path: Path) -> None:
    path = write_vocabulary_model(tmp_path)
    words = f"gguf-construct {verb} {path} general.na"
    done = _process(_GGUF_CONSTRUCT_COMPLETE="bash_complete", COMP_WORDS=words, COMP_CWORD="3")
    assert done.stdout.strip() == f"plain,general.name{end}"


def test_demo(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    assert run(["demo", "--keep", str(kept)]) == 0
    told = capfd.readouterr().out
    assert "All 21 tensors are unchanged" in told
    assert {path.name for path in kept.iterdir()} >= {"model.gguf", "edited.gguf", "back.gguf"}
    assert (kept / "edited.gguf").read_bytes() == (kept / "back.gguf").read_bytes()
    assert (kept / "edited.gguf").read_bytes() != (kept / "model.gguf").read_bytes()


def test_spec(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["spec"]) == 0
    assert "id: gguf" in capfd.readouterr().out
    assert run(["spec", "ggml"]) == 0
    assert "block_q4_0" in capfd.readouterr().out
    assert run(["spec", "nothing"]) == 2
    assert run(["spec", "--help"]) == 0
    told = capfd.readouterr().out
    assert [name for name in spec_names() if name not in told] == []


def test_completion_of_schemas() -> None:
    words = {"COMP_WORDS": "gguf-construct spec g", "COMP_CWORD": "2"}
    done = _process(_GGUF_CONSTRUCT_COMPLETE="bash_complete", **words)
    assert done.stdout.split() == ["plain,ggml", "plain,gguf"]
