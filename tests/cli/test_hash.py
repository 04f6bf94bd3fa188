"""``hash`` on the command line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from gguf_construct.cli.main import run
from tests.support import builders as b
from tests.support.builders import Pair, build
from tests.support.cases_valid import base

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    target = tmp_path / "model.gguf"
    target.write_bytes(build(base(Pair(b"\xff", b.u8(1)))).data)
    return target


def test_stdout_is_a_list_that_check_takes(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["hash", str(path)]) == 0
    out = capsys.readouterr().out
    listed = path.with_suffix(".hashes")
    listed.write_text(out)
    assert run(["hash", str(path), "--check", str(listed)]) == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert "7 hashes match, 0 differ" in err


def test_check_names_what_changed(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    listed = path.with_suffix(".hashes")
    assert run(["hash", str(path), "--write", str(listed), "-a", "sha256"]) == 0
    edits = ["llama.block_count=2", "general.name=x", "--force-value"]
    assert run(["set", str(path), "-i", *edits]) == 0
    capsys.readouterr()
    assert run(["hash", str(path), "--check", str(listed)]) == 1
    out, err = capsys.readouterr()
    assert out.splitlines() == [
        "changed: content",
        "changed: metadata llama.block_count",
        "new: metadata general.name",
    ]
    assert "5 hashes match, 3 differ" in err
    assert run(["hash", str(path), "--check", str(listed), "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["same"] is False
    assert [change["what"] for change in document["changes"]] == ["changed", "changed", "new"]


def test_json_has_every_row(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["hash", str(path), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["schema"] == 1
    assert document["algorithm"] == "sha256"
    assert "\\xff" in document["metadata"]
    assert list(document["tensors"]) == ["weight"]
    run(["hash", str(path), "--content"])
    assert capsys.readouterr().out == document["content"] + "\n"


def test_a_list_is_not_overwritten(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    listed = path.with_suffix(".hashes")
    listed.write_text("precious")
    assert run(["hash", str(path), "--write", str(listed)]) == 4
    assert listed.read_text() == "precious"
    assert run(["hash", str(path), "--write", str(listed), "--force"]) == 0
    assert listed.read_text().startswith("# gguf-construct hash sha256\n")


@pytest.mark.parametrize(
    "options", [["--check", "LIST", "--write", "x"], ["--check", "LIST", "-a", "xxh3"]]
)
def test_contradictions_are_refused(options: list[str], path: Path) -> None:
    listed = path.with_suffix(".hashes")
    run(["hash", str(path), "--write", str(listed)])
    words = [str(listed) if word == "LIST" else word for word in options]
    assert run(["hash", str(path), *words]) == 2
