"""The ground truth itself: typed-in bytes, ggml's own loader and llama.cpp agree with it."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given

from gguf_construct._generated.types import GGMLType
from tests.support import builders as b
from tests.support.blocks import BLOCKS, REMOVED, swap_bytes, tensor_bytes
from tests.support.builders import Array, Model, Pair, Tensor, build
from tests.support.cases import (
    BAD,
    CASES,
    NOT_GGUF,
    VALID,
    ValidCase,
    cuts,
    describe,
    growing_headers,
    small_models,
)
from tests.support.cases_model import MODEL_CASES
from tests.support.llama import ggml_headers, inspect, inspect_many, needs_llama
from tests.support.mutations import mutations
from tests.support.seen import read_plainly, seen_of
from tests.support.shared import needs_shared, shared_path
from tests.support.strategies import models

if TYPE_CHECKING:
    from pathlib import Path

# The loader of llama.cpp changed here after the facts were written (2026-08): either is right.
MOVING = {"dims-wrap-to-0", "tensor-twice-at-nul", "tensor-twice-trailing-nul"}

TYPED_IN = """
47475546 03000000 0100000000000000 0200000000000000
0100000000000000 61 04000000 2a000000
0200000000000000 6262 09000000 08000000 0100000000000000 0200000000000000 6869
0100000000000000 74 01000000 0300000000000000 18000000 0000000000000000
"""


def _small(version: int, order: b.ByteOrder) -> b.Built:
    pairs = (Pair(b"a", b.u32(42)), Pair(b"bb", b.array(b.STRING, b"hi")))
    return build(Model(pairs, (Tensor(b"t", (3,), 24, b"xyz"),), version, order))


def test_builder_writes_the_typed_in_bytes() -> None:
    header = bytes.fromhex(TYPED_IN.replace("\n", " "))
    built = _small(3, b.LITTLE)
    assert built.header_end == len(header)
    padding = bytes(-len(header) % 32)
    assert built.data == header + padding + b"xyz" + bytes(29)
    assert built.data[built.at("tensors[0].data") :][:3] == b"xyz"


def test_builder_version_1_has_short_lengths() -> None:
    header = bytes.fromhex(
        "47475546 00000001 00000001 00000002 00000001 61 00000004 0000002a"
        "00000002 6262 00000009 00000008 00000001 00000002 6869"
        "00000001 74 00000001 00000003 00000018 0000000000000000"
    )
    assert _small(1, b.BIG).data[: len(header)] == header


@pytest.mark.parametrize("case", VALID, ids=str)
def test_spans_tile_the_header(case: ValidCase) -> None:
    end = 0
    for span in case.built.spans:
        assert span.start == end
        end = span.end
    assert end == case.built.header_end <= len(case.data)


def test_blocks_add_up_and_swaps_undo_themselves() -> None:
    assert not BLOCKS.keys() & REMOVED.keys()
    assert sorted(BLOCKS.keys() | REMOVED.keys()) == sorted(GGMLType)
    for type_id, block in BLOCKS.items():
        assert sum(width * count for width, count in block.fields) == block.nbytes
        data = tensor_bytes(type_id, (block.elements * 2, 3))
        assert swap_bytes(type_id, swap_bytes(type_id, data)) == data


def test_offsets_of_bad_cases_lie_in_the_file() -> None:
    assert all(0 <= offset <= len(case.data) for case in BAD for offset in case.offsets)
    assert len({case.data for case in CASES.values()}) == len(CASES)
    assert len({sample.name for sample in NOT_GGUF}) == len(NOT_GGUF)


def test_every_cut_names_the_field_that_it_cuts() -> None:
    for _, built in small_models():
        found = list(cuts(built))
        assert len(found) == len(built.data)
        assert found[0].offsets[0] == 0
        assert found[built.header_end - 1].offsets[0] == built.at("tensors[1].offset")
        assert not found[built.header_end].in_header
        assert found[-1].missing == 0


def _files(folder: Path, datas: list[bytes]) -> list[Path]:
    paths = [folder / f"{number}.gguf" for number in range(len(datas))]
    for path, data in zip(paths, datas, strict=True):
        path.write_bytes(data)
    return paths


@needs_llama
@pytest.mark.engine
def test_ggml_loader_agrees_with_every_case(tmp_path: Path) -> None:
    cases = [case for case in CASES.values() if case.built.model.byte_order == b.LITTLE]
    verdicts = ggml_headers(_files(tmp_path, [case.data for case in cases]))
    wrong = [
        f"{case.name}: {case.ggml}, but {verdict}"
        for case, verdict in zip(cases, verdicts, strict=True)
        if verdict.crashed or (verdict.ok != (case.ggml == "accepts") and case.name not in MOVING)
    ]
    assert wrong == []


@needs_llama
@pytest.mark.engine
def test_ggml_loader_refuses_the_other_byte_order_and_what_is_not_gguf(tmp_path: Path) -> None:
    datas = [case.data for case in VALID if case.built.model.byte_order == b.BIG]
    datas += [sample.data for sample in NOT_GGUF]
    verdicts = ggml_headers(_files(tmp_path, datas))
    assert not any(verdict.ok or verdict.crashed for verdict in verdicts)
    assert "endianness" in verdicts[len(datas) - len(NOT_GGUF) - 1].message


@needs_llama
@pytest.mark.engine
def test_ggml_loader_reads_the_header_by_every_length(tmp_path: Path) -> None:
    cases = list(growing_headers())
    verdicts = ggml_headers(_files(tmp_path, [case.data for case in cases]), full=True)
    starts = [verdict.found["data_start"] for verdict in verdicts]
    assert starts == [case.built.data_start for case in cases]


@needs_llama
@needs_shared
@pytest.mark.engine
def test_llama_sees_template_and_tokens_and_generates() -> None:
    folder = shared_path()
    assert folder is not None
    found = inspect(folder / "fixtures/tiny/tiny-F32.gguf", "the dog", 4)
    assert found.ok, found.message
    assert (found.eos, found.eos_text, found.num_tokens) == (2, "</s>", 320)
    assert found.chat_template == found.props["chat_template"]
    assert found.text.startswith("kin ob")


@needs_llama
@pytest.mark.engine
def test_llama_says_that_a_model_does_not_load(tmp_path: Path) -> None:
    (path,) = _files(tmp_path, [b"GGUF not a model"])
    found = inspect(path)
    assert not found.ok
    # Its log is written by a thread that the process may not wait for; the error always comes.
    assert "failed to" in found.message.lower()


@needs_llama
@pytest.mark.engine
def test_llama_agrees_with_every_model_case(tmp_path: Path) -> None:
    paths = _files(tmp_path, [case.data for case in MODEL_CASES])
    headers, models = ggml_headers(paths), inspect_many(paths, facts=False)
    wrong = [
        f"{case.name}: {case.ggml}/{case.llama}, but {header.ok}/{model.ok} {model.message[-300:]}"
        for case, header, model in zip(MODEL_CASES, headers, models, strict=True)
        if (header.ok, model.ok) != (case.ggml == "accepts", case.llama == "accepts")
    ]
    assert wrong == []


def test_model_cases_name_the_place_of_their_key() -> None:
    for case in MODEL_CASES:
        assert bool(case.key) == bool(case.offsets), case.name
        for offset in case.offsets[:1]:
            width = 4 if case.built.model.version == 1 else 8
            assert case.data[offset + width :].startswith(case.key), case.name


def test_nested_types_have_names() -> None:
    assert b.spec_of(b.u32(1)) == "uint32"
    assert b.spec_of(b.array(b.STRING)) == "[string]"
    assert b.spec_of(b.array(b.ARRAY, Array(b.INT32, (1,)))) == "[[int32]]"


@given(models())
def test_plain_reader_sees_what_the_builder_wrote(model: Model) -> None:
    built = build(model)
    seen, spans = read_plainly(built.data)
    assert seen == seen_of(describe(built))
    assert [span[:3] for span in spans] == [span[:3] for span in built.spans]


def test_mutations_repeat_and_damage() -> None:
    for _, built in small_models():
        first = list(mutations(built.data, random.Random(1), 200, built.spans))
        assert first == list(mutations(built.data, random.Random(1), 200, built.spans))
        assert len(set(first) - {built.data}) > 150


def test_mutations_take_any_bytes() -> None:
    for data in (b"", b"G", bytes(100)):
        assert len(list(mutations(data, random.Random(2), 100))) == 100
