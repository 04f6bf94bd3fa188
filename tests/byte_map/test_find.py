"""Places in the byte map: which field a byte is, which bytes a field is."""

from __future__ import annotations

import pytest

from gguf_construct.byte_map.find import find_span, spans_of
from gguf_construct.byte_map.spans import byte_map
from gguf_construct.errors import KeyNotFoundError
from tests.support import builders as b
from tests.support.blocks import tensor_bytes
from tests.support.builders import Array, Model, Pair, Str, Tensor, build
from tests.support.cases import CASES

WORDS = tuple(b"word%d" % at for at in range(40))
PAIRS = (
    Pair(b"general.architecture", b.text("llama")),
    Pair(b"tokenizer.ggml.tokens", b.array(b.STRING, *WORDS)),
    Pair(b"numbers", b.array(b.INT32, *range(-20, 20))),
    Pair(b"nested", b.array(9, Array(b.UINT16, tuple(range(30))), Array(b.STRING, WORDS))),
)
TENSORS = (Tensor(b"blk.0.weight", (32, 3), 2, tensor_bytes(2, (32, 3), 1)),)


def built(order: b.ByteOrder = b.LITTLE, version: int = 3) -> b.Built:
    return build(Model(PAIRS, TENSORS, version, order))


MODELS = {f"{order}-{version}": built(order, version) for order in (b.LITTLE, b.BIG)
          for version in (1, 3)}  # fmt: skip


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_every_byte_is_found_in_its_unfolded_span(model: b.Built) -> None:
    for span in byte_map(model.data, fold=None):
        for offset in {span.start, span.end - 1}:
            found = find_span(model.data, offset)
            assert found.span == span


@pytest.mark.parametrize("case", CASES.values(), ids=str)
def test_bytes_of_any_file_are_found(case: object) -> None:
    data: bytes = case.data  # type: ignore[attr-defined]
    for offset in range(0, len(data), len(data) // 8 + 1):
        span = find_span(data, offset).span
        assert span.start <= offset < span.end


@pytest.mark.parametrize("offset", [-1, None])
def test_bytes_outside_the_file(offset: int | None) -> None:
    data = built().data
    with pytest.raises(KeyNotFoundError):
        find_span(data, len(data) if offset is None else offset)


def test_the_name_of_the_item_is_told() -> None:
    model = built()
    assert find_span(model.data, 5).name is None
    assert find_span(model.data, model.at("metadata[2].value[3]")).name == "numbers"
    assert find_span(model.data, model.at("metadata[2].key.data")).name == "numbers"
    assert find_span(model.data, model.at("tensors[0].dims[0]")).name == "blk.0.weight"
    assert find_span(model.data, model.at("tensors[0].data")).name == "blk.0.weight"


def paths(model: b.Built, path: str) -> list[str]:
    return [span.path for span in spans_of(model.data, path)]


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("version", ["version"]),
        ("tokenizer.ggml.tokens[17]", [".len_value", ".value"]),
        ("metadata[1].value.elements[17]", [".len_value", ".value"]),
        ("metadata[1] 'tokenizer.ggml.tokens'.value.elements[17]", [".len_value", ".value"]),
        ("tokenizer.ggml.tokens[17].value", [".value"]),
        ("tokenizer.ggml.tokens.value.elements[17].value", [".value"]),
    ],
)
def test_paths_of_every_kind(model: b.Built, path: str, found: list[str]) -> None:
    stem = "metadata[1].value.elements[17]" if path != "version" else ""
    assert paths(model, path) == [stem + end for end in found]


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_elements_are_the_unfolded_ones(model: b.Built) -> None:
    unfolded = {span.path: span for span in byte_map(model.data, fold=None)}
    wanted = {
        "numbers[3]": ["metadata[2].value.elements[3]"],
        "numbers[37:]": [f"metadata[2].value.elements[{at}]" for at in (37, 38, 39)],
        "numbers[:2]": [f"metadata[2].value.elements[{at}]" for at in (0, 1)],
        "nested[0].elements[29]": ["metadata[3].value.elements[0].elements[29]"],
        "nested[1].elements[39].value": ["metadata[3].value.elements[1].elements[39].value"],
    }
    for path, names in wanted.items():
        assert list(spans_of(model.data, path)) == [unfolded[name] for name in names], path


def test_a_whole_array_stays_folded() -> None:
    assert paths(built(), "numbers.value.elements")[-1] == "metadata[2].value.elements[8:40]"
    assert len(paths(built(), "numbers")) == 5 + 9


def test_tensors_by_name_come_with_their_data() -> None:
    found = paths(built(), "blk.0.weight")
    assert found[0] == "tensor_infos[0].name.len_value"
    assert found[-2:] == ["tensor_infos[0].data", "tensor_infos[0].padding"]
    assert paths(built(), "blk.0.weight.dims") == [f"tensor_infos[0].dims[{at}]" for at in (0, 1)]


def test_empty_fields_are_found_by_their_path() -> None:
    words = b.array(b.STRING, *[b""] * 20)
    model = build(Model((Pair(b"nothing", b.text("")), Pair(b"words", words))))
    for path in ("nothing.value.value", "metadata[1].value.elements[7].value", "words[7].value"):
        (span,) = spans_of(model.data, path)
        assert (span.start, span.value) == (span.end, b""), path


def test_a_repeated_key_gives_all_its_places() -> None:
    model = build(Model((Pair(b"twice", b.u8(1)), Pair(b"x", b.u8(0)), Pair(b"twice", b.u8(2)))))
    assert paths(model, "twice.value") == ["metadata[0].value", "metadata[2].value"]


def test_the_longest_name_wins() -> None:
    model = build(Model((Pair(b"a", b.u8(1)), Pair(b"a.value", b.u8(2)), Pair(b"a[0]", b.u8(3)))))
    assert [span.value for span in spans_of(model.data, "a.value.value")] == [2]
    assert [span.value for span in spans_of(model.data, "a[0].value")] == [3]


def test_keys_that_look_like_fields_can_be_named() -> None:
    model = build(Model((Pair(b"metadata.x", b.u8(1)),)))
    assert paths(model, "metadata.x.value") == ["metadata[0].value"]


@pytest.mark.parametrize("path", ["numbrs", "metadata[9]", "numbers[40]", "", "[", "a..b", "]["])
def test_what_is_not_there(path: str) -> None:
    with pytest.raises(KeyNotFoundError) as caught:
        list(spans_of(built().data, path))
    if path == "numbrs":
        assert caught.value.matches == ("numbers",)


def test_paths_work_up_to_the_first_bad_byte() -> None:
    pairs = (*PAIRS, Pair(Str(b"bad", 1 << 60), b.u8(1)))
    model = build(Model(pairs))
    assert [span.value for span in spans_of(model.data, "numbers[3]")] == [-17]
    assert paths(model, "unreadable") == ["unreadable"]
