"""A closed model says that it is closed, whatever is asked of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import gguf_construct as gc
from gguf_construct.errors import ClosedError
from tests.support import builders as b
from tests.support.files import write_vocabulary_model

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

TOKENS = "tokenizer.ggml.tokens"
QUESTIONS: list[Callable[[gc.Model], Any]] = [
    lambda model: model.tensors["weight"].raw,
    lambda model: model.tensors["weight"].data,
    lambda model: model.tensors["weight"].dequantize(),
    lambda model: np.asarray(model.tensors["weight"]),
]


OF_METADATA: list[Callable[[gc.Model], Any]] = [
    lambda model: model.metadata[TOKENS][1],
    lambda model: list(model.metadata[TOKENS]),
    lambda model: model.metadata[TOKENS].index("hello"),
    lambda model: model.metadata["tokenizer.ggml.token_type"],
    lambda model: model.metadata.field("tokenizer.ggml.token_type").plain_value,
    lambda model: model.metadata.field("general.name").encoded,
]


@pytest.mark.parametrize("question", OF_METADATA)
def test_metadata_that_have_no_copy_say_so_too(
    question: Callable[[gc.Model], Any], tmp_path: Path
) -> None:
    model = gc.open(write_vocabulary_model(tmp_path).read_bytes())
    question(model)
    model.close()
    with pytest.raises(ClosedError, match="the model is closed"):
        question(model)


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_closed_model_says_so(question: Callable[[gc.Model], Any], tmp_path: Path) -> None:
    model = gc.open(write_vocabulary_model(tmp_path))
    model.close()
    with pytest.raises(ClosedError, match="the model is closed"):
        question(model)
    # The header was read as a whole.
    assert model.metadata["general.name"] == "Anné"
    assert list(model.metadata[TOKENS])[1] == "<s>"
    model.close()


def test_arrays_that_were_taken_before_stay(tmp_path: Path) -> None:
    path = write_vocabulary_model(tmp_path)
    with gc.open(path) as model:
        weight, kinds = model.tensors["weight"].data, model.metadata["tokenizer.ggml.token_type"]
    assert weight.size
    assert kinds.tolist() == [2, 3, 3, 1, 1]


def test_edits_outlive_the_file_but_cannot_be_saved(tmp_path: Path) -> None:
    data = b.build(b.Model(pairs=(b.Pair(b"a", b.u32(1)),))).data
    path = tmp_path / "m.gguf"
    path.write_bytes(data)
    with gc.open(path) as model:
        model.metadata["a"] = 2
    assert model.metadata["a"] == 2
    with pytest.raises(gc.GGUFError, match="closed"):
        model.save(tmp_path / "new.gguf")
    assert not (tmp_path / "new.gguf").exists()
