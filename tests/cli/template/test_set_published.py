"""``template set`` takes every published template that an engine renders, byte for byte."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import gguf_construct as gc
from tests.cli.template.test_template import KEY, bare, template
from tests.support.require import need_corpus
from tools.corpus import published_templates

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["bare"]

pytestmark = pytest.mark.slow


def test_published_templates_are_set(
    bare: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By default the engines that are installed judge; without llama.cpp the table does."""
    templates = published_templates(need_corpus())
    text, target, refused = tmp_path / "chat.jinja", tmp_path / "new.gguf", {}
    for name, source in templates.items():
        text.write_text(source, encoding="utf-8", newline="")
        code, _, err = template(capsys, "set", bare, text, "-o", target, "--force")
        if code:
            refused[name] = err
            continue
        with gc.open(target) as model:
            assert model.metadata[KEY] == source, name
    assert refused == {}
    assert len(templates) >= 60
