"""Repairs: what is safe is mended, tensor bytes stay, the rest is left alone."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from gguf_construct.model import open_model
from gguf_construct.storage.source.source import open_source
from gguf_construct.storage.write.in_memory import plan_bytes
from gguf_construct.validation.repair import plan_repair
from gguf_construct.validation.validate import validate
from tests.support import builders as b
from tests.support.builders import Model, Pair, Tensor, build
from tests.support.cases import BAD, VALID
from tests.support.cases_model import sound, with_keys
from tests.support.cases_valid import base, weight
from tests.support.shared import needs_shared, sound_files

if TYPE_CHECKING:
    from pathlib import Path


def _repair(data: bytes) -> tuple[bytes, list[str]]:
    with open_model(data) as model:
        plan, changes = plan_repair(model)
        with open_source(data) as source:
            return plan_bytes(plan, [source]), [one.action for one in changes]


def _tensors(data: bytes) -> dict[str, bytes]:
    with open_model(data) as model:
        return {tensor.name: tensor.raw for tensor in model.tensors.all}


def _two(first: int, second: int, **how: object) -> Model:
    tensors = tuple(
        Tensor(name, (8,), 0, bytes([at + 1]) * 32, offset, offset)
        for at, (name, offset) in enumerate(((b"x", first), (b"y", second)))
    )
    return base(tensors=tensors, **how)


@pytest.mark.parametrize("offsets", [(0, 64), (32, 64), (0, 36), (4, 64), (32, 0), (64, 0)])
def test_tensors_are_laid_out_again(offsets: tuple[int, int]) -> None:
    data = build(_two(*offsets)).data
    repaired, actions = _repair(data)
    assert actions == ["repack"]
    assert _tensors(repaired) == _tensors(data)
    assert not any(code.startswith("tensor-offset") for code in validate(repaired).codes)


@pytest.mark.parametrize(
    "model",
    [
        _two(0, 16),
        _two(0, 64, tail=bytes(64)),
        base(tensors=(weight(name=b"x"), weight(name=b"y", offset=4096))),
        base(tensors=(Tensor(b"t", (64,), 99, bytes(64)), weight(offset=128))),
    ],
    ids=["overlap", "gap, and the file ends elsewhere", "past the end", "unknown type"],
)
def test_uncertain_data_are_left_alone(model: Model) -> None:
    data = build(model).data
    assert _repair(data)[1] in ([], ["drop trailing bytes"])
    assert "repack" not in _repair(data)[1]


def test_cut_data_are_left_alone() -> None:
    data = build(sound()).data
    assert _repair(data[:-100]) == (data[:-100], [])


def test_trailing_bytes_are_dropped() -> None:
    data = build(sound()).data
    assert _repair(data + bytes(4)) == (data, ["drop trailing bytes"])
    for more in (b"more", data):  # no filler: it may be another shard
        assert _repair(data + more) == (data + more, [])
    bare = build(base(tensors=(), tail=bytes(100))).data
    repaired, actions = _repair(bare)
    assert actions == ["drop trailing bytes"]
    assert bare.startswith(repaired)
    assert "trailing-bytes" not in validate(repaired).codes


def test_padding_is_restored() -> None:
    whole = build(base(tensors=(weight(), Tensor(b"tail", (3,), 24, b"abc"))))
    end = whole.at("tensors[1].data") + 3
    for size in range(end, len(whole.data)):
        assert _repair(whole.data[:size]) == (whole.data, ["pad"])


def test_a_misspelt_key_is_renamed() -> None:
    spec, true = b"tokenizer.ggml.separator_token_id", b"tokenizer.ggml.seperator_token_id"
    data = build(with_keys({spec: b.u32(3)})).data
    repaired, actions = _repair(data)
    assert actions == ["rename"]
    assert repaired == build(with_keys({true: b.u32(3)})).data
    both = build(with_keys({spec: b.u32(3), true: b.u32(4)})).data
    assert _repair(both) == (both, [])
    wrong_type = build(with_keys({spec: b.text("3")})).data
    assert _repair(wrong_type) == (wrong_type, [])


def test_exact_copies_of_a_pair_are_removed() -> None:
    pair = Pair(b"k", b.array(b.STRING, b"a", b"\xff"))
    data = build(base(pair, Pair(b"between", b.u8(1)), pair, pair)).data
    repaired, actions = _repair(data)
    assert actions == ["remove copy"] * 2
    assert repaired == build(base(pair, Pair(b"between", b.u8(1)))).data
    for other in (Pair(b"k", b.u32(1)), Pair(b"k", b.i32(2))):
        differing = build(base(Pair(b"k", b.u32(2)), other, Pair(b"k", b.u32(2)))).data
        assert _repair(differing) == (differing, [])


def test_several_repairs_at_once() -> None:
    twice = (Pair(b"k", b.u8(1)), Pair(b"k", b.u8(1)))
    broken = _two(0, 64)
    data = build(replace(broken, pairs=(*broken.pairs, *twice))).data
    repaired, actions = _repair(data)
    assert actions == ["remove copy", "repack"]
    assert _repair(repaired) == (repaired, [])
    assert _tensors(repaired) == _tensors(data)


def test_the_document_stays_as_it_is() -> None:
    data = build(base(Pair(b"k", b.u8(1)), Pair(b"k", b.u8(1)))).data
    with open_model(data) as model:
        plan_repair(model)
        assert len(model.metadata.occurrences("k")) == 2
        assert not model.metadata.is_changed


@pytest.mark.parametrize("case", [case for case in BAD if case.stage == "finding"], ids=str)
def test_a_repair_makes_nothing_worse(case: object) -> None:
    data: bytes = case.data  # type: ignore[attr-defined]
    repaired, actions = _repair(data)
    assert validate(repaired).codes <= validate(data).codes
    if not actions:
        assert repaired == data
    assert _repair(repaired)[1] == []


@pytest.mark.parametrize("case", VALID[::7], ids=str)
def test_valid_files_keep_their_tensors(case: object) -> None:
    data: bytes = case.data  # type: ignore[attr-defined]
    repaired, _ = _repair(data)
    assert _tensors(repaired) == _tensors(data)


@needs_shared
@pytest.mark.parametrize("path", sound_files(), ids=lambda path: path.name)
def test_real_files_need_no_repair(path: Path) -> None:
    with open_model(path) as model:
        assert plan_repair(model)[1] == []


def test_the_keys_of_a_shard_go_where_the_model_is_whole() -> None:
    pairs = (
        Pair(b"split.no", b.u16(0)),
        Pair(b"split.count", b.u16(3)),
        Pair(b"split.tensors.count", b.i32(1)),
    )
    data = build(base(*pairs)).data
    repaired, actions = _repair(data)
    assert actions == ["unset"] * 3
    assert repaired == build(base()).data
    with open_model(data) as model:
        assert plan_repair(model, file_name="m-00001-of-00003.gguf")[1] == []
    some = build(base(*pairs[:2], Pair(b"split.tensors.count", b.i32(2)))).data
    assert _repair(some) == (some, [])
