"""The arrays of a vocabulary, found by key and by what they hold."""

from __future__ import annotations

import pytest

from gguf_construct.core.codec import parse
from gguf_construct.core.token_arrays import SCORES_KEY, TEXTS_KEY, TYPES_KEY, token_arrays
from tests.support import builders as b
from tests.support.builders import Model, Pair, build


def found(*pairs: tuple[str, b.Value]) -> tuple[bool, bool, bool]:
    metadata = parse(build(Model(tuple(Pair(key.encode(), value) for key, value in pairs))).data)
    texts, scores, types = token_arrays(metadata.metadata)
    for field, key in ((texts, TEXTS_KEY), (scores, SCORES_KEY), (types, TYPES_KEY)):
        assert field is None or field.key == key
    return texts is not None, scores is not None, types is not None


def test_the_keys_are_those_of_ggml() -> None:
    assert TEXTS_KEY == "tokenizer.ggml.tokens"
    assert SCORES_KEY == "tokenizer.ggml.scores"
    assert TYPES_KEY == "tokenizer.ggml.token_type"


def test_all_three() -> None:
    assert found(
        (TEXTS_KEY, b.array(b.STRING, b"a")),
        (SCORES_KEY, b.array(b.FLOAT32, 0)),
        (TYPES_KEY, b.array(b.INT32, 1)),
    ) == (True, True, True)
    assert found() == (False, False, False)


@pytest.mark.parametrize("element_type", [b.INT8, b.INT64, b.UINT8, b.UINT32])
def test_types_are_integers_of_any_width(element_type: int) -> None:
    assert found((TYPES_KEY, b.array(element_type, 1)))[2]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        (TEXTS_KEY, b.array(b.INT32, 1)),
        (TEXTS_KEY, b.text("a")),
        (TEXTS_KEY, b.array(b.ARRAY, b.Array(b.STRING, (b"a",)))),
        (SCORES_KEY, b.array(b.INT32, 1)),
        (SCORES_KEY, b.array(b.STRING, b"1")),
        (SCORES_KEY, b.f32(1)),
        (TYPES_KEY, b.array(b.FLOAT32, 1)),
        (TYPES_KEY, b.array(b.STRING, b"1")),
        (TYPES_KEY, b.u32(1)),
    ],
)
def test_of_another_type_they_count_as_absent(key: str, value: b.Value) -> None:
    assert found((key, value)) == (False, False, False)
