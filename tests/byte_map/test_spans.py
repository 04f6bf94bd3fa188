"""The byte map tiles every file, right or wrong, and says what each byte is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gguf_construct._generated.types import LIMITS
from gguf_construct.byte_map.spans import TensorBytes, byte_map, doc_of, fault_of
from gguf_construct.errors import (
    LimitExceededError,
    NotGGUFError,
    ParseError,
    TruncatedError,
    UnsupportedVersionError,
)
from tests.support import builders as b
from tests.support.builders import Model, Pair, Str, Tensor, build
from tests.support.cases import CASES, NOT_GGUF, VALID, cuts, small_models
from tests.support.shared import fixture_files, needs_shared

if TYPE_CHECKING:
    from pathlib import Path

    from gguf_construct.runtime.tracing import Span
    from tests.support.cases import Case, NotGGUF, ValidCase

MODELS = dict(small_models())
F32_8 = (8,)


def check_tiles(data: bytes, folds: tuple[int | None, ...] = (None, 0, 8)) -> None:
    """No gap, no overlap, no empty span, whatever is folded; broken files end unreadable."""
    is_broken = fault_of(data) is not None
    for fold in folds:
        end = 0
        last = None
        for span in byte_map(data, fold=fold):
            assert span.start == end, span
            assert span.end > span.start or span.type == "unreadable", span
            assert doc_of(span), span
            end, last = span.end, span
        assert end == len(data)
        assert (last is not None and last.type == "unreadable") == is_broken


def tensor(name: bytes, fill: int, **place: int) -> Tensor:
    return Tensor(name, F32_8, 0, bytes([fill]) * 32, **place)


def mapped(*tensors: Tensor, tail: bytes = b"", pad_end: bool = True, size: int | None = None,
           pad_byte: int = 0) -> list[Span]:  # fmt: skip
    """The spans behind the header, with offsets counted from the data section."""
    built = build(Model((), tensors, tail=tail, pad_end=pad_end, pad_byte=pad_byte))
    data = built.data if size is None else built.data[: built.data_start + size]
    start = built.data_start
    spans = list(byte_map(data))
    return [
        span._replace(start=span.start - start, end=span.end - start)
        for span in spans
        if span.start >= start
    ]


def rows(spans: list[Span]) -> list[tuple[int, int, str]]:
    return [(span.start, span.end, span.path) for span in spans]


@pytest.mark.parametrize("case", CASES.values(), ids=str)
def test_spans_tile_every_case(case: Case) -> None:
    check_tiles(case.data)


@pytest.mark.parametrize("sample", NOT_GGUF, ids=lambda sample: sample.name)
def test_other_files_are_one_unreadable_span(sample: NotGGUF) -> None:
    check_tiles(sample.data)
    (span,) = byte_map(sample.data)
    assert span.type == "unreadable"
    assert isinstance(span.value, NotGGUFError)


@pytest.mark.parametrize("name", MODELS)
def test_spans_tile_a_file_cut_anywhere(name: str) -> None:
    for cut in cuts(MODELS[name]):
        check_tiles(cut.data, (cut.size % 3,))


@needs_shared
@pytest.mark.parametrize("path", fixture_files(), ids=lambda path: path.name)
def test_spans_tile_real_files(path: Path) -> None:
    data = path.read_bytes()
    for fold in (0, 8):
        end = 0
        for span in byte_map(data, fold=fold):
            assert span.start == end
            assert span.end > end
            end = span.end
        assert end == len(data)


@pytest.mark.parametrize("case", VALID, ids=str)
def test_the_data_of_each_tensor_is_mapped(case: ValidCase) -> None:
    starts = {span.path: span.start for span in byte_map(case.data)}
    for index, info in enumerate(case.built.model.tensors):
        if info.data:
            at = case.built.marks[f"tensors[{index}].data"]
            found = [p for p in starts if p.startswith(f"tensor_infos[{index}].data")]
            assert found, index
            assert min(starts[path] for path in found) == at


def test_padding_between_tensors_has_its_owner() -> None:
    spans = mapped(Tensor(b"a", (3,), 24, b"abc"), tensor(b"b", 1))
    assert rows(spans) == [
        (0, 3, "tensor_infos[0].data"),
        (3, 32, "tensor_infos[0].padding"),
        (32, 64, "tensor_infos[1].data"),
    ]
    assert spans[1].value == "29 bytes, all zero"
    assert spans[0].value.dims == (3,)
    assert spans[0].type == "I8"


def test_padding_that_is_not_zero_is_said() -> None:
    spans = mapped(Tensor(b"a", (3,), 24, b"abc"), tensor(b"b", 1), pad_byte=0xAA)
    assert spans[1].value == "29 bytes, not all zero"


def test_gaps_and_trailing_bytes_are_told_from_padding() -> None:
    spans = mapped(tensor(b"a", 1, place=32), tensor(b"b", 2, place=160), tail=b"tail")
    assert rows(spans) == [
        (0, 32, "gap[0]"),
        (32, 64, "tensor_infos[0].data"),
        (64, 160, "gap[1]"),
        (160, 192, "tensor_infos[1].data"),
        (192, 196, "trailing"),
    ]


def test_trailing_bytes_without_tensors() -> None:
    built = build(Model((), (), tail=b"x" * 100))
    spans = [span for span in byte_map(built.data) if span.start >= built.header_end]
    assert [span.type for span in spans] == ["padding", "trailing"]


@pytest.mark.parametrize(
    ("places", "expected"),
    [
        ((0, 0), [(0, 32, 0, (1,))]),
        ((0, 16), [(0, 16, 0, ()), (16, 32, 0, (1,)), (32, 48, 1, ())]),
        ((16, 0), [(0, 16, 1, ()), (16, 32, 1, (0,)), (32, 48, 0, ())]),
        ((0, 0, 0), [(0, 32, 0, (1, 2))]),
    ],
)
def test_overlaps_are_marked(
    places: tuple[int, ...], expected: list[tuple[int, int, int, tuple[int, ...]]]
) -> None:
    tensors = [tensor(bytes([97 + at]), at, place=place) for at, place in enumerate(places)]
    found = [
        (span.start, span.end, span.value.tensor, span.value.overlaps)
        for span in mapped(*tensors)
        if isinstance(span.value, TensorBytes)
    ]
    assert found == expected


def test_parts_of_a_tensor_have_paths_of_their_own() -> None:
    spans = mapped(tensor(b"a", 1, place=0), tensor(b"b", 2, place=16))
    paths = [span.path for span in spans if span.field == "tensor_info.data"]
    assert paths == [
        "tensor_infos[0].data[0:16]",
        "tensor_infos[0].data[16:32]",
        "tensor_infos[1].data[16:32]",
    ]
    assert "overlaps tensor_infos[1]" in str(spans[1].value)


def test_many_tensors_in_one_place_list_only_some() -> None:
    (span,) = mapped(*(tensor(b"%d" % at, 1, place=0) for at in range(50)))
    assert span.value.num_overlaps == 49
    assert len(span.value.overlaps) == 3
    assert "and 46 more" in str(span.value)


def test_cut_data_says_what_is_missing() -> None:
    (span,) = mapped(tensor(b"a", 1), size=20)
    assert (span.start, span.end, span.value.missing) == (0, 20, 12)
    assert "12 of 32 bytes are missing" in str(span.value)


def test_unknown_types_reach_to_the_next_tensor() -> None:
    spans = mapped(Tensor(b"a", (3,), 99, b"abc"), tensor(b"b", 1))
    assert rows(spans)[:2] == [(0, 32, "tensor_infos[0].data"), (32, 64, "tensor_infos[1].data")]
    assert spans[0].value.nbytes is None
    assert spans[0].type == "type 99"


def test_tensors_behind_the_end_have_no_bytes() -> None:
    built = build(Model((), (tensor(b"a", 1), tensor(b"b", 1, offset=1 << 62))))
    check_tiles(built.data)
    assert not [s for s in byte_map(built.data) if s.path.startswith("tensor_infos[1].data")]


def test_an_error_keeps_what_could_be_read() -> None:
    pairs = (Pair(b"first", b.u8(1)), Pair(Str(b"second", 1 << 20), b.u8(2)))
    built = build(Model(pairs))
    *good, last = byte_map(built.data)
    assert good[-1].path == "metadata[1].key.len_value"
    assert last.start == built.at("metadata[1].key.len") + 8
    assert last.end == len(built.data)
    assert isinstance(last.value, TruncatedError)
    assert last.value.offset == built.at("metadata[1].key.len")


@pytest.mark.parametrize("fold", [None, 0, 8])
def test_what_is_sound_before_a_bad_element_stays_folded(fold: int | None) -> None:
    words = b.array(b.STRING, *[b"word"] * 500, Str(b"bad", 1 << 20), b"last")
    built = build(Model((Pair(b"words", words),)))
    *good, last = byte_map(built.data, fold=fold)
    bad = built.at("metadata[0].value[500].len")
    assert isinstance(last.value, TruncatedError)
    assert (last.value.offset, last.start) == (bad, bad + 8)
    assert good[-1].path == "metadata[0].value.elements[500].len_value"
    if fold is not None:
        assert good[-2].path == f"metadata[0].value.elements[{fold}:500]"
        assert good[-2].end == bad


def test_a_file_that_just_ends_still_says_so() -> None:
    built = MODELS["v3-little"]
    data = built.data[: built.at("tensors[1].dims[0]")]
    last = list(byte_map(data))[-1]
    assert (last.start, last.end) == (len(data), len(data))
    assert isinstance(last.value, TruncatedError)


def test_the_error_of_the_map_is_the_error_of_open() -> None:
    built = build(Model(version=9))
    last = list(byte_map(built.data))[-1]
    assert isinstance(last.value, UnsupportedVersionError)
    assert last.value.hint is not None


def test_limits_hold() -> None:
    built = MODELS["v3-little"]
    last = list(byte_map(built.data, limits=LIMITS._replace(max_array_depth=1)))[-1]
    assert isinstance(last.value, LimitExceededError)


def test_folding_shortens_the_map_only() -> None:
    built = build(Model((Pair(b"a", b.array(b.UINT8, *range(100))),)))
    folded = [s for s in byte_map(built.data, fold=8) if s.field == "array.elements"]
    assert len(folded) == 9
    assert folded[-1].path == "metadata[0].value.elements[8:100]"
    unfolded = [s for s in byte_map(built.data, fold=None) if s.field == "array.elements"]
    assert len(unfolded) == 100


def test_documentation_names_keys_names_and_layouts() -> None:
    built = MODELS["v3-little"]
    docs = {span.path: doc_of(span) for span in byte_map(built.data)}
    assert "dotted" in docs["metadata[0].key.value"]
    assert "unique" in docs["tensor_infos[0].name.value"]
    assert "float" in docs["tensor_infos[0].data"]


def test_fault_of_a_sound_file_is_none() -> None:
    assert fault_of(MODELS["v1-big"].data) is None
    assert isinstance(fault_of(b"GGUF"), ParseError)
