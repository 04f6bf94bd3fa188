"""When the loader of llama.cpp is replayed over a file, and over which tensors."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gguf_construct.core.partial import salvage
from gguf_construct.validation.rules.context import Context
from gguf_construct.validation.rules.loaded import all_tensors, loaded
from tests.support.builders import BIG, Model, build
from tests.support.cases_model import renamed, sound


def context(model: Model) -> Context:
    document = salvage(build(model).data).document
    assert document is not None
    return Context(document, "llama.cpp")


def test_a_whole_model_is_replayed_once() -> None:
    c = context(sound())
    found = loaded(c)
    assert found is not None
    assert found.is_complete
    assert loaded(c) is found
    assert set(all_tensors(c)) <= set(found.asked)


@pytest.mark.parametrize(
    "model",
    [
        replace(sound(), tensors=()),
        replace(sound(), byte_order=BIG),
        renamed(b"cobol"),
    ],
)
def test_others_are_not(model: Model) -> None:
    assert loaded(context(model)) is None
