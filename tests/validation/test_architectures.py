"""Every architecture against a real llama.cpp and against the names of gguf-py."""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING

import pytest

from gguf_construct._generated.weights import LOADERS
from tests.support.architectures import (
    check_architecture,
    converted_models,
    errors_of,
    judge_faults,
)
from tests.support.builders import build
from tests.support.llama import needs_llama
from tests.support.llama_load import Judge
from tests.support.shared import needs_shared, shared_path
from tests.support.tiny_models import largest, smallest

if TYPE_CHECKING:
    from collections.abc import Iterator

gguf = pytest.importorskip("gguf")

# Converted models that llama.cpp refuses, by what its loader says (see their README).
REFUSED = {"gpt2", "mamba2", "modernbert", "phi3", "ernie45moe"}
# gguf-py lists the names with the prefix of every block; these are newer than the package.
_NUMBER = re.compile(r"(?<=\.)\d+(?=\.)")
_SUFFIX = re.compile(r"\.(weight|bias|scale|lora_a|lora_b)$")


@pytest.fixture(scope="module")
def judge() -> Iterator[Judge]:
    with Judge() as one:
        yield one


@needs_llama
@pytest.mark.parametrize("architecture", sorted(LOADERS))
def test_models_made_from_our_list_load(architecture: str, judge: Judge) -> None:
    """Without one of the tensors that must be there, both refuse."""
    assert list(check_architecture(architecture, judge)) == []


@needs_llama
def test_single_faults(judge: Judge) -> None:
    """A sample; `make agreement` judges many more."""
    names = random.Random(7).sample(sorted(LOADERS), 12)
    models = [(name, largest(name)) for name in names]
    with Judge(runs=True) as runner:
        counts, found = judge_faults(models, 0.02, judge, runner)
    refused = sum(number for (_, what), number in counts.items() if what == "refused")
    assert refused > 20
    assert [one for one in found if one.ours] == []
    assert len(found) <= refused / 100


@needs_shared
@pytest.mark.parametrize(
    "name", [name for name, _ in converted_models()] if shared_path() else ["none"]
)
def test_converted_models(name: str) -> None:
    """Sound ones have no error, those that llama.cpp refuses have one."""
    model = dict(converted_models())[name]
    assert bool(errors_of(build(model).data)) == (name in REFUSED)


@pytest.mark.parametrize("architecture", sorted(LOADERS))
def test_names_are_those_of_gguf_py(architecture: str) -> None:
    """For an architecture of the package, every tensor that must be there is in its table."""
    names = {text: number for number, text in gguf.MODEL_ARCH_NAMES.items()}
    number = names.get(architecture)
    if number is None or number not in gguf.MODEL_TENSORS:
        pytest.skip("newer than the package gguf")
    every = {gguf.TENSOR_NAMES[one].replace("{bid}", "0") for one in gguf.TENSOR_NAMES}
    for tensor in smallest(architecture).tensors:
        assert isinstance(tensor.name, bytes)
        plain = _SUFFIX.sub("", _NUMBER.sub("0", tensor.name.decode()))
        assert plain in every, plain
