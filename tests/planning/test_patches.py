"""What a planned file changes in the one that is there: byte by byte."""

from __future__ import annotations

import random
from typing import Any

import pytest

from gguf_construct.core.chunks import Chunk, Copy, Literal, Swap, WritePlan, Zeros
from gguf_construct.core.codec import parse
from gguf_construct.planning import patches as module
from gguf_construct.planning.patches import Room, find_patches, render
from tests.support import builders as b
from tests.support.cases_valid import base, weight
from tests.support.plans import made

TEXT = b.Pair(b"text", b.text(bytes(random.Random(1).randbytes(20_000))))
BUILT = b.build(base(TEXT, tensors=(weight(), weight(name=b"other"))))
DATA, START = BUILT.data, BUILT.data_start
DOCUMENT = parse(DATA)


def changed(header: bytes, *more: Chunk) -> WritePlan:
    """A plan whose header is given, and which keeps the data where they are."""
    rest = more or (Copy(START, len(DATA) - START),)
    return WritePlan((Literal(header), *rest))


def applied(found: tuple[tuple[int, bytes], ...], old: bytes) -> bytes:
    content = bytearray(old)
    for offset, data in found:
        content[offset : offset + len(data)] = data
    return bytes(content)


@pytest.mark.parametrize("page", [4096, 7, 1])
@pytest.mark.parametrize("seed", range(25))
def test_patches_turn_the_old_file_into_the_new_one(
    page: int, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_PAGE", page)
    rng = random.Random(seed)
    header = bytearray(DATA[:START])
    for _ in range(rng.randrange(5)):
        at = rng.randrange(START)
        nbytes = min(rng.choice([1, 3, 5000]), START - at)
        header[at : at + nbytes] = rng.randbytes(nbytes)
    found = find_patches(DOCUMENT, changed(bytes(header)))
    assert found is not None
    assert applied(found, DATA) == bytes(header) + DATA[START:]
    end = 0
    for offset, data in found:
        assert offset >= end
        end = offset + len(data)
        assert end <= START
        assert data[:1] != DATA[offset : offset + 1]
        assert data[-1:] != DATA[end - 1 : end]
        # No whole page of a patch is there already.
        for first in range(-(-offset // page) * page, end - page + 1, page):
            assert header[first : first + page] != DATA[first : first + page]
    if page == 1:
        assert all(a != c for o, d in found for a, c in zip(d, DATA[o:], strict=False))


def test_nothing_changed_is_no_patch() -> None:
    assert find_patches(DOCUMENT, changed(DATA[:START])) == ()
    assert find_patches(DOCUMENT, WritePlan((Copy(0, len(DATA)),))) == ()


@pytest.mark.parametrize("seed", range(15))
def test_with_room_what_follows_moves_up(seed: int) -> None:
    rng = random.Random(seed)
    room = Room(rng.randrange(START), rng.choice([1, 100, 4096, 9000]))
    header = bytearray(DATA[: room.offset] + bytes(room.nbytes) + DATA[room.offset : START])
    at = rng.randrange(len(header))
    header[at : at + 5] = rng.randbytes(min(5, len(header) - at))
    found = find_patches(DOCUMENT, changed(bytes(header)), room)
    assert found is not None
    shifted = DATA[: room.offset] + bytes(room.nbytes) + DATA[room.offset :]
    assert applied(found, shifted) == bytes(header) + DATA[START:]


SIZE = len(DATA)
TAIL = SIZE - START
STAYS: list[tuple[tuple[Chunk, ...], bool]] = [
    ((Copy(START, TAIL),), True),
    ((Copy(START, 10), Copy(START + 10, TAIL - 10)), True),
    ((Literal(DATA[START:]),), True),
    ((Literal(DATA[START : START + 10]), Copy(START + 10, TAIL - 10)), True),
    ((Copy(START, TAIL - 1), Literal(b"!")), False),
    ((Copy(START + 1, TAIL - 1), Copy(START, 1)), False),
    ((Copy(START - 1, TAIL),), False),
    ((Zeros(TAIL),), False),
    ((Literal(bytes(TAIL)),), False),
    ((Swap(START, TAIL, ((1, 1),)),), False),
    ((Copy(START, TAIL - 1),), False),
    ((Copy(START, TAIL), Zeros(1)), False),
    ((Copy(START, TAIL), Zeros(0)), True),
]


@pytest.mark.parametrize(("chunks", "stays"), STAYS)
def test_behind_the_header_everything_stays(chunks: tuple[Chunk, ...], stays: bool) -> None:
    found = find_patches(DOCUMENT, changed(DATA[:START], *chunks))
    assert (found == ()) is stays
    assert (found is None) is not stays


def test_zeros_stay_where_there_are_zeros() -> None:
    built = b.build(base(tensors=(b.Tensor(b"t", (8,), 0, bytes(32)),)))
    start = built.data_start
    plan = WritePlan((Copy(0, start), Zeros(len(built.data) - start)))
    assert find_patches(parse(built.data), plan) == ()


def test_a_chunk_may_reach_from_the_header_into_the_data() -> None:
    for plan in (
        WritePlan((Copy(0, SIZE),)),
        WritePlan((Literal(DATA[:5]), Copy(5, SIZE - 5))),
        WritePlan((Literal(DATA),)),
    ):
        assert find_patches(DOCUMENT, plan) == ()
    wrong = bytearray(DATA)
    wrong[START] ^= 1
    assert find_patches(DOCUMENT, WritePlan((Literal(bytes(wrong)),))) is None
    wrong = bytearray(DATA)
    wrong[START - 1] ^= 1
    assert find_patches(DOCUMENT, WritePlan((Literal(bytes(wrong)),))) == (
        (START - 1, bytes(wrong[START - 1 : START])),
    )
    assert find_patches(DOCUMENT, WritePlan((Copy(1, SIZE - 1), Copy(0, 1)))) is None


@pytest.mark.parametrize("end", [0, 1, 4, 10, 11, 30, 57])
def test_the_start_of_a_plan_is_rendered(end: int) -> None:
    chunks: tuple[Any, ...] = (Literal(b"abcd"), Zeros(6), Copy(3, 20), Literal(b""), Copy(9, 30))
    content = made(chunks, [DATA])
    assert render(WritePlan(chunks), DATA, end) == content[:end]
