"""What the tests of ``token`` share: the call of a verb."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gguf_construct.cli.main import run

if TYPE_CHECKING:
    import pytest

EOS = "tokenizer.ggml.eos_token_id"


def token(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = run(["token", *map(str, arguments)])
    out, err = capsys.readouterr()
    return code, out, err
