"""What the tests of ``template`` share: a model's template, and the call of a verb."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gguf_construct.cli.main import run
from tests.templates.template_data import template_source

if TYPE_CHECKING:
    import pytest

KEY = "tokenizer.chat_template"
CHATML = template_source("chatml")
MESSAGES = '[{"role": "user", "content": "Hi"}]'


def template(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = run(["template", *map(str, arguments)])
    out, err = capsys.readouterr()
    return code, out, err
