"""The hostile files are hostile: each is refused, for what it claims."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import gguf_construct
from bench import hostile
from gguf_construct.errors import LimitExceededError, TruncatedError

if TYPE_CHECKING:
    from pathlib import Path


def test_every_file_is_refused(tmp_path: Path) -> None:
    files = hostile.hostile_files(tmp_path)
    assert len(files) > 20
    for name, path in files.items():
        with pytest.raises((LimitExceededError, TruncatedError)) as caught:
            gguf_construct.open(path)
        assert caught.value.offset is not None, name


def test_deep_files_are_deep() -> None:
    with pytest.raises(LimitExceededError) as caught:
        gguf_construct.open(hostile.deep_file(1000))
    assert caught.value.limit == "max_array_depth"
    shallow = gguf_construct.open(hostile.deep_file(3))
    assert shallow.metadata["k"].__class__ is list


def test_the_sound_file_opens() -> None:
    with gguf_construct.open(hostile.smallest_vocabulary()) as model:
        assert model.metadata["tokenizer.ggml.tokens"]
