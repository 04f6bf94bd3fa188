"""``token set``: by text and by id, refusals, shards."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import gguf_construct as gc
from gguf_construct.cli.main import run
from tests.cli.token.token_verb import EOS, token
from tests.support import builders as b
from tests.support.builders import Model, Pair, build
from tests.support.llama import inspect_many, needs_llama
from tests.tokens.token_data import vocabulary_file
from tools.samples import sample_model

if TYPE_CHECKING:
    from pathlib import Path


def test_set_by_text(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = path.read_bytes()
    code, _, err = token(capsys, "set", path, "eos", "</s>", "-i")
    assert code == 0
    assert "eos: 1 '<s>' (control) -> 2 '</s>' (control)" in err
    changed = [
        at for at, (a, z) in enumerate(zip(before, path.read_bytes(), strict=True)) if a != z
    ]
    with gc.open(path) as model:
        assert changed == [model.metadata.field(EOS).value_start]
        assert model.metadata[EOS] == 2


def test_set_several_and_flags(path: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.gguf"
    pairs = ("eos", "</s>", "pad", "0", "fim-pre", " the")
    flags = ("--no-add-bos", "--add-eos")
    assert run(["token", "set", str(path), *pairs, *flags, "-o", str(out)]) == 0
    with gc.open(out) as model:
        metadata = model.metadata
        assert (metadata[EOS], metadata["tokenizer.ggml.padding_token_id"]) == (2, 0)
        assert metadata["tokenizer.ggml.fim_pre_token_id"] == 4
        assert metadata["tokenizer.ggml.add_bos_token"] is False
        assert metadata["tokenizer.ggml.add_eos_token"] is True
        assert "tokenizer.ggml.add_sep_token" not in metadata


def test_a_role_is_given_once(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = path.read_bytes()
    assert run(["token", "set", str(path), "-i", "fim-pre", "1", "eos", "2", "fim_pre", "4"]) == 2
    assert "fim_pre is given twice" in capsys.readouterr().err
    assert path.read_bytes() == before


def test_set_only_a_flag(path: Path) -> None:
    assert run(["token", "set", str(path), "--no-add-bos", "-i"]) == 0
    with gc.open(path) as model:
        assert model.metadata["tokenizer.ggml.add_bos_token"] is False


def test_digits_are_an_id_unless_told(path: Path) -> None:
    for option, id in (((), 7), (("--id",), 7), (("--text",), 10)):
        assert run(["token", "set", str(path), "pad", "7", *option, "-i"]) == 0
        with gc.open(path) as model:
            assert model.metadata["tokenizer.ggml.padding_token_id"] == id


def test_set_reports_json(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = token(capsys, "set", path, "eos", "<|im_end|>", "--mark-control", "-i", "--json")
    assert code == 0
    changes: list[dict[str, Any]] = json.loads(out)["changes"]
    assert [(one["key"], one["old"], one["new"]) for one in changes] == [
        ("tokenizer.ggml.token_type[7]", 1, 3),
        (EOS, 1, 7),
    ]


def test_set_offers_to_mark(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = token(capsys, "set", path, "eos", "<|im_end|>", "-i")
    assert code == 0
    assert "is marked normal, not control" in err
    assert "--mark-control" in err


def test_setting_what_is_there_writes_nothing(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = path.stat()
    code, _, err = token(capsys, "set", path, "eos", "<s>", "-i")
    assert code == 0
    assert "nothing to change" in err
    assert (path.stat().st_mtime_ns, path.stat().st_ino) == (before.st_mtime_ns, before.st_ino)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("eos", "<|im_ned|>"), "7 '<|im_end|>' (normal)"),
        (("eos", "twice"), "may mean 2 tokens: 8 'twice' (normal), 9 'twice' (normal)"),
        (("eos", "11"), "the vocabulary has 11 tokens"),
        (("eof", "<s>"), "choose from bos, eos"),
        (("eos",), "has no token"),
        (("eos", "x", "--id"), "is not an id"),
        (("eos", "1", "--id", "--text"), "exclude each other"),
        ((), "say what to set"),
    ],
)
def test_refusals(
    arguments: tuple[str, ...], words: str, path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = path.read_bytes()
    code, _, err = token(capsys, "set", path, *arguments, "-i")
    assert code == 2
    assert words in err
    assert path.read_bytes() == before


def test_set_says_where_to_write(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = token(capsys, "set", path, "eos", "</s>")
    assert code == 2
    assert "-o OUT" in err


def test_set_edits_the_first_shard(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = (tmp_path / f"m-0000{number}-of-00002.gguf" for number in (1, 2))
    shard = [
        (Pair(b"split.no", b.u16(number)), Pair(b"split.count", b.u16(2))) for number in (0, 1)
    ]
    first.write_bytes(vocabulary_file("llama", *shard[0]))
    second.write_bytes(build(Model(shard[1])).data)
    before = second.read_bytes()
    assert token(capsys, "set", second, "eos", "<s>", "-i")[0] == 0
    assert second.read_bytes() == before
    with gc.open(first) as model:
        assert model.metadata[EOS] == 1


@needs_llama
@pytest.mark.engine
def test_llama_stops_at_the_token_that_was_set(tmp_path: Path) -> None:
    """The sample model says "... a very small model." and then the end of its turn."""
    wrong, shown, right = (tmp_path / f"{name}.gguf" for name in ("wrong", "shown", "right"))
    wrong.write_bytes(sample_model())
    arguments = ["token", "set", str(wrong), "eos", " small", "-o"]
    assert run([*arguments, str(shown)]) == 0
    assert run([*arguments, str(right), "--mark-control"]) == 0
    found = inspect_many([wrong, shown, right], "Hello from", 16)
    # It ends there; only the text of a control token is not printed.
    assert [one.text for one in found] == [" a very small model.", " a very small", " a very"]
    assert found[2].eos_text == "▁small"
