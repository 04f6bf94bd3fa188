"""The sample model: always the same bytes, and a real llama.cpp speaks with it."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import pytest

from tests.support.llama import ggml_headers, inspect, needs_llama
from tools.samples import CHAT_TEMPLATE, main, sample_model

if TYPE_CHECKING:
    from pathlib import Path

SHA256 = "14f28f061a2cccb82cb39e4f6b07e4d024635204e5a887af9952c67d57a89a61"


def test_sample_is_the_same_everywhere() -> None:
    assert hashlib.sha256(sample_model()).hexdigest() == SHA256


def test_main_writes_the_file(tmp_path: Path) -> None:
    assert main([str(tmp_path / "out.gguf")]) == 0
    assert (tmp_path / "out.gguf").read_bytes() == sample_model()


def test_main_explains_itself(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert "tools.samples OUT" in capsys.readouterr().err


@needs_llama
@pytest.mark.engine
def test_llama_loads_the_sample_and_speaks(tmp_path: Path) -> None:
    path = tmp_path / "sample.gguf"
    path.write_bytes(sample_model())
    assert ggml_headers([path])[0].ok
    found = inspect(path, "Hello from", 16, [{"role": "user", "content": "hello"}])
    assert found.ok, found.message
    assert found.text == " a very small model."
    assert found.chat_text.strip() == "Hello from a very small model."
    assert (found.eos, found.eos_text, found.chat_template) == (2, "</s>", CHAT_TEMPLATE)
