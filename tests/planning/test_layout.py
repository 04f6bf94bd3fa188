"""Plans: what is kept, and what moves, when the data section is laid out again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import gguf_construct as gc
from gguf_construct.cli.main import run
from gguf_construct.core.chunks import Copy, Literal, Zeros
from gguf_construct.errors import BuildError
from gguf_construct.planning.layout import merge_chunks, plan_layout, trailing, unused_and_shared
from tests.support import builders as b
from tests.support.cases_valid import base

if TYPE_CHECKING:
    from pathlib import Path

Text = pytest.CaptureFixture[str]
TAIL = b"left by some other tool"


def _two_tensors() -> bytes:
    tensors = (
        b.Tensor(b"one", (3,), data=bytes(range(12))),
        b.Tensor(b"two", (1,), data=b"\1\2\3\4"),
    )
    return b.build(base(tensors=tensors, tail=TAIL)).data


def test_an_alignment_edit_keeps_what_stands_behind_the_tensors() -> None:
    with gc.open(_two_tensors()) as model:
        assert trailing(model).nbytes == len(TAIL)
        model.metadata.set("general.alignment", 64)
        changed = model.to_bytes()
    with gc.open(changed) as model:
        assert changed.endswith(TAIL)
        assert [tensor.offset for tensor in model.tensors.all] == [0, 64]
        assert model.tensors["two"].raw == b"\1\2\3\4"
        del model.metadata["general.alignment"]
        assert model.to_bytes() == _two_tensors()


def test_an_explicit_repack_drops_it() -> None:
    with gc.open(_two_tensors()) as model:
        packed = model.to_bytes(policy="repack")
    assert packed == _two_tensors()[: -len(TAIL)]


def test_keep_refuses_another_alignment() -> None:
    with gc.open(_two_tensors()) as model:
        model.metadata.set("general.alignment", 64)
        with pytest.raises(BuildError, match="from 32 to 64"):
            plan_layout(model, "keep")
        with pytest.raises(BuildError, match="no policy"):
            plan_layout(model, "shuffle")


def test_a_new_order_moves_infos_and_data() -> None:
    with gc.open(_two_tensors()) as model:
        one, two = model.tensors.all
        plan = plan_layout(model, "repack", [two, one])
        assert plan.nbytes == len(_two_tensors()) - len(TAIL)
        from gguf_construct.storage.write.in_memory import plan_bytes

        with gc.open(plan_bytes(plan, [model.source])) as again:
            assert list(again.tensors) == ["two", "one"]
            assert again.tensors["one"].raw == one.raw


def test_an_order_is_one_of_all_the_tensors_that_there_are(tmp_path: Path) -> None:
    target = tmp_path / "new.gguf"
    with gc.open(_two_tensors()) as model, gc.open(_two_tensors()[: -len(TAIL)]) as same:
        one, two = model.tensors.all
        same.metadata["general.name"] = "moves the data"
        with gc.open(same.to_bytes()) as moved:
            strange = moved.tensors.all
        names: Any = ["two", "one"]
        for order in ([one], [one, two, two], [one, one], [], strange, names):
            with pytest.raises(BuildError, match="order is not one of the 2 tensors"):
                model.save(target, policy="repack", order=order, verify="none")
        for policy in (None, "keep"):
            with pytest.raises(BuildError, match="only with the policy repack"):
                model.save(target, policy=policy, order=[two, one])
        assert not target.exists()
        model.save(target, policy="repack", order=[same.tensors.all[1], one])
    with gc.open(target) as model:
        assert list(model.tensors) == ["two", "one"]


def test_an_unedited_file_is_one_copy() -> None:
    data = _two_tensors()
    with gc.open(data) as model:
        assert plan_layout(model).chunks == (Copy(0, len(data)),)


def test_merging_keeps_the_bytes() -> None:
    chunks = (Literal(b"a"), Literal(b""), Literal(b"b"), Zeros(0), Copy(0, 4), Copy(4, 4))
    other_source = (Copy(8, 4, 1), Zeros(1), Zeros(2))
    merged = merge_chunks([*chunks, *other_source])
    assert merged == (Literal(b"ab"), Copy(0, 8), Copy(8, 4, 1), Zeros(3))


def test_a_small_file_cannot_ask_for_endless_copies() -> None:
    data = bytes(4096)
    twins = [b.Tensor(b"t%d" % n, (1024,), data=data, place=0, offset=0) for n in range(40)]
    many = gc.open(b.build(base(tensors=tuple(twins))).data)
    with many as model, pytest.raises(BuildError, match="they overlap"):
        plan_layout(model, "repack")
    with gc.open(b.build(base(tensors=tuple(twins[:2]))).data) as model:
        assert plan_layout(model, "repack").nbytes > 2 * len(data)


@pytest.mark.parametrize(
    ("offsets", "expected"),
    [
        ((0, 32), (0, 0)),
        ((32, 0), (0, 0)),
        ((0, 96), (64, 0)),
        ((64, 96), (64, 0)),
        ((0, 0), (0, 32)),
        ((0, 4), (0, 28)),
    ],
)
def test_gaps_and_overlaps_are_counted(
    offsets: tuple[int, ...], expected: tuple[int, int], tmp_path: Path, capfd: Text
) -> None:
    data = bytes(range(32))
    tensors = tuple(
        b.Tensor(b"t%d" % at, (8,), data=data, offset=offset) for at, offset in enumerate(offsets)
    )
    path = tmp_path / "m.gguf"
    path.write_bytes(b.build(base(tensors=tensors, tail=bytes(64))).data)
    with gc.open(path) as model:
        assert unused_and_shared(model) == expected
    assert run(["repack", str(path), "-o", str(tmp_path / "out.gguf")]) == 0
    told = capfd.readouterr().err
    assert ("between the tensors" in told, "several tensors" in told) == tuple(map(bool, expected))


@pytest.mark.parametrize("version", [1, 2, 3])
@pytest.mark.parametrize("byte_order", [b.LITTLE, b.BIG])
def test_counts_are_written_where_the_schema_has_them(
    version: int, byte_order: b.ByteOrder
) -> None:
    tensor = b.Tensor(b"t", (1,), 0, bytes(4))
    pairs = tuple(b.Pair(b"k%d" % at, b.u16(at)) for at in range(300))

    def file(num: int) -> b.Built:
        return b.build(b.Model(pairs[:num], (tensor,), version=version, byte_order=byte_order))

    model = gc.open(file(300).data)
    for at in range(1, 300):
        del model.metadata[f"k{at}"]
    wanted = file(1)
    assert model.to_bytes() == wanted.data
    again = gc.open(wanted.data)
    assert again.metadata_start == again.metadata.field("k0").start
    assert again.table_start == again.tensors["t"].record.offsets[0]


def test_edited_tensors_are_laid_out_in_their_order() -> None:
    with gc.open(_two_tensors()) as model:
        two = model.tensors["two"].raw
        del model.tensors["one"]
        with gc.open(model.to_bytes()) as again:
            assert list(again.tensors) == ["two"]
            assert again.tensors["two"].raw == two
