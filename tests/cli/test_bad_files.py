"""Files that cannot be read: one clear message, exit code 3, nothing written."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gguf_construct.cli.main import run
from tests.support.cases import BAD, NOT_GGUF, cuts, small_models

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.cases import BadCase, NotGGUF

VERBS = (
    ("show",),
    ("show", "--json"),
    ("get", "general.architecture"),
    ("set", "general.name=x", "-o", "OUT"),
    ("repack", "-o", "OUT"),
)


def _check(folder: Path, data: bytes, capsys: pytest.CaptureFixture[str]) -> str:
    path, out = folder / "in.gguf", folder / "out.gguf"
    path.write_bytes(data)
    told = ""
    for verb, *rest in VERBS:
        arguments = [verb, str(path), *(str(out) if word == "OUT" else word for word in rest)]
        assert run(arguments) == 3, verb
        captured = capsys.readouterr()
        assert captured.out == ""
        assert captured.err.strip()
        told = told or captured.err
        assert not out.exists()
    return " ".join(told.split())


@pytest.mark.parametrize("case", [case for case in BAD if case.stage == "parse"][::3], ids=str)
def test_malformed_files(case: BadCase, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = _check(tmp_path, case.data, capsys)
    assert any(f"0x{offset:x}" in told for offset in case.offsets)


@pytest.mark.parametrize("sample", NOT_GGUF, ids=lambda sample: sample.name)
def test_other_files(sample: NotGGUF, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert any(word in _check(tmp_path, sample.data, capsys).lower() for word in sample.words)


def test_cut_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    built = dict(small_models())["v3-little"]
    for cut in list(cuts(built))[4 : built.header_end : 11]:
        told = _check(tmp_path, cut.data, capsys)
        assert "left in the file" in told


@pytest.mark.parametrize("name", ["m.gguf.part1of2", "m.gguf.part2of2", "m.gguf.001"])
def test_pieces_of_a_file(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / name
    data = dict(small_models())["v3-little"].data
    path.write_bytes(data[100:200] if "2of" in name else data[:100])
    for verb in ("show", "tensors", "map"):
        run([verb, str(path)])
        assert "join the pieces" in capsys.readouterr().err
