"""Lazy views of arrays behave like the sequences that they stand for."""

from __future__ import annotations

from struct import Struct
from typing import TYPE_CHECKING, Any, Literal

import pytest

import gguf_construct as gc
from gguf_construct.errors import SourceChangedError
from gguf_construct.runtime import views
from gguf_construct.runtime.views import NumberArray, StringArray
from tests.support import builders as b
from tests.support.cases_valid import base

if TYPE_CHECKING:
    from pathlib import Path

WORDS = (b"one", b"", b"\xff\xfe", b"one", "\u2581two".encode())


@pytest.fixture(params=[b.LITTLE, b.BIG])
def model(request: pytest.FixtureRequest) -> gc.Model:
    """Strings and numbers in either byte order."""
    pairs = (
        b.Pair(b"x.words", b.array(b.STRING, *WORDS)),
        b.Pair(b"x.numbers", b.array(b.INT16, -2, 0, 7)),
        b.Pair(b"x.none", b.array(b.STRING)),
    )
    return gc.open(b.build(base(*pairs, byte_order=request.param)).data)


def _words(model: gc.Model) -> StringArray:
    words = model.metadata["x.words"]
    assert isinstance(words, StringArray)
    return words


def test_strings_as_a_sequence(model: gc.Model) -> None:
    words = _words(model)
    texts = [word.decode("utf-8", "surrogateescape") for word in WORDS]
    assert list(words) == texts
    assert words == texts
    assert words == tuple(texts)
    assert words != texts[:-1]
    assert [words[at] for at in range(-5, 5)] == texts * 2
    assert words[1:4] == texts[1:4]
    assert words[::-2] == texts[::-2]
    assert [words.raw(at) for at in range(5)] == list(WORDS)
    assert list(words.iter_raw()) == list(WORDS)
    for at in (5, -6):
        with pytest.raises(IndexError):
            words[at]


def test_strings_are_found_as_text_and_as_bytes(model: gc.Model) -> None:
    words = _words(model)
    assert words.index("one") == words.index(b"one") == 0
    assert words.index("one", 1) == 3
    assert words.index(b"\xff\xfe") == 2
    assert (words.count("one"), words.count(b""), words.count(7)) == (2, 1, 0)
    assert "\u2581two" in words
    anything: list[object] = [b"three", 3]
    assert not any(one in words for one in anything)
    for missing in ("three", b"on"):
        with pytest.raises(ValueError, match="not in the array"):
            words.index(missing)
    with pytest.raises(ValueError, match="not in the array"):
        words.index("one", 1, 3)


def test_half_a_surrogate_pair_is_in_no_file(model: gc.Model) -> None:
    words = _words(model)
    assert "\ud800" not in words
    assert words.count("\ud800") == 0
    with pytest.raises(ValueError, match="not in the array"):
        words.index("\ud800")


@pytest.mark.parametrize("index", ["0", 1.0, None])
def test_what_is_no_index_is_refused_as_lists_do(model: gc.Model, index: Any) -> None:
    for view in (_words(model), model.metadata.field("x.numbers").record.value.elements):
        with pytest.raises(TypeError):
            view[index]


def test_an_empty_array(model: gc.Model) -> None:
    none = model.metadata["x.none"]
    assert (list(none), len(none), bool(none), none == []) == ([], 0, False, True)


def test_numbers_as_a_sequence(model: gc.Model) -> None:
    numbers = model.metadata.field("x.numbers").record.value.elements
    assert isinstance(numbers, NumberArray)
    assert (list(numbers), numbers[-1], numbers[:2]) == ([-2, 0, 7], 7, [-2, 0])
    assert numbers == [-2, 0, 7]
    assert model.metadata["x.numbers"].tolist() == [-2, 0, 7]
    with pytest.raises(IndexError):
        numbers[3]


def test_views_say_what_they_hold(model: gc.Model) -> None:
    assert repr(_words(model)).startswith("<StringArray of 5: ['one', '', ")
    numbers = model.metadata.field("x.numbers").record.value.elements
    assert repr(numbers) == "<NumberArray of 3: [-2, 0, 7]>"


@pytest.mark.parametrize("byte_order", [b.LITTLE, b.BIG])
@pytest.mark.parametrize("length", [0, 2, 300, 1 << 40])
def test_arrays_that_change_under_their_reader_are_told(
    byte_order: b.ByteOrder, length: int, tmp_path: Path
) -> None:
    nested = b.array(b.ARRAY, b.Array(b.STRING, (b"first", b"second")), b.Array(b.INT32, (1,)))
    words = b.array(b.STRING, b"first", b"second", b"third")
    data = b.build(base(b.Pair(b"x", words), b.Pair(b"y", nested), byte_order=byte_order)).data
    path = tmp_path / "m.gguf"
    path.write_bytes(data)
    width = 8
    order: Literal["little", "big"] = "little" if byte_order == b.LITTLE else "big"
    with gc.open(path) as model:
        array = model.metadata.field("x").record.value.elements
        inner = model.metadata.field("y").record.value.elements
        changed = bytearray(data)
        for at in range(len(data)):
            if data[at : at + width + 5] == (5).to_bytes(width, order) + b"first":
                changed[at : at + width] = length.to_bytes(width, order)
        array.buffer = inner.buffer = bytes(changed)
        other = Struct(">Q" if byte_order == b.LITTLE else "<Q")
        for read in (
            lambda: list(array),
            lambda: array[1],
            lambda: "third" in array,
            lambda: array.encoded(other),
            lambda: array.encoded(Struct("<I")),
            lambda: [list(item.elements) for item in inner],
        ):
            with pytest.raises(SourceChangedError, match="changed while it was in use"):
                read()


@pytest.mark.parametrize("run", [1, 2, 5, 6])
def test_offsets_are_found_in_runs(
    model: gc.Model, run: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = list(_words(model).offsets)
    monkeypatch.setattr(views, "_RUN", run)
    words = _words(gc.open(bytes(model.buffer[:])))
    assert list(words.offsets) == whole
