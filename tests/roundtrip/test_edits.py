"""Edits against the builder: an edited file is what would have been written with that content.

The builder makes the edited file from scratch, so nothing of the library's planning can hide.
"""

from __future__ import annotations

import struct
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gguf_construct.model import open_model
from gguf_construct.runtime.views import NaN
from tests.support import builders as b
from tests.support.builders import Model, Pair, Value, build
from tests.support.cases import VALID, growing_headers
from tests.support.strategies import ALIGNMENTS, keys, models, values

if TYPE_CHECKING:
    from gguf_construct.core.field import Field
    from tests.support.cases import ValidCase

ALIGNMENT = "general.alignment"


def as_python(type_id: int, payload: Any) -> Any:
    """A canonical value as a person would give it."""
    if type_id == b.ARRAY:
        return [as_python(payload.type, item) for item in payload.items]
    if type_id in (b.FLOAT32, b.FLOAT64):
        form, width = ("<f", 4) if type_id == b.FLOAT32 else ("<d", 8)
        number: float = struct.unpack(form, payload.to_bytes(width, "little"))[0]
        return number if number == number else NaN(payload, width)
    if type_id == b.BOOL:
        return bool(payload)
    return payload.decode("utf-8", "surrogateescape") if type_id == b.STRING else payload


def is_settable(value: Value) -> bool:
    """Whether Python data and a type spec can express it: no odd bools, no mixed nesting."""

    def fine(type_id: int, payload: Any) -> bool:
        if type_id == b.ARRAY:
            inner = {b.spec_of(Value(b.ARRAY, i)) for i in payload.items if payload.type == b.ARRAY}
            mixed = len(inner) != 1 if payload.type == b.ARRAY else False
            return not mixed and all(fine(payload.type, item) for item in payload.items)
        return type_id != b.BOOL or payload in (0, 1)

    return fine(value.type, value.payload)


def text(key: bytes) -> str:
    """A key as the library shows it."""
    return key.decode("utf-8", "surrogateescape")


def with_pair(model: Model, pair: Pair) -> Model:
    """The pair at its old place, else at the end."""
    if any(old.key == pair.key for old in model.pairs):
        pairs = tuple(pair if old.key == pair.key else old for old in model.pairs)
    else:
        pairs = (*model.pairs, pair)
    return replace(model, pairs=pairs)


def tidy(model: Model) -> Model:
    """Only zeros as padding, nothing behind: what every rewrite keeps."""
    return replace(model, pad_byte=0, tail=b"", pad_end=True)


@st.composite
def edits(draw: st.DrawFn, model: Model) -> tuple[str, bytes, Any]:
    """One edit: what, which key, and with what."""
    present = [bytes(pair.key) for pair in model.pairs if isinstance(pair.key, bytes)]
    kinds = ["set", "set", "align"] + (["unset", "rename"] if present else [])
    kind = draw(st.sampled_from(kinds))
    if kind == "align":
        return "set", ALIGNMENT.encode(), b.u32(draw(ALIGNMENTS))
    if kind == "set":
        key = draw(st.one_of(st.sampled_from(present), keys()) if present else keys())
        if key == ALIGNMENT.encode():
            return "set", key, b.u32(draw(ALIGNMENTS))
        return "set", key, draw(values().filter(is_settable))
    key = draw(st.sampled_from(present))
    if kind == "rename":
        return "rename", key, draw(keys().filter(lambda new: new not in present))
    return "unset", key, None


@given(models().map(tidy), st.data())
def test_edited_files_are_what_the_builder_writes(model: Model, data: st.DataObject) -> None:
    document = open_model(build(model).data)
    for _ in range(data.draw(st.integers(1, 4))):
        kind, key, given_ = data.draw(edits(model))
        if kind == "set":
            python = as_python(given_.type, given_.payload)
            document.metadata.set(text(key), python, b.spec_of(given_))
            model = with_pair(model, Pair(key, given_))
        elif kind == "unset":
            del document.metadata[text(key)]
            model = replace(model, pairs=tuple(p for p in model.pairs if p.key != key))
        else:
            document.metadata.rename(text(key), text(given_))
            pairs = (p._replace(key=given_) if p.key == key else p for p in model.pairs)
            model = replace(model, pairs=tuple(pairs))
    assert document.to_bytes() == build(model).data


def _set_back(case: ValidCase, key: str, old: Field | Any, type: str | None) -> bytes:
    model = open_model(case.data)
    model.metadata.set(key, "something else, and longer", "string")
    assert model.to_bytes() != case.data
    model.metadata.set(key, old, type)
    return model.to_bytes()


@pytest.mark.parametrize("case", VALID, ids=str)
def test_a_key_set_and_set_back_leaves_no_trace(case: ValidCase) -> None:
    fields = open_model(case.data).metadata.fields()
    for field, (_, spec, value) in zip(fields[:40], case.expected.metadata, strict=False):
        assert _set_back(case, field.key, field, None) == case.data
        if is_settable(value) and field.key != ALIGNMENT:
            assert _set_back(case, field.key, field.value, spec) == case.data, field.key
            assert _set_back(case, field.key, field.plain_value, spec) == case.data, field.key


@pytest.mark.parametrize("case", VALID, ids=str)
def test_a_value_set_to_itself_changes_nothing(case: ValidCase) -> None:
    model = open_model(case.data)
    for field, (*_, value) in zip(model.metadata.fields(), case.expected.metadata, strict=True):
        if is_settable(value):
            assert model.metadata.set(field.key, field.value) is field
    assert not model.metadata.is_changed
    assert model.to_bytes() == case.data


@pytest.mark.parametrize("case", VALID, ids=str)
def test_a_key_added_and_removed_leaves_no_trace(case: ValidCase) -> None:
    model = open_model(case.data)
    model.metadata.set("added.key", 5, "uint32")
    longer = open_model(model.to_bytes())
    assert [f.encoded for f in longer.metadata.fields()[:-1]] == [
        field.encoded for field in open_model(case.data).metadata.fields()
    ]
    assert [t.raw for t in longer.tensors.all] == [t.raw for t in open_model(case.data).tensors.all]
    del model.metadata["added.key"]
    assert model.to_bytes() == case.data


def test_every_growth_of_the_header_moves_only_the_data() -> None:
    cases = list(growing_headers())
    for case in cases:
        for other in cases[::7]:
            model = open_model(case.data)
            model.metadata["general.description"] = other.expected.metadata[-1][2].payload.decode()
            assert model.to_bytes() == other.data


@pytest.mark.parametrize("alignment", [1, 2, 4, 8, 16, 32, 64, 128, 4096])
def test_alignment_edits_lay_the_data_out_again(alignment: int) -> None:
    pair = Pair(ALIGNMENT.encode(), b.u32(alignment))
    for case in VALID:
        if not case.name.startswith("alignment-"):
            continue
        model = open_model(case.data)
        model.metadata.set(ALIGNMENT, alignment)
        assert model.to_bytes() == build(with_pair(case.built.model, pair)).data
        model = open_model(case.data)
        del model.metadata[ALIGNMENT]
        pairs = tuple(p for p in case.built.model.pairs if p.key != pair.key)
        assert model.to_bytes() == build(replace(case.built.model, pairs=pairs)).data
