"""Values that are refused, and odd ones that are kept: neighbours of what broke once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gguf_construct._generated.types import Limits
from gguf_construct.core.type_names import parse_spec
from gguf_construct.errors import BuildError, LimitExceededError, TypeConflictError
from gguf_construct.model import open_model
from tests.support import builders as b
from tests.support.builders import build
from tests.support.cases_valid import base


def _nest(depth: int) -> tuple[Any, str]:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value, "[" * depth + "uint8" + "]" * depth


def test_deep_arrays_are_refused_where_readers_stop() -> None:
    model = open_model(build(base()).data)
    value, spec = _nest(8)
    assert model.metadata.set("deep", value, spec).type == spec
    value, spec = _nest(9)
    with pytest.raises(BuildError, match="deep"):
        model.metadata.set("deeper", value, spec)
    assert "deeper" not in model.metadata
    assert open_model(model.to_bytes()).metadata.field("deep").type == _nest(8)[1]


@pytest.mark.parametrize(
    "spec", ["[" * 5000 + "uint8" + "]" * 5000, "array[" * 3000 + "]" * 3000, "uint8" + "[]" * 4000]
)
def test_absurd_specs_are_refused(spec: str) -> None:
    with pytest.raises(TypeConflictError, match="no value type"):
        parse_spec(spec)


@pytest.mark.parametrize(
    ("value", "spec"),
    [
        ([1], "array"),
        ([1], "[array]"),
        (np.bool_(True), "float32"),
        (np.array([True]), "[float32]"),
        ({"a": 1}, "[string]"),
        ({1, 2}, "[uint8]"),
        ("ab", "[string]"),
        (np.array(3), "[uint8]"),
        (np.zeros((2, 2), np.uint8), "[uint8]"),
        (np.zeros(2, np.float32), "[uint8]"),
        ([1, "a"], "[uint8]"),
        ([True], "[uint8]"),
        ([1], "[bool]"),
        ([[1], 2], "[[uint8]]"),
        ([256], "[uint8]"),
        ([1e39], "[float32]"),
    ],
)
def test_values_of_another_kind_are_refused(value: Any, spec: str) -> None:
    model = open_model(build(base()).data)
    with pytest.raises(TypeConflictError):
        model.metadata.set("key", value, spec)
    assert "key" not in model.metadata
    assert not model.metadata.is_changed


@pytest.mark.parametrize("spec", ["uint64", "float64", "string", "bool"])
def test_integers_too_long_to_print_are_refused(spec: str) -> None:
    metadata = open_model(build(base()).data).metadata
    with pytest.raises(TypeConflictError):
        metadata.set("key", 10**5000, spec)


def test_a_list_that_holds_itself_is_refused() -> None:
    endless: list[Any] = []
    endless.append(endless)
    metadata = open_model(build(base()).data).metadata
    for spec in (None, "[[uint8]]"):
        with pytest.raises(TypeConflictError):
            metadata.set("key", endless, spec)


@pytest.mark.parametrize("key", [5, b"general.name", None])
def test_keys_are_text(key: Any) -> None:
    metadata = open_model(build(base()).data).metadata
    with pytest.raises(TypeConflictError, match="a key is text"):
        metadata[key] = "x"
    assert key not in metadata


def test_types_are_text() -> None:
    metadata = open_model(build(base()).data).metadata
    with pytest.raises(TypeConflictError, match="no value type"):
        metadata.set("key", 1, 5)  # type: ignore[arg-type]


class _Shout(str):
    def encode(self, encoding: str = "utf-8", errors: str = "strict") -> bytes:
        return super().encode(encoding, errors).upper()


@pytest.mark.parametrize(
    "value", [b"text", bytearray(b"text"), memoryview(b"text"), _Shout("text")]
)
def test_whatever_holds_bytes_or_text_is_a_string(value: Any) -> None:
    metadata = open_model(build(base()).data).metadata
    assert metadata.set("key", value, "string").value == "text"


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("file_order", [b.LITTLE, b.BIG])
def test_numpy_arrays_keep_their_bits(order: str, file_order: b.ByteOrder) -> None:
    bits = np.array([0x7FA00001, 0xFFC12345, 0x3F800000], f"{order}u4")
    model = open_model(build(base(byte_order=file_order)).data)
    model.metadata.set("floats", bits.view(f"{order}f4"), "[float32]")
    found = open_model(model.to_bytes()).metadata["floats"]
    assert found.view(found.dtype.str.replace("f", "u")).tolist() == bits.tolist()


@pytest.mark.parametrize(("kind", "bits"), [("f4", 0x7FA00001), ("f8", 0x7FF0000000000ABC)])
@pytest.mark.parametrize("order", ["<", ">"])
def test_numbers_of_numpy_keep_their_bits(kind: str, bits: int, order: str) -> None:
    width = int(kind[1])
    numbers = np.array([bits], f"{order}u{width}").view(order + kind)
    metadata = open_model(build(base()).data).metadata
    for value, spec in [
        (numbers[0], f"float{8 * width}"),
        (numbers.reshape(()), f"float{8 * width}"),
        (list(numbers), f"[float{8 * width}]"),
    ]:
        raw = metadata.set("nan", value, spec).raw
        assert int.from_bytes(raw[-width:], "little") == bits
        del metadata["nan"]


def test_strided_arrays_are_taken_as_they_look() -> None:
    model = open_model(build(base()).data)
    model.metadata.set("numbers", np.arange(10, dtype=">u4")[::3], "[uint32]")
    assert model.metadata["numbers"].tolist() == [0, 3, 6, 9]


@pytest.mark.parametrize("spec", ["[uint32]", "[int64]", "[float32]"])
def test_masked_elements_are_not_made_up(spec: str) -> None:
    model = open_model(build(base()).data)
    number = np.dtype(spec[1:-1])
    with pytest.raises(TypeConflictError, match="masked"):
        model.metadata.set("numbers", np.ma.array([1, 2], number, mask=[False, True]), spec)
    for whole in (np.ma.array([1, 2], number), np.ma.array([1, 2], number, mask=[False, False])):
        model.metadata.set("numbers", whole, spec)
        assert model.metadata["numbers"].tolist() == [1, 2]


def test_bytes_behind_a_header_without_tensors_stay() -> None:
    for tail in (b"trailing", b"\0\0\0x", b"y" * 100):
        model = open_model(build(base(tensors=(), tail=tail)).data)
        model.metadata["general.name"] = "longer"
        assert model.to_bytes().endswith(tail)


def test_limits_cannot_be_raised_beyond_what_the_reader_can_do() -> None:
    array: b.Array = b.Array(b.UINT8, (1,))
    for _ in range(300):
        array = b.Array(b.ARRAY, (array,))
    data = b.build(b.Model((b.Pair(b"x", b.Value(b.ARRAY, array)),))).data
    with pytest.raises(LimitExceededError, match="max_array_depth"):
        open_model(data, limits=Limits(max_array_depth=5000))
    assert open_model(build(base()).data, limits=Limits(max_array_depth=5000)).tensors
