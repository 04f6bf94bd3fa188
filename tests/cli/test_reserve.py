"""The padding key on the command line: added where it is asked for, never unasked."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import gguf_construct as gc
from gguf_construct.cli.main import run
from gguf_construct.planning import strategy
from gguf_construct.planning.reserve import reserve_key
from tests.storage.scenarios import can_insert
from tests.support.files import write_vocabulary_model

if TYPE_CHECKING:
    from pathlib import Path

Text = pytest.CaptureFixture[str]


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A little model without anything in reserve."""
    return write_vocabulary_model(tmp_path)


def _tensors(path: Path) -> list[bytes]:
    with gc.open(path) as opened:
        return [tensor.raw for tensor in opened.tensors.all]


def _name(path: Path) -> str:
    with gc.open(path) as opened:
        return str(opened.metadata["general.name"])


def _report(capfd: Text) -> Any:
    return json.loads(capfd.readouterr().out)


def test_a_setting_of_the_user_adds_the_key(
    model: Path, capfd: Text, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not can_insert(model.parent):
        pytest.skip("this file system cannot insert room")
    edit = ["set", str(model), "-i", "--json"]
    tensors = _tensors(model)
    assert run([*edit, "general.name=" + "x" * 500]) == 0
    assert _report(capfd)["strategy"] == "replacement"
    monkeypatch.setattr(strategy, "LARGE", 0)
    for length in (1000, 20):
        assert run([*edit, "general.name=" + "y" * length]) == 0
        told = capfd.readouterr()
        assert json.loads(told.out)["strategy"] == "replacement"
        assert "--reserve 64KiB spares that next time" in told.err
        assert reserve_key() not in gc.open(model).metadata
    monkeypatch.setenv("GGUF_CONSTRUCT_RESERVE", "4KiB")
    inode = model.stat().st_ino
    assert run([*edit, "general.name=" + "z" * 1500]) == 0
    told = capfd.readouterr()
    assert json.loads(told.out)["strategy"] == "in place, room inserted"
    assert f"in the new key {reserve_key()}" in told.err
    assert json.loads(told.out)["reserve"] >= 4096
    assert (model.stat().st_ino, _name(model), _tensors(model)) == (inode, "z" * 1500, tensors)
    assert run([*edit, "general.name=" + "z" * 5000]) == 0
    assert _report(capfd)["strategy"] == "in place"
    out = model.with_name("out.gguf")
    assert run(["set", str(model), "-o", str(out), "--reserve", "0", "general.name=x"]) == 0
    assert run(["set", str(out), "-o", str(model), "-f", "general.name=" + "x" * 999]) == 0
    assert reserve_key() not in gc.open(model).metadata
    monkeypatch.setenv("GGUF_CONSTRUCT_RESERVE", "much")
    assert run([*edit, "general.name=x"]) == 2
    assert "GGUF_CONSTRUCT_RESERVE" in capfd.readouterr().err


def test_a_large_copy_says_how_to_spare_it(
    model: Path, capfd: Text, monkeypatch: pytest.MonkeyPatch
) -> None:
    from gguf_construct.storage.inplace import insertion_support

    monkeypatch.setattr(strategy, "LARGE", 0)
    monkeypatch.setattr(insertion_support, "can_insert", lambda path: False)
    assert run(["set", str(model), "-i", "general.name=" + "x" * 500]) == 0
    told = capfd.readouterr().err
    assert "whole file was copied" in told
    assert "--reserve" in told
