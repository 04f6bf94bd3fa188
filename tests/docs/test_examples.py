"""The examples of the documentation run, and print what it says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.examples import Block, blocks, commands, differences
from tools.samples import sample_model

DOCS = Path(__file__).resolve().parents[2] / "docs"
BOTH = {"console", "pycon"}
# Documents whose blocks run one after the other, beside a sample model named model.gguf, and the
# kinds of blocks that each has to have.
RUNNING = {
    "../README.md": BOTH,
    "compare-and-export.md": BOTH,
    "cookbook.md": {"pycon"},
    "editing-in-place.md": BOTH,
    "python.md": {"pycon"},
    "tokens-and-templates.md": BOTH,
}


@pytest.mark.parametrize(("name", "kinds"), RUNNING.items())
def test_examples(
    name: str, kinds: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "model.gguf").write_bytes(sample_model())
    (tmp_path / "cut.gguf").write_bytes(sample_model()[:100_000])
    monkeypatch.setenv("PYTHONPATH", str(DOCS.parent))
    monkeypatch.setenv("PYTHONUTF8", "1")
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    monkeypatch.chdir(tmp_path)
    found = blocks((DOCS / name).read_text(encoding="utf-8"))
    assert {block.language for block in found} == kinds
    names: dict[str, object] = {}
    wrong = [
        f"{name}:{block.line}\n{text}"
        for block in found
        for text in differences(block, tmp_path, names)
    ]
    assert not wrong, "\n".join(wrong)


def test_a_console_block_is_taken_apart() -> None:
    text = "$ gguf-construct a\none\ntwo\n$ gguf-construct b > c\n"
    assert commands(text) == [("gguf-construct a", "one\ntwo\n"), ("gguf-construct b > c", "")]


@pytest.mark.parametrize(
    "block",
    [
        Block("pycon", ">>> 1 + 1\n3\n", 1),
        Block("console", "$ gguf-construct get absent.gguf x\n", 1),
        Block("console", "$ gguf-construct --version\nsomething else\n", 1),
    ],
)
def test_a_wrong_example_is_seen(block: Block, tmp_path: Path) -> None:
    assert differences(block, tmp_path, {})


def test_a_right_example_passes(tmp_path: Path) -> None:
    text = "$ gguf-construct --version\ngguf-construct, version ...\n"
    assert differences(Block("console", text, 1), tmp_path, {}) == []
