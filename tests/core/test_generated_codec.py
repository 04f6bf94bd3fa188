"""The generated codec and trace, driven by the hand-made cases in both directions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gguf_construct._generated import codec, trace
from gguf_construct.errors import GGUFError, ParseError
from gguf_construct.runtime.views import READ_FAULTS
from tests.support.cases import BAD, NOT_GGUF, VALID, cuts, small_models
from tests.support.ours import body_of
from tests.support.seen import seen_of

if TYPE_CHECKING:
    from tests.support.builders import Built
    from tests.support.cases import BadCase, NotGGUF, ValidCase

MODELS = dict(small_models())


def _order(case: ValidCase | BadCase) -> str:
    return "<" if case.built.model.byte_order == "little" else ">"


def _fault(data: bytes) -> GGUFError:
    with pytest.raises(ParseError) as caught:
        list(trace.trace(data, fold=3))
    return caught.value


@pytest.mark.parametrize("case", VALID, ids=str)
def test_codec_writes_what_it_read(case: ValidCase) -> None:
    body = codec.read(case.data)
    assert codec.write(body, _order(case)) == case.data[: case.built.header_end]
    assert body.ofs_header_end == case.built.header_end


@pytest.mark.parametrize("case", VALID, ids=str)
def test_codec_builds_from_plain_values(case: ValidCase) -> None:
    body = body_of(seen_of(case.expected))
    assert codec.write(body, _order(case)) == case.data[: case.built.header_end]


@pytest.mark.parametrize("case", VALID, ids=str)
def test_trace_finds_every_field(case: ValidCase) -> None:
    found = [(span.start, span.end) for span in trace.trace(case.data)]
    assert found == [(span.start, span.end) for span in case.built.spans]


@pytest.mark.parametrize("case", [case for case in BAD if case.stage == "parse"], ids=str)
def test_wrong_bytes_are_refused_at_their_place(case: BadCase) -> None:
    with pytest.raises(READ_FAULTS):
        codec.read(case.data)
    assert _fault(case.data).offset in case.offsets


@pytest.mark.parametrize("case", [case for case in BAD if case.stage == "finding"], ids=str)
def test_readable_faults_are_read_and_written_alike(case: BadCase) -> None:
    body = codec.read(case.data)
    assert codec.write(body, _order(case)) == case.data[: case.built.header_end]
    assert list(trace.trace(case.data))[-1].end == case.built.header_end


@pytest.mark.parametrize("sample", NOT_GGUF, ids=lambda sample: sample.name)
def test_other_files_fail_at_the_magic(sample: NotGGUF) -> None:
    assert _fault(sample.data).offset == 0


@pytest.mark.parametrize("built", MODELS.values(), ids=MODELS)
def test_cut_headers_name_the_cut_field(built: Built) -> None:
    for cut in cuts(built):
        if cut.in_header:
            with pytest.raises(READ_FAULTS):
                codec.read(cut.data)
            assert _fault(cut.data).offset in cut.offsets, cut.size
        else:
            assert codec.read(cut.data).ofs_header_end == built.header_end
