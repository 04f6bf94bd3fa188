"""Which shard of a set a document is, and what the others are called."""

from __future__ import annotations

import pytest

from gguf_construct.core.codec import parse
from gguf_construct.core.shard_names import shard_of, sibling_name
from tests.support import builders as b
from tests.support.cases_valid import base

KEYS = [
    ((b.u16(0), b.u16(2)), (0, 2)),
    ((b.u16(1), b.u16(2)), (1, 2)),
    ((b.i32(5), b.u64(6)), (5, 6)),
    ((b.u16(0), b.u16(1)), None),
    ((b.u16(0), b.u16(0)), None),
    ((b.u16(0), None), None),
    ((None, b.u16(2)), None),
    ((b.boolean(1), b.u16(2)), None),
    ((b.u16(0), b.text("2")), None),
    ((b.f32(0), b.u16(2)), None),
]


@pytest.mark.parametrize(("values", "shard"), KEYS)
def test_shards_say_so(
    values: tuple[b.Value | None, b.Value | None], shard: tuple[int, int] | None
) -> None:
    keys = (b"split.no", b"split.count")
    pairs = [b.Pair(key, value) for key, value in zip(keys, values, strict=True) if value]
    assert shard_of(parse(b.build(base(*pairs)).data)) == shard


NAMES = [
    ("m-00001-of-00003.gguf", 0, "m-00001-of-00003.gguf"),
    ("m-00001-of-00003.gguf", 2, "m-00003-of-00003.gguf"),
    ("a-00009-of-00010-00001-of-00002.gguf", 1, "a-00009-of-00010-00002-of-00002.gguf"),
    ("two\nlines-00001-of-00002.gguf", 1, "two\nlines-00002-of-00002.gguf"),
    ("m.gguf", 1, None),
    ("m-00001-of-00003.gguf.part", 1, None),
    ("m-0001-of-00003.gguf", 1, None),
    ("m-00001-of-0003.gguf", 1, None),
    ("m-00001-of-00003xgguf", 1, None),
]


@pytest.mark.parametrize(("name", "number", "sibling"), NAMES)
def test_siblings(name: str, number: int, sibling: str | None) -> None:
    assert sibling_name(name, number) == sibling
