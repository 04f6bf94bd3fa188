"""``token list``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.cli.token.token_verb import EOS, token
from tests.support.builders import Model, build
from tests.tokens.token_data import token_id, vocabulary_file

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_list(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = token(capsys, "list", path)
    assert (code, err) == (0, "")
    rows = [line.split() for line in out.splitlines() if EOS in line]
    assert rows == [["eos", "1", '"<s>"', "control", "file", EOS]]
    assert "added to prompts: bos yes" in out
    assert 'llama.cpp stops at: 1 "<s>", 2 "</s>", 7 "<|im_end|>"' in out


def test_list_json(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = token(capsys, "list", path, "--json")
    found = json.loads(out)
    assert code == 0
    assert (found["schema"], found["tokenizer"], found["num_tokens"]) == (1, "llama", 11)
    assert found["added"] == {"bos": True, "eos": None, "sep": None}
    assert [one["id"] for one in found["stops"]] == [1, 2, 7]
    assert found["tokens"][0] == {
        "role": "bos",
        "key": "tokenizer.ggml.bos_token_id",
        "id": 1,
        "text": "<s>",
        "type": "control",
        "added": True,
        "source": "default",
        "note": None,
    }


def test_list_warns_of_wrong_ids(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "m.gguf"
    target.write_bytes(vocabulary_file("llama", token_id(b"eos", 99)))
    code, _, err = token(capsys, "list", target)
    assert code == 0
    assert "outside the vocabulary of 11 tokens" in err


def test_list_needs_a_vocabulary(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "m.gguf"
    target.write_bytes(build(Model()).data)
    code, _, err = token(capsys, "list", target)
    assert code == 2
    assert "no vocabulary" in err
