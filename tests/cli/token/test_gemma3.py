"""The verbs ``token`` and ``template`` on a real model of 262,144 tokens."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import gguf_construct as gc
from gguf_construct.cli.main import run
from tests.support.llama import inspect_many, needs_llama
from tests.support.require import need_gemma3
from tests.templates.template_data import TEMPLATES

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.gemma3

EOS, TYPES = "tokenizer.ggml.eos_token_id", "tokenizer.ggml.token_type"


@pytest.fixture(scope="module")
def edited(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The model with the template of its format, and the end of a turn as EOS."""
    folder = tmp_path_factory.mktemp("gemma3")
    step, out = folder / "step.gguf", folder / "out.gguf"
    source = str(TEMPLATES / "gemma.jinja")
    assert run(["template", "set", str(need_gemma3()), source, "-o", str(step)]) == 0
    assert run(["token", "set", str(step), "eos", "<end_of_turn>", "-o", str(out)]) == 0
    step.unlink()
    return out


def test_eos_is_set_by_text(edited: Path) -> None:
    with gc.open(need_gemma3()) as before, gc.open(edited) as after:
        assert (before.metadata[EOS], after.metadata[EOS]) == (1, 106)
        assert before.metadata.field(TYPES).raw == after.metadata.field(TYPES).raw
        assert bytes(before.buffer[before.data_start :]) == bytes(after.buffer[after.data_start :])


def test_the_template_is_sound_then(edited: Path) -> None:
    with gc.open(edited) as model:
        assert [one for one in gc.check_chat_template(model) if one.severity != "info"] == []


def test_an_absent_token_lists_close_ones(edited: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["token", "set", str(edited), "eos", "<|im_end|>", "-i"]) == 2
    err = capsys.readouterr().err
    assert "no token '<|im_end|>' among the 262144" in err
    assert "106 '<end_of_turn>' (control)" in err


def test_close_ones_come_best_first(edited: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["token", "find", str(edited), "<end_of_trun>", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["close"][0]["text"] == "<end_of_turn>"


def test_marking_changes_four_bytes(tmp_path: Path, edited: Path) -> None:
    out = tmp_path / "out.gguf"
    arguments = ("eos", " Paris", "--mark-control", "-o", str(out))
    assert run(["token", "set", str(edited), *arguments]) == 0
    with gc.open(edited) as before, gc.open(out) as after:
        old, new = before.metadata.field(TYPES), after.metadata.field(TYPES)
        first = after.metadata[EOS] * 4 + len(old.raw) - 4 * len(old.value)
        assert new.raw == old.raw[:first] + (3).to_bytes(4, "little") + old.raw[first + 4 :]


@needs_llama
@pytest.mark.engine
def test_llama_stops_at_that_token(edited: Path) -> None:
    """The model was not trained to end turns: it is made to want to."""
    (found,) = inspect_many([edited], "Hello", 8, favour=106)
    assert (found.eos, found.eos_text) == (106, "<end_of_turn>")
    assert 106 in found.stops
    assert (found.text, found.finish) == ("", "stop")


@needs_llama
@pytest.mark.engine
def test_llama_stops_at_any_token_that_is_set(tmp_path: Path) -> None:
    """No text tells llama.cpp that this one is an end: it reads the id."""
    original, out = need_gemma3(), tmp_path / "out.gguf"
    arguments = ("eos", " Rome", "--mark-control", "-o", str(out))
    assert run(["token", "set", str(original), *arguments]) == 0
    prompt = "The capital of France is Paris. The capital of Italy is"
    before, after = inspect_many([original, out], prompt, 8)
    assert before.text.startswith(" Rome. ")
    assert (before.finish, after.text, after.finish) == ("length", "", "stop")


@pytest.mark.engine
@needs_llama
def test_turn_markers_typed_normal_are_found_mended_and_one_token_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The commonest fault of published models, from the finding to a real tokenizer."""
    markers = ["<start_of_turn>", "<end_of_turn>"]
    broken, mended = tmp_path / "broken.gguf", tmp_path / "mended.gguf"
    original = str(need_gemma3())
    assert run(["token", "mark", original, *markers, "normal", "-o", str(broken)]) == 0
    capsys.readouterr()
    assert run(["validate", str(broken), "--strict"]) == 1
    said = capsys.readouterr().out
    assert "token-marker-normal" in said
    assert f"token mark FILE '{markers[0]}' '{markers[1]}' control -i" in said
    assert run(["token", "mark", str(broken), *markers, "control", "-o", str(mended)]) == 0
    assert mended.read_bytes() == need_gemma3().read_bytes()
    before, after = inspect_many([broken, mended], "<start_of_turn>user")
    assert before.tokens[0] != 105
    assert len(before.tokens) > 5
    assert after.tokens[0] == 105
    assert len(after.tokens) == 2
