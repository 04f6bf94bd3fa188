"""Any bytes: a Document or a ParseError, and whatever a Document offers raises only GGUFError.

Invariant: open gives a ParseError with a place inside the file, or a document.  A document that
was not edited is written back byte for byte; one that was edited can be opened again and keeps
every other pair and all tensor bytes.  Nothing else escapes, nothing grows without bound.
"""

from __future__ import annotations

import random
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gguf_construct.core.codec import build
from gguf_construct.errors import GGUFError, ParseError
from gguf_construct.model import open_model
from gguf_construct.planning.layout import plan_layout
from tests.support.builders import build as build_model
from tests.support.cases import BAD, VALID, small_models
from tests.support.mutations import mutations
from tests.support.seen import read_plainly
from tests.support.strategies import models
from tools.samples import sample_model

if TYPE_CHECKING:
    from gguf_construct.core.document import Document
    from gguf_construct.model import Model as OpenModel

ADDED = "added.by.test"


def _tensor_bytes(document: Document) -> list[Any]:
    found: list[Any] = []
    for tensor in document.tensors.all:
        data: bytes | None = None
        with suppress(GGUFError):
            data = tensor.raw
        found.append((tensor.record.name, tensor.dims, tensor.type, data))
    return found


def _look_at(document: Document) -> None:
    repr(document)
    for field in document.metadata.fields():
        repr(field)
        assert field.encoded == document.buffer[field.start : field.end]
        assert field.key in document.metadata
        assert field.array_length is None or field.array_length == len(field.value)
        assert field.plain_value is not None
    for tensor in document.tensors.all:
        repr(tensor)
        assert tensor.name in document.tensors
        with suppress(GGUFError):
            tensor.require_layout()


def _edit(model: OpenModel, data: bytes) -> None:
    size = plan_layout(model).nbytes
    assert size == len(data)
    before = [field.encoded for field in model.metadata.fields()]
    tensors = _tensor_bytes(model)
    model.metadata.set(ADDED, "text", "string")
    if plan_layout(model).nbytes > 2 * len(data) + 100_000:
        pytest.fail(f"a small file grows to {plan_layout(model).nbytes} bytes")
    again = open_model(model.to_bytes())
    assert [field.encoded for field in again.metadata.fields()[:-1]] == before
    assert again.metadata[ADDED] == "text"
    if model.data_start <= model.file_size:
        for one, other in zip(_tensor_bytes(again), tensors, strict=True):
            assert one[:3] == other[:3]
            assert other[3] is None or one[3][: len(other[3])] == other[3]


def _opened(data: bytes) -> OpenModel | ParseError:
    try:
        return open_model(data)
    except ParseError as error:
        return error


def check(data: bytes) -> bool:
    """The invariant; true when the bytes are a document."""
    model = _opened(data)
    if isinstance(model, ParseError):
        assert model.offset is not None
        assert 0 <= model.offset <= len(data)
        assert str(model)
        return False
    _look_at(model)
    assert build(model) == data
    assert model.to_bytes() == data
    if ADDED not in model.metadata:
        _edit(model, data)
    return True


@given(models(), st.randoms(use_true_random=False))
def test_damaged_documents(model: Any, chance: random.Random) -> None:
    built = build_model(model)
    check(built.data)
    for data in mutations(built.data, chance, 5, built.spans):
        check(data)


@pytest.mark.parametrize("name", dict(small_models()))
def test_damaged_small_files(name: str) -> None:
    built = dict(small_models())[name]
    verdicts = [check(d) for d in mutations(built.data, random.Random(name), 300, built.spans)]
    assert 20 < sum(verdicts) < 280


def test_damaged_cases() -> None:
    chance = random.Random(7)
    for case in (*VALID, *BAD):
        if len(case.data) < 5000:
            for data in mutations(case.data, chance, 3, case.built.spans):
                check(data)


def test_damaged_model() -> None:
    data = sample_model()
    _, spans = read_plainly(data)
    for one in mutations(data, random.Random(3), 15, spans):
        check(one)


@given(st.binary(max_size=300))
def test_noise(data: bytes) -> None:
    check(data)
    check(b"GGUF" + data)
    check(b"GGUF\3\0\0\0" + data)
