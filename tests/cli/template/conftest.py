"""Models for the tests of ``template``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.cli.template.template_files import CHATML, KEY
from tests.support import builders as b
from tests.support.builders import Pair
from tests.tokens.token_data import token_id, vocabulary_file

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A model with chatml, whose EOS is the end of a turn."""
    target = tmp_path / "model.gguf"
    source = Pair(KEY.encode(), b.text(CHATML))
    target.write_bytes(vocabulary_file("llama", token_id(b"eos", 7), source))
    return target


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    target = tmp_path / "bare.gguf"
    target.write_bytes(vocabulary_file("llama"))
    return target
