"""show: readable, complete, and valid JSON whatever the file holds."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from gguf_construct.cli.main import run
from tests.support import builders as b
from tests.support.cases import VALID, ValidCase
from tests.support.files import write_vocabulary_model

if TYPE_CHECKING:
    from pathlib import Path

Text = pytest.CaptureFixture[str]


def _json(path: Path, capfd: Text, *options: str) -> Any:
    assert run(["show", str(path), "--json", *options]) == 0
    return json.loads(capfd.readouterr().out, parse_constant=_no_constant)


def _no_constant(name: str) -> None:
    raise AssertionError(f"{name} is not JSON")


@pytest.mark.parametrize("case", VALID[::5], ids=str)
def test_every_valid_file_shows_as_valid_json(case: ValidCase, tmp_path: Path, capfd: Text) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(case.data)
    shown = _json(path, capfd, "--full")
    model = case.built.model
    assert shown["version"] == model.version
    assert shown["byte_order"] == model.byte_order
    assert len(shown["metadata"]) == len(model.pairs)
    assert len(shown["tensors"]) == len(model.tensors)
    assert shown["file_size"] == len(case.data)
    assert run(["show", str(path)]) == 0
    assert capfd.readouterr().out.isprintable() is False


def test_long_arrays_fold_unless_full(tmp_path: Path, capfd: Text) -> None:
    path = write_vocabulary_model(tmp_path, b.Pair(b"x.long", b.array(b.UINT8, *([7] * 100))))
    (folded,) = [one for one in _json(path, capfd)["metadata"] if one["key"] == "x.long"]
    assert folded["value"] == {"count": 100, "head": [7] * 8}
    (full,) = [one for one in _json(path, capfd, "--full")["metadata"] if one["key"] == "x.long"]
    assert full["value"] == [7] * 100


def test_text_marks_what_is_odd(tmp_path: Path, capfd: Text) -> None:
    control = b.Pair(b"x.control", b.Value(b.STRING, b"a\x1b[31mb\0c\xff"))
    path = write_vocabulary_model(tmp_path, control, b.Pair(b"x.flag", b.Value(b.BOOL, 1)))
    assert run(["show", str(path)]) == 0
    told = capfd.readouterr().out
    assert "\x1b" not in told
    assert "\0" not in told
    assert r"a\x1b[31mb\x00c\xff" in told
    assert "true (byte 2)" in told
    assert "(repeated, at 0x" in told


def test_no_tensors(tmp_path: Path, capfd: Text) -> None:
    path = write_vocabulary_model(tmp_path)
    assert "tensors" not in _json(path, capfd, "--no-tensors")
    assert run(["show", str(path), "--no-tensors"]) == 0
    assert "Tensors" not in capfd.readouterr().out
