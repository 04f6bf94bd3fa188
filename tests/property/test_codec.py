"""The generated codec on drawn documents and on damaged bytes.

Invariant: the codec and the trace agree on what is readable, whatever the bytes; only the faults
that they declare escape; what was read is written back byte for byte.
"""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gguf_construct._generated import codec, trace
from gguf_construct.errors import ParseError
from gguf_construct.runtime.views import READ_FAULTS
from tests.support.builders import Model, build
from tests.support.case_types import describe
from tests.support.cases import small_models
from tests.support.mutations import mutations
from tests.support.ours import body_of, canonical, seen_by_codec
from tests.support.seen import seen_of
from tests.support.strategies import models

MODELS = dict(small_models())


def _order(data: bytes) -> str:
    return ">" if codec.probe(data).is_be else "<"


@given(models())
def test_codec_reads_and_writes_any_document(model: Model) -> None:
    built = build(model)
    seen = seen_of(describe(built))
    body = codec.read(built.data)
    assert seen_by_codec(body, _order(built.data) == ">") == seen
    header = built.data[: built.header_end]
    assert codec.write(body, _order(built.data)) == header
    assert codec.write(body_of(seen), _order(built.data)) == header


@given(models())
def test_codec_writes_the_other_byte_order(model: Model) -> None:
    """The header in the other order is what the builder writes in that order."""
    built = build(model)
    other = build(_swapped(model))
    order = "<" if _order(built.data) == ">" else ">"
    assert codec.write(codec.read(built.data), order) == other.data[: other.header_end]


def _swapped(model: Model) -> Model:
    return replace(model, byte_order="little" if model.byte_order == "big" else "big")


def check_any_bytes(data: bytes) -> bool:
    """The invariant above; true when the bytes are readable."""
    fault: ParseError | None = None
    try:
        list(trace.trace(data, fold=2))
    except ParseError as error:
        fault = error
    try:
        body = codec.read(data)
    except READ_FAULTS:
        assert fault is not None, "the trace reads what the codec refuses"
        assert fault.offset is not None
        assert 0 <= fault.offset <= len(data)
        assert fault.path
        return False
    # The magic is not the codec's job.
    assert fault is None or fault.offset == 0, f"the codec reads what the trace refuses: {fault}"
    for pair in body.metadata:
        canonical(pair.value_type, pair.value)
    assert codec.write(body, _order(data))[4:] == data[4 : body.ofs_header_end]
    return fault is None


@pytest.mark.parametrize("name", MODELS)
def test_codec_and_trace_agree_on_damaged_files(name: str) -> None:
    built = MODELS[name]
    chance = random.Random(name)
    verdicts = [check_any_bytes(data) for data in mutations(built.data, chance, 400, built.spans)]
    assert 20 < sum(verdicts) < 380


@given(st.binary(max_size=200))
def test_codec_and_trace_agree_on_any_bytes(data: bytes) -> None:
    check_any_bytes(b"GGUF" + data)


@pytest.mark.parametrize("name", MODELS)
def test_codec_and_trace_agree_on_every_flipped_byte(name: str) -> None:
    built = MODELS[name]
    for at in range(4, built.header_end):
        for flip in (0x01, 0x80, 0xFF):
            data = bytearray(built.data)
            data[at] ^= flip
            check_any_bytes(bytes(data))
