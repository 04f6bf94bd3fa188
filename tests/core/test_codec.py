"""Documents, driven by the hand-made cases: what is read, what is written, what is refused."""

from __future__ import annotations

import struct
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest

from gguf_construct._generated.types import Limits
from gguf_construct.core.codec import build, parse
from gguf_construct.errors import (
    GGUFError,
    LimitExceededError,
    NotGGUFError,
    ParseError,
    TruncatedError,
)
from gguf_construct.model import open_model
from gguf_construct.runtime.views import NaN, StringArray
from tests.support import builders as b
from tests.support.builders import build as built
from tests.support.cases import BAD, NOT_GGUF, VALID, cuts, growing_headers, small_models
from tests.support.cases_valid import base
from tests.support.ours import float_bits

if TYPE_CHECKING:
    from pathlib import Path

    from gguf_construct.core.document import Document
    from tests.support.builders import Built
    from tests.support.cases import BadCase, NotGGUF, ValidCase

MODELS = dict(small_models())


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def check_value(value: Any, type_id: int, payload: Any, order: str) -> None:
    """A Python value of the library against a canonical one."""
    if type_id == b.ARRAY and payload.type == b.ARRAY:
        assert isinstance(value, list)
        for item, inner in zip(value, payload.items, strict=True):
            check_value(item, b.ARRAY, inner, order)
    elif type_id == b.ARRAY and payload.type == b.STRING:
        assert isinstance(value, StringArray)
        assert list(value) == [_text(item) for item in payload.items]
        assert [value.raw(i) for i in range(len(value))] == list(payload.items)
    elif type_id == b.ARRAY and payload.type == b.BOOL:
        assert value.tolist() == [bool(item) for item in payload.items]
    elif type_id == b.ARRAY:
        form = order + b.FORMATS[payload.type]
        assert value.tobytes() == b"".join(struct.pack(form, item) for item in payload.items)
        assert not value.flags.writeable
    elif type_id in (b.FLOAT32, b.FLOAT64):
        assert float_bits(type_id, value) == payload
        assert isinstance(value, NaN) == (value != value)
    else:
        assert value == (_text(payload) if type_id == b.STRING else payload or 0)
        assert isinstance(value, bool) == (type_id == b.BOOL)


def _check_fields(document: Document, case: ValidCase) -> None:
    order = "<" if case.expected.byte_order == "little" else ">"
    fields = document.metadata.fields()
    for index, ((key, spec, value), field) in enumerate(
        zip(case.expected.metadata, fields, strict=True)
    ):
        spans = [s for s in case.built.spans if s.path.startswith(f"metadata[{index}].")]
        place = (spans[0].start, spans[3].start, spans[-1].end)
        assert (field.start, field.value_start, field.end) == place
        assert field.raw == case.data[place[1] : place[2]]
        assert (field.raw_key, field.key, int(field.value_type)) == (key, _text(key), value.type)
        if b"mixed" not in key and b"depths" not in key and b"empties" not in key:
            assert field.type == spec
        # A bool is True for any byte but 0.
        payload = bool(value.payload) if value.type == b.BOOL else value.payload
        check_value(field.value, value.type, payload, order)


def _check_tensors(document: Document, case: ValidCase) -> None:
    for info, (name, dims, type_id, offset, start), tensor in zip(
        document.tensors.all, case.expected.tensors, case.built.model.tensors, strict=True
    ):
        assert (info.name, info.dims, info.shape) == (_text(name), dims, dims[::-1])
        assert (info.type, info.offset, info.data_offset) == (type_id, offset, start)
        assert info.nbytes == len(tensor.data)
        assert info.data.tobytes() == info.raw == tensor.data


@pytest.mark.parametrize("case", VALID, ids=str)
def test_document_is_what_was_written(case: ValidCase) -> None:
    document = parse(case.data)
    expected = case.expected
    assert (document.version, document.byte_order) == (expected.version, expected.byte_order)
    assert (document.alignment, document.header_end) == (expected.alignment, expected.header_end)
    assert document.file_size == len(case.data)
    assert expected.data_start in (None, document.data_start)
    _check_fields(document, case)
    _check_tensors(document, case)


@pytest.mark.parametrize("case", VALID, ids=str)
def test_nothing_edited_gives_the_same_bytes(case: ValidCase) -> None:
    assert build(parse(case.data)) == case.data
    assert open_model(case.data).to_bytes() == case.data


def test_saved_files_are_the_same_bytes(tmp_path: Path) -> None:
    for number, case in enumerate([*VALID[::5], *growing_headers()]):
        path = tmp_path / f"{number}.gguf"
        path.write_bytes(case.data)
        with open_model(path) as model:
            model.save(tmp_path / "out.gguf", overwrite=True)
        assert (tmp_path / "out.gguf").read_bytes() == case.data, case.name


@pytest.mark.parametrize("case", [case for case in BAD if case.stage == "parse"], ids=str)
def test_wrong_files_name_the_place(case: BadCase) -> None:
    with pytest.raises(ParseError) as caught:
        parse(case.data)
    assert caught.value.offset in case.offsets
    assert caught.value.path
    assert f"0x{caught.value.offset:x}" in str(caught.value)


def _touch_everything(document: Document) -> None:
    for field in document.metadata.fields():
        assert field.type
        assert field.raw is not None
        assert repr(field.value) is not None
    for tensor in document.tensors.all:
        with suppress(GGUFError):
            tensor.require_layout()
            assert len(tensor.data) == tensor.nbytes
        assert tensor.type_name


@pytest.mark.parametrize("case", [case for case in BAD if case.stage != "parse"], ids=str)
def test_readable_faults_open_and_stay_as_they_are(case: BadCase) -> None:
    if case.stage == "either":
        try:
            parse(case.data)
        except ParseError:
            return
    model = open_model(case.data)
    _touch_everything(model)
    assert build(model) == case.data
    assert model.to_bytes() == case.data


@pytest.mark.parametrize("sample", NOT_GGUF, ids=lambda sample: sample.name)
def test_other_files_are_named(sample: NotGGUF) -> None:
    with pytest.raises(NotGGUFError) as caught:
        parse(sample.data)
    told = f"{caught.value} {caught.value.hint}".lower()
    assert any(word in told for word in sample.words), told
    assert caught.value.offset == 0
    assert caught.value.hint


@pytest.mark.parametrize("built", MODELS.values(), ids=MODELS)
def test_cut_files(built: Built) -> None:
    for cut in cuts(built):
        if cut.in_header:
            with pytest.raises(ParseError) as caught:
                parse(cut.data)
            assert caught.value.offset in cut.offsets, cut.size
            assert isinstance(caught.value, (TruncatedError, NotGGUFError))
            continue
        model = open_model(cut.data)
        assert model.to_bytes() == build(model) == cut.data
        assert bool(cut.missing) == _is_short(model)


def _is_short(document: Document) -> bool:
    try:
        for tensor in document.tensors.all:
            assert tensor.data is not None
    except TruncatedError:
        return True
    return False


def test_limits_cannot_be_raised_beyond_what_the_reader_can_do() -> None:
    array: b.Array = b.Array(b.UINT8, (1,))
    for _ in range(300):
        array = b.Array(b.ARRAY, (array,))
    data = b.build(b.Model((b.Pair(b"x", b.Value(b.ARRAY, array)),))).data
    with pytest.raises(LimitExceededError, match="max_array_depth"):
        open_model(data, limits=Limits(max_array_depth=5000))
    assert open_model(built(base()).data, limits=Limits(max_array_depth=5000)).tensors
