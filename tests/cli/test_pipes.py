"""The verdict survives the pipe; output that cannot be written is said, and whether the edit was
done; standard input is a file where a verb reads."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import gguf_construct as gc
from gguf_construct.cli.main import run
from tests.support.files import write_vocabulary_model
from tools.samples import sample_model

if TYPE_CHECKING:
    from pathlib import Path

ME = f"{shlex.quote(sys.executable)} -m gguf_construct"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    write_vocabulary_model(tmp_path)
    (tmp_path / "sample.gguf").write_bytes(sample_model())
    (tmp_path / "cut.gguf").write_bytes(sample_model()[:5000])
    return tmp_path


def shell(line: str, folder: Path) -> subprocess.CompletedProcess[str]:
    environ = {**os.environ, "PYTHONPATH": os.getcwd()}
    return subprocess.run(
        ["bash", "-c", line],
        capture_output=True,
        text=True,
        cwd=folder,
        env=environ,
        check=False,
        timeout=120,
    )


@pytest.mark.parametrize(
    ("verb", "code"),
    [
        ("validate model.gguf", 1),
        ("validate model.gguf --json", 1),
        ("validate sample.gguf", 0),
        ("validate cut.gguf", 3),
        ("diff model.gguf sample.gguf -q", 1),
        ("diff sample.gguf sample.gguf -q", 0),
        ("tensor sample.gguf output.weight --compare sample.gguf:token_embd.weight", 141),
        ("repair model.gguf -q", 141),
        ("token find sample.gguf nothing --json", 1),
        ("map cut.gguf", 3),
        ("show sample.gguf", 0),
    ],
)
def test_the_verdict_survives_the_pipe(verb: str, code: int, files: Path) -> None:
    # The reader is gone before the first byte; 141 where the verdict was not known by then.
    done = shell(f"{{ sleep 0.2; {ME} {verb}; echo code $? >&2; }} | true", files)
    assert f"code {code}\n" in done.stderr


def test_head_keeps_the_verdict(files: Path) -> None:
    done = shell(f"set -o pipefail; {ME} validate model.gguf | head -1", files)
    assert done.returncode == 1


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_disk_behind_stdout(files: Path) -> None:
    done = shell(f"{ME} show sample.gguf > /dev/full", files)
    assert done.returncode == 4
    assert "standard output cannot be written: No space left on device" in done.stderr
    assert "report" not in done.stderr
    line = f"{ME} set sample.gguf -i general.name=x --json > /dev/full"
    done = shell(line, files)
    assert done.returncode == 4
    assert "only the report is missing: wrote sample.gguf: 1 change" in done.stderr
    with gc.open(files / "sample.gguf") as model:
        assert model.metadata["general.name"] == "x"


def test_a_closed_stderr_stops_no_edit(files: Path) -> None:
    done = shell(f"{ME} set sample.gguf -i general.name=y 2>&1 | true; echo $?", files)
    assert done.returncode == 0
    with gc.open(files / "sample.gguf") as model:
        assert model.metadata["general.name"] == "y"


@pytest.mark.parametrize(
    "verb",
    [
        "show -",
        "get - general.name",
        "tensors -",
        "tensor - output.weight",
        "validate -",
        "hash - --content",
        "map - --length 64",
        "token list -",
        "template show -",
        "diff - sample.gguf",
        "set - -o out.gguf general.name=z",
    ],
)
def test_standard_input_is_a_file(verb: str, files: Path) -> None:
    done = shell(f"{ME} {verb} < sample.gguf", files)
    assert done.returncode == 0, done.stderr


def test_standard_input_is_not_changed_in_place(files: Path) -> None:
    done = shell(f"{ME} set - -i general.name=z < sample.gguf", files)
    assert done.returncode == 2
    assert "standard input cannot be changed in place" in done.stderr


def test_a_folder_is_not_a_file(files: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = str(files / "sample.gguf")
    assert run(["set", path, "-o", f"{files}/newdir/", "general.name=x"]) == 2
    assert "names a folder" in capfd.readouterr().err
    assert not (files / "newdir").exists()


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "empty"),
        (b" \n", "empty"),
        ("{{ x }}".encode("utf-16"), "UTF-16"),
        ("{{ x }}".encode("utf-16-be"), "UTF-16"),
        (b"<!DOCTYPE html><html>{{ x }}", "HTML"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:{{ x }}\n", "pointer"),
    ],
)
def test_what_is_not_the_text_that_was_meant(
    data: bytes, why: str, files: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path, text = str(files / "sample.gguf"), files / "t.jinja"
    text.write_bytes(data)
    key = "tokenizer.chat_template"
    assert run(["set", path, "-i", f"{key}=@{text}"]) == 2
    assert why in capfd.readouterr().err
    assert run(["template", "set", path, str(text), "-i"]) in (1, 2)
    assert run(["set", path, "-i", "-q", f"general.description=@{text}", "--force-value"]) == 0
    out = files / "out.bin"
    assert run(["get", path, "general.description", "-o", str(out)]) == 0
    assert out.read_bytes() == data


def test_links_that_lead_outside(files: Path, capfd: pytest.CaptureFixture[str]) -> None:
    secret = files / "secret.json"
    secret.write_text('{"chat_template": "{{ secret }}"}')
    folder = files / "repo"
    folder.mkdir()
    (folder / "tokenizer_config.json").symlink_to(secret)
    path = str(files / "sample.gguf")
    assert run(["template", "set", path, str(folder), "-n"]) == 4
    assert run(["diff", path, "--upstream", str(folder)]) == 4
    assert "leads out of the folder" in capfd.readouterr().err
    # A snapshot of the Hugging Face cache is made of links to its blobs.
    cache = files / "models--x--y"
    (cache / "blobs").mkdir(parents=True)
    (cache / "snapshots" / "main").mkdir(parents=True)
    (cache / "blobs" / "abc").write_text('{"chat_template": "{{ messages }}"}')
    (cache / "snapshots" / "main" / "tokenizer_config.json").symlink_to("../../blobs/abc")
    assert run(["template", "set", path, str(cache / "snapshots" / "main"), "-n"]) in (0, 2)
    assert "leads out" not in capfd.readouterr().err
