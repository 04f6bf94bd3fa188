"""What passes validation in profile llama.cpp, a real llama.cpp loads: mutated whole models."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from gguf_construct.validation.validate import validate
from tests.support.builders import build
from tests.support.cases_model import sound
from tests.support.llama import inspect_many, needs_llama
from tests.support.mutations import mutate

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PER_SEED = 40


def _passing(seed: int) -> Iterator[bytes]:
    built = build(sound())
    chance = random.Random(seed)
    while True:
        data = mutate(built.data, chance, built.spans)
        if data != built.data and validate(data, file_name="model.gguf").ok:
            yield data


@pytest.mark.engine
@needs_llama
@pytest.mark.parametrize("seed", range(4))
def test_mutated_models_that_pass_are_loaded(seed: int, tmp_path: Path) -> None:
    paths = []
    for number, data in zip(range(PER_SEED), _passing(seed), strict=False):
        paths.append(tmp_path / f"{number}.gguf")
        paths[-1].write_bytes(data)
    refused = [
        (path.name, found.message)
        for path, found in zip(paths, inspect_many(paths, facts=False), strict=True)
        if not found.ok
    ]
    assert refused == []
