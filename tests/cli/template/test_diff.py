"""``template diff``: texts and prompts against those of another source."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from gguf_construct.templates.conversations import CONVERSATIONS
from tests.cli.template.test_template import CHATML, bare, path, template
from tests.templates.template_data import TEMPLATES

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

__all__ = ["bare", "path"]


def test_the_same(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for other in (path, TEMPLATES / "chatml.jinja"):
        code, out, err = template(capsys, "diff", path, other)
        assert (code, out) == (0, "")
        assert "the same" in err
    found = json.loads(template(capsys, "diff", path, path, "--json")[1])
    assert (found["same"], found["templates"]) == (True, [])


def test_text_and_prompts(path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "tokenizer_config.json"
    changed = CHATML.replace("<|im_end|>", "<|end|>")
    source.write_text(json.dumps({"chat_template": changed}))
    code, out, _ = template(capsys, "diff", path, source)
    assert code == 1
    assert "+++ new" in out
    assert "conversation 'single' renders differently:" in out
    assert "+Hello, who are you?<|end|>" in out
    code, out, _ = template(capsys, "diff", path, source, "--json")
    found = json.loads(out)
    assert (code, found["same"], found["upstream"]) == (1, False, str(source))
    (one,) = found["templates"]
    assert len(one["rendered"]) == len(CONVERSATIONS)


def test_another_model(path: Path, bare: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = template(capsys, "diff", path, bare)
    assert (code, out) == (1, f"template 'default' is only in {path}\n")
    code, _, err = template(capsys, "diff", bare, bare)
    assert (code, "neither side" in err) == (0, True)


def test_a_broken_upstream(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = template(capsys, "diff", path, "\n{% if %}")
    assert code == 1
    assert "line 2" in err
