"""``diff`` on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gguf_construct.cli.main import run
from tests.support import builders as b
from tests.support.builders import Pair, build
from tests.support.cases_valid import base

TOKENS = [b"t%d" % at for at in range(30)]


@pytest.fixture
def paths(tmp_path: Path) -> tuple[str, str]:
    tokens = Pair(b"tokenizer.ggml.tokens", b.array(b.STRING, *TOKENS))
    others = Pair(b"tokenizer.ggml.tokens", b.array(b.STRING, b"new\xff", *TOKENS[:-1]))
    template = Pair(b"tokenizer.chat_template", b.text("line\n" * 30 + "a"))
    changed = Pair(b"tokenizer.chat_template", b.text("line\n" * 30 + "b"))
    first, second = tmp_path / "a.gguf", tmp_path / "b.gguf"
    first.write_bytes(build(base(tokens, template)).data)
    second.write_bytes(build(base(others, changed, Pair(b"x", b.f32(float("nan"))))).data)
    return str(first), str(second)


def test_the_same_file_is_the_same(
    paths: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["diff", paths[0], paths[0]]) == 0
    out, err = capsys.readouterr()
    assert (out, err) == ("", "the models are the same\n")


def test_differences_are_lines(paths: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["diff", *paths]) == 1
    out, err = capsys.readouterr()
    lines = out.splitlines()
    assert lines[0] == "~ tokenizer.ggml.tokens: [string] 1 added, 1 removed, 29 moved"
    assert lines[1:3] == ['    - [29] "t29"', '    + [0] "new\\xff"']
    assert lines[13] == "    ... and 19 more"
    assert "151 -> 151 characters, from line 31" in lines[14]
    assert lines[15] == "+ x: float32 nan"
    assert "3 keys and 0 tensors differ" in err
    run(["diff", *paths, "--full"])
    assert len(capsys.readouterr().out.splitlines()) == 34


def test_json_is_for_programs(paths: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["diff", *paths, "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert (document["schema"], document["same"]) == (1, False)
    assert [row["key"] for row in document["metadata"]] == [
        "tokenizer.ggml.tokens",
        "tokenizer.chat_template",
        "x",
    ]
    elements = document["metadata"][0]["elements"]
    assert elements["added"]["head"] == [{"index": 0, "value": {"base64": "bmV3/w=="}}]
    assert elements["moved"]["count"] == 29
    assert document["metadata"][2]["new"] == {"type": "float32", "value": "NaN"}


def test_keys_can_be_ignored(paths: tuple[str, str]) -> None:
    assert run(["diff", *paths, "--ignore", "tokenizer.*", "--ignore", "x"]) == 0


def test_upstream_needs_a_folder(paths: tuple[str, str], tmp_path: Path) -> None:
    assert run(["diff", paths[0]]) == 2
    assert run(["diff", *paths, "--upstream", str(tmp_path)]) == 2
    assert run(["diff", paths[0], "--upstream", str(tmp_path / "none")]) == 4


def test_upstream_is_a_table(
    paths: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"num_hidden_layers": 1, "rope_theta": 5.0}))
    assert run(["diff", paths[0], "--upstream", str(tmp_path)]) == 1
    out = capsys.readouterr().out
    assert out.splitlines()[1].split()[:4] == ["differs", "llama.rope.freq_base", "10000.0", "5.0"]
    assert run(["diff", paths[0], "--upstream", str(tmp_path), "--ignore", "*.freq_base"]) == 0
    capsys.readouterr()
    run(["diff", paths[0], "--upstream", str(tmp_path), "--json"])
    document = json.loads(capsys.readouterr().out)
    assert {row["key"]: row["verdict"] for row in document["rows"]} == {
        "llama.block_count": "same",
        "llama.rope.freq_base": "differs",
        "tokenizer.chat_template": "missing there",
    } | {row["key"]: "missing there" for row in document["rows"] if row["there"] is None}


@pytest.mark.parametrize("keep", [30, -40], ids=["header", "data"])
@pytest.mark.parametrize("at", [0, 1])
def test_errors_name_the_file_at_fault(
    keep: int, at: int, paths: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cut = tmp_path / "cut.gguf"
    cut.write_bytes(Path(paths[at]).read_bytes()[:keep])
    both = [*paths]
    both[at] = str(cut)
    assert run(["diff", *both]) == 3
    assert capsys.readouterr().err.startswith(f"error: {cut}: ")
    if keep > 0:
        assert run(["tensor", paths[0], "weight", "--compare", str(cut)]) == 3
        assert f"error: {cut}: " in capsys.readouterr().err
        assert run(["template", "diff", paths[0], str(cut)]) == 3
        assert capsys.readouterr().err.startswith(f"error: {cut}: ")
