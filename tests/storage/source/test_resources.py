"""What is installed with the package."""

from __future__ import annotations

import pytest

from gguf_construct.model import open_model
from gguf_construct.storage.source.resources import sample_path, spec_names, spec_text


def test_schemas() -> None:
    names = spec_names()
    assert {"gguf": "gguf.ksy", "ggml": "ggml.ksy", "keys": "keys.yaml"}.items() <= names.items()
    assert "id: gguf" in spec_text("gguf.ksy")
    with pytest.raises(FileNotFoundError, match="absent"):
        spec_text("absent.ksy")


def test_the_sample_is_a_model() -> None:
    with open_model(sample_path()) as model:
        assert model.tensors
