"""``token find``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.cli.token.token_verb import token

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("wanted", "ids"), [("the", [4, 5]), ("7", [7, 10]), (r"\n", [3]), ("<|im_end|>", [7])]
)
def test_find(wanted: str, ids: list[int], path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = token(capsys, "find", path, wanted)
    assert code == 0
    assert [int(line.split()[0]) for line in out.splitlines()[1:]] == ids


def test_find_json(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = token(capsys, "find", path, " the", "--json")
    assert code == 0
    assert json.loads(out)["tokens"] == [
        {"id": 4, "text": "▁the", "type": "normal", "stands_for": " the"}
    ]


def test_find_by_regular_expression(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = token(capsys, "find", path, "--regex", "im_", "--json")
    assert code == 0
    assert [one["id"] for one in json.loads(out)["tokens"]] == [6, 7]
    assert token(capsys, "find", path, "-r", "nothing like it")[0] == 1
    code, _, err = token(capsys, "find", path, "-r", "(")
    assert code == 2
    assert "not a regular expression" in err


def test_find_nothing(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = token(capsys, "find", path, "<|im_ned|>")
    assert (code, out) == (1, "")
    assert "7 '<|im_end|>' (normal)" in err
    code, out, _ = token(capsys, "find", path, "<|im_ned|>", "--json")
    assert code == 1
    assert json.loads(out)["close"][0]["id"] == 7
