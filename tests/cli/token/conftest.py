"""A model for the tests of ``token``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support import builders as b
from tests.support.builders import Pair
from tests.tokens.token_data import token_id, vocabulary_file

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    target = tmp_path / "model.gguf"
    flag = Pair(b"tokenizer.ggml.add_bos_token", b.boolean(1))
    target.write_bytes(vocabulary_file("llama", token_id(b"eos", 1), flag))
    return target
