"""tensors: the list, its order, what it adds up to."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from gguf_construct.cli.main import run
from tests.support import builders as b
from tests.support.blocks import tensor_bytes
from tests.support.cases import CASES

if TYPE_CHECKING:
    from pathlib import Path

Text = pytest.CaptureFixture[str]

TENSORS = (
    b.Tensor(b"blk.0.b", (32, 4), 2, tensor_bytes(2, (32, 4))),
    b.Tensor(b"blk.0.a", (8,), 0, tensor_bytes(0, (8,))),
    b.Tensor(b"out\xff", (256, 2), 14, tensor_bytes(14, (256, 2))),
    b.Tensor(b"scalar", (), 0, tensor_bytes(0, ())),
    b.Tensor(b"none", (0, 3), 0, b""),
)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """Five tensors of three types."""
    path = tmp_path / "model.gguf"
    path.write_bytes(b.build(b.Model(tensors=TENSORS)).data)
    return path


def names(path: Path, capsys: Text, *arguments: str) -> list[str]:
    assert run(["tensors", str(path), "--json", *arguments]) == 0
    shown = json.loads(capsys.readouterr().out)["tensors"]
    return [str(one["name"]) if isinstance(one["name"], str) else "bytes" for one in shown]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], "blk.0.b blk.0.a bytes scalar none"),
        (["--sort", "name"], "blk.0.a blk.0.b none bytes scalar"),
        (["--sort", "size"], "bytes blk.0.b blk.0.a scalar none"),
        (["--sort", "elements"], "bytes blk.0.b blk.0.a scalar none"),
        (["--sort", "type"], "blk.0.a scalar none blk.0.b bytes"),
        (["--sort", "offset"], "blk.0.b blk.0.a bytes scalar none"),
        (["blk.*"], "blk.0.b blk.0.a"),
        (["*.a", "s*"], "blk.0.a scalar"),
        (["nothing"], ""),
        (["--totals"], ""),
    ],
)
def test_which_and_in_what_order(
    arguments: list[str], expected: str, model: Path, capsys: Text
) -> None:
    assert names(model, capsys, *arguments) == expected.split()


def test_json(model: Path, capsys: Text) -> None:
    assert run(["tensors", str(model), "--json", "--totals"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["types"] == [
        {"type": "Q6_K", "tensors": 1, "elements": 512, "nbytes": 420, "bits_per_weight": 6.5625},
        {"type": "Q4_0", "tensors": 1, "elements": 128, "nbytes": 72, "bits_per_weight": 4.5},
        {"type": "F32", "tensors": 3, "elements": 9, "nbytes": 36, "bits_per_weight": 32.0},
    ]
    assert shown["total"] == {
        "tensors": 5,
        "elements": 649,
        "nbytes": 528,
        "bits_per_weight": 528 * 8 / 649,
    }


def test_table(model: Path, capsys: Text) -> None:
    assert run(["tensors", str(model)]) == 0
    lines = capsys.readouterr().out.splitlines()
    built = b.build(b.Model(tensors=TENSORS))
    assert lines[0].split() == ["name", "type", "shape", "elements", "bytes", "offset", "bits/w"]
    offset = f"0x{built.at('tensors[0].data'):x}"
    assert lines[1].split() == ["blk.0.b", "Q4_0", "4", "x", "32", "128", "72", offset, "4.5"]
    assert lines[3].startswith("out\\xff")
    assert lines[4].split()[2] == "scalar"
    assert lines[-1].split() == ["all", "5", "649", "528", "100.0%", "6.508"]


def test_types_without_a_known_layout(tmp_path: Path, capsys: Text) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(CASES["future-next+0"].data)
    assert run(["tensors", str(path)]) == 0
    assert "?" in capsys.readouterr().out
    assert run(["tensors", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["total"]["nbytes"] is None


def test_no_tensors(tmp_path: Path, capsys: Text) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(CASES["no-tensors"].data)
    assert run(["tensors", str(path)]) == 0
    assert capsys.readouterr().out.splitlines()[-1].split()[:2] == ["all", "0"]
