"""``token mark`` on the command line, and what `validate` says before and after."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from gguf_construct.cli.main import run
from tests.tokens.token_data import vocabulary_file

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    target = tmp_path / "model.gguf"
    target.write_bytes(vocabulary_file("llama"))
    return target


def findings(path: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, str]:
    capsys.readouterr()
    run(["validate", str(path), "--json"])
    report = json.loads(capsys.readouterr().out)
    files = report.get("files", [report])
    return {one["code"]: one["hint"] for file in files for one in file["problems"]}


def test_the_hint_of_validate_mends_it(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = path.read_bytes()
    hint = findings(path, capsys)["token-marker-normal"]
    assert hint == "mark them: gguf-construct token mark FILE '<|im_end|>' control -i"
    assert run(["token", "mark", str(path), "<|im_end|>", "control", "-i"]) == 0
    assert "7 '<|im_end|>' (normal) -> control" in capsys.readouterr().err
    assert "token-marker-normal" not in findings(path, capsys)
    assert sum(a != b for a, b in zip(before, path.read_bytes(), strict=True)) == 1


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["<|im_end|>", "the", "user-defined"], 0, "the' (normal) -> user_defined"),
        (["7", "control"], 0, "<|im_end|>' (normal) -> control"),
        (["--text", "7", "control"], 0, "10 '7' (normal) -> control"),
        (["--id", "the", "control"], 2, "not an id"),
        (["--id", "--text", "7", "control"], 2, "exclude each other"),
        (["<|im_ned|>", "control"], 2, "close ones are"),
        (["<|im_end|>", "special"], 2, "types are normal"),
        (["control"], 2, "Missing argument"),
    ],
)
def test_tokens_by_text_and_id(
    words: list[str], code: int, said: str, path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["token", "mark", str(path), *words, "-i"]) == code
    assert said in capsys.readouterr().err
