"""Hashes: independent of order, layout, version and byte order; sensitive to every content byte."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

import gguf_construct as gc
from gguf_construct.api import hash_model
from gguf_construct.comparison.hash_list import compare_hashes
from gguf_construct.errors import GGUFError
from tests.support import builders as b
from tests.support.blocks import BLOCKS, swap_bytes, tensor_bytes
from tests.support.builders import Model, Pair, Tensor, build
from tests.support.shared import fixture_files, needs_shared, shared_path

if TYPE_CHECKING:
    from gguf_construct.comparison.hashes import HashReport

PAIRS = (
    Pair(b"general.architecture", b.text("llama")),
    Pair(b"general.name", b.text("one")),
    Pair(b"x.bits", b.array(b.FLOAT64, b.f64_bits(0.1), 0x7FF0000000000001)),
    Pair(b"x.nested", b.array(b.ARRAY, b.Array(b.STRING, (b"a", b"\xff")), b.Array(b.INT16))),
    Pair(b"x.odd", b.boolean(2)),
    Pair(b"\xff\n", b.u32(7)),
)
TYPES = {f"t{at}".encode(): type_id for at, type_id in enumerate(BLOCKS)}


def tensors(order: b.ByteOrder = b.LITTLE) -> tuple[Tensor, ...]:
    made = []
    for name, type_id in TYPES.items():
        dims = (BLOCKS[type_id].elements * 2, 2)
        data = tensor_bytes(type_id, dims)
        made.append(
            Tensor(name, dims, type_id, data if order == b.LITTLE else swap_bytes(type_id, data))
        )
    return tuple(made)


BASE = Model(PAIRS, tensors())


def hashes(model: Model | bytes, algorithm: str = "sha256", jobs: int | None = None) -> HashReport:
    data = model if isinstance(model, bytes) else build(model).data
    with gc.open(data) as opened:
        return hash_model(opened, algorithm, jobs=jobs)


@pytest.mark.parametrize("version", [1, 2, 3])
@pytest.mark.parametrize("order", [b.LITTLE, b.BIG])
def test_the_same_content_in_any_form_has_the_same_hashes(version: int, order: b.ByteOrder) -> None:
    other = replace(BASE, version=version, byte_order=order, tensors=tensors(order))
    assert hashes(other) == hashes(BASE)


def test_order_and_layout_do_not_matter() -> None:
    alignment = Pair(b"general.alignment", b.u32(256))
    split = Pair(b"split.count", b.u16(0))
    reserve = Pair(b"gguf_construct.padding", b.array(b.UINT8, *bytes(99)))
    other = replace(
        BASE,
        pairs=(alignment, *reversed(PAIRS), split, reserve),
        tensors=BASE.tensors[::-1],
        tail=b"tail",
        pad_byte=0xAA,
    )
    report = hashes(other)
    assert report.content == hashes(BASE).content
    assert report.excluded == ("general.alignment", "split.count", "gguf_construct.padding")
    assert set(report.metadata) - set(hashes(BASE).metadata) == set(report.excluded)


def test_keys_of_the_layout_are_not_compared() -> None:
    other = replace(BASE, pairs=(*PAIRS, Pair(b"general.alignment", b.u32(64))))
    assert compare_hashes(hashes(BASE).rows(), hashes(other)) == []
    assert compare_hashes(hashes(other).rows(), hashes(BASE)) == []


def test_a_row_is_the_hash_of_its_bytes_in_the_newest_little_endian_form() -> None:
    tensor = Tensor(b"w", (3,), 24, b"abc")
    built = build(Model((Pair(b"k", b.u32(5)),), (tensor,)))
    report = hashes(built.data)
    pair = built.data[built.at("metadata[0].key.len") : built.at("tensors[0].name.len")]
    info = built.data[built.at("tensors[0].name.len") : built.header_end]
    assert report.metadata == {"k": hashlib.sha256(pair).hexdigest()}
    assert report.tensors == {"w": hashlib.sha256(info + b"abc").hexdigest()}


@pytest.mark.parametrize("name", [name.decode() for name in TYPES])
def test_a_flipped_tensor_byte_changes_one_row_and_the_content(name: str) -> None:
    with gc.open(build(BASE).data) as model:
        tensor = model.tensors[name]
        data = bytearray(model.buffer)
        data[tensor.data_offset + tensor.size - 1] ^= 1
    before = hashes(BASE)
    changed = compare_hashes(before.rows(), hashes(bytes(data)))
    assert [(c.kind, c.name, c.what) for c in changed] == [
        ("content", "", "changed"),
        ("tensor", name, "changed"),
    ]


def other_tensor(tensor: Tensor) -> Model:
    return replace(BASE, tensors=(tensor, *BASE.tensors[1:]))


@pytest.mark.parametrize(
    "changed",
    [
        replace(BASE, pairs=PAIRS[1:]),
        replace(BASE, pairs=(*PAIRS, Pair(b"x.more", b.u8(0)))),
        replace(BASE, pairs=(*PAIRS[:-1], Pair(b"\xff\n", b.i32(7)))),
        replace(BASE, pairs=(*PAIRS[:-1], Pair(b"\xfe\n", b.u32(7)))),
        replace(BASE, pairs=(*PAIRS, PAIRS[0])),
        replace(BASE, tensors=BASE.tensors[1:]),
        other_tensor(BASE.tensors[0]._replace(name=b"renamed")),
        other_tensor(BASE.tensors[0]._replace(dims=(1, 4))),
        other_tensor(BASE.tensors[0]._replace(type=26)),
    ],
)
def test_every_change_of_content_changes_the_content_hash(changed: Model) -> None:
    assert hashes(changed).content != hashes(BASE).content


def test_which_of_two_equal_keys_comes_first_is_content() -> None:
    one, two = Pair(b"k", b.u8(1)), Pair(b"k", b.u8(2))
    first, second = hashes(Model((one, two))), hashes(Model((two, one)))
    assert first.content != second.content
    assert list(first.metadata) == ["k", "k (2)"]


def test_threads_give_the_same_hashes_and_report_progress() -> None:
    big = Tensor(b"big", (3 << 20,), 0, bytes(range(256)) * (3 << 14))
    data = build(replace(BASE, tensors=(big, *BASE.tensors))).data
    told: list[tuple[int, int]] = []
    with gc.open(data) as model:
        report = hash_model(model, jobs=3, progress=lambda done, total: told.append((done, total)))
    assert report == hashes(data, jobs=1)
    assert told[-1][0] == told[-1][1] > len(big.data)


def test_edits_that_were_not_saved_count() -> None:
    with gc.open(build(BASE).data) as model:
        model.metadata["general.name"] = "two"
        edited = hash_model(model)
        assert edited == hashes(model.to_bytes())
        assert edited.content != hashes(BASE).content


def test_xxh3_has_its_own_hashes() -> None:
    xxhash = pytest.importorskip("xxhash")
    report = hashes(Model((Pair(b"k", b.u32(5)),)), "xxh3")
    built = build(Model((Pair(b"k", b.u32(5)),)))
    pair = built.data[built.at("metadata[0].key.len") :]
    assert report.metadata == {"k": xxhash.xxh3_128(pair).hexdigest()}


def test_an_unknown_algorithm_is_refused() -> None:
    with pytest.raises(GGUFError, match="crc32"):
        hashes(BASE, "crc32")


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "xxhash", None)
    with pytest.raises(GGUFError, match="xxhash") as caught:
        hashes(BASE, "xxh3")
    assert "gguf-construct[hash]" in str(caught.value.hint)


def test_a_cut_tensor_is_refused() -> None:
    with pytest.raises(gc.ParseError, match="the file ends"):
        hashes(build(replace(BASE, pad_end=False)).data[:-1])


@needs_shared
def test_the_two_byte_orders_of_a_real_pair_of_files_agree() -> None:
    shared = shared_path()
    assert shared is not None
    with (
        gc.open(shared / "fixtures/endian/le.gguf") as little,
        gc.open(shared / "fixtures/endian/be.gguf") as big,
    ):
        assert hash_model(little) == hash_model(big)


@needs_shared
def test_real_files_hash_their_tensor_bytes() -> None:
    path = next(path for path in fixture_files() if path.name == "nano-F32.gguf")
    with gc.open(path) as model:
        report = hash_model(model)
        assert list(report.tensors) == list(model.tensors)
        assert len(set(report.tensors.values())) == len(report.tensors)
