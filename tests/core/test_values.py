"""Values that are refused, and odd ones that are kept: neighbours of what broke once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gguf_construct as gc
from gguf_construct._generated.types import Array, ValueType
from gguf_construct.core.values import (
    bytes_of,
    from_python,
    guess_spec,
    plain,
    same_plain,
    spec_of,
    text_of,
    to_python,
)
from gguf_construct.errors import BuildError, TypeConflictError
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


INTEGERS = [f"{sign}int{bits}" for sign in ("u", "") for bits in (8, 16, 32, 64)]


@pytest.mark.parametrize("spec", INTEGERS)
def test_integers_up_to_the_bounds_of_their_type(spec: str) -> None:
    bits = int(spec.strip("uint"))
    low, high = (0, 2**bits - 1) if spec[0] == "u" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    for number in (low, high, 0, 1, np.int8(5)):
        assert from_python(spec, number) == number
    for number in (low - 1, high + 1):
        message = f"{number} is outside the range of {spec}, {low} to {high}"
        with pytest.raises(TypeConflictError, match=message) as caught:
            from_python(spec, number, "a.key")
        assert (caught.value.path, caught.value.expected, caught.value.actual) == (
            "a.key",
            spec,
            "int",
        )
    for wrong in (True, np.True_, 1.0, "1", None):
        with pytest.raises(TypeConflictError, match=f"is not a valid {spec}"):
            from_python(spec, wrong)


def test_floats_are_rounded_to_their_width() -> None:
    assert from_python("float64", 0.1) == 0.1
    assert from_python("float32", 0.1) == float(np.float32(0.1)) != 0.1
    assert from_python("float32", 7) == 7.0
    assert from_python("float32", float("-inf")) == float("-inf")
    with pytest.raises(TypeConflictError, match=r"3\.5e\+38 is outside the range of float32"):
        from_python("float32", 3.5e38)
    for wrong in (True, "1", b"1", None, [1.0]):
        with pytest.raises(TypeConflictError, match="is not a valid float64"):
            from_python("float64", wrong)


def test_booleans_are_nothing_else() -> None:
    assert [from_python("bool", one) for one in (True, False, np.True_)] == [1, 0, 1]
    for wrong in (0, 1, "true", None):
        with pytest.raises(TypeConflictError, match="is not a valid bool"):
            from_python("bool", wrong)


def test_an_array_needs_the_type_of_its_elements() -> None:
    with pytest.raises(TypeConflictError, match="type of the elements must be given"):
        from_python("array", [1])
    with pytest.raises(TypeConflictError, match="type of the inner arrays must be given") as caught:
        from_python("[array]", [[True], [1]], "key")
    assert caught.value.path == "key[1][0]"
    with pytest.raises(TypeConflictError, match="outside the range of uint8") as caught:
        from_python("[[uint8]]", [[1], [2, 300]], "key")
    assert caught.value.path == "key[1][1]"


def test_long_values_are_cut_in_messages() -> None:
    from_python("string", "x" * 99)
    with pytest.raises(TypeConflictError, match=f"'{'x' * 58}' is not a valid bool"):
        from_python("bool", "x" * 58)
    with pytest.raises(TypeConflictError, match=f"'{'x' * 56}[.][.][.] is not a valid bool"):
        from_python("bool", "x" * 59)
    with pytest.raises(TypeConflictError, match="this int is outside the range of uint8"):
        from_python("uint8", 10**5000)


def test_text_and_bytes_are_inverse() -> None:
    for data in (b"", b"plain", b"\xff\xfe", b"ok\xc3", "naïve".encode()):
        assert bytes_of(text_of(data)) == data
    with pytest.raises(TypeConflictError, match="character 1 is half of a surrogate pair"):
        bytes_of("a\ud800")


GUESSES = [
    (True, "bool"),
    (np.False_, "bool"),
    ("a", "string"),
    (b"a", "string"),
    (bytearray(b"a"), "string"),
    (["a", "b"], "[string]"),
    ((True,), "[bool]"),
    ([["a"], ["b"]], "[[string]]"),
    ([["a"], [True]], None),
    ([], None),
    ([1], None),
    (1, None),
    (1.5, None),
    (None, None),
    (np.uint16(3), "uint16"),
    (np.array(3, ">i8"), "int64"),
    (np.array([3.0]), "[float64]"),
    (np.array([[3.0]]), None),
    ([np.int8(1), np.int8(2)], "[int8]"),
    ([np.int8(1), np.int16(2)], None),
    (np.array([1j]), None),
]


@pytest.mark.parametrize(("value", "spec"), GUESSES, ids=repr)
def test_guesses(value: object, spec: str | None) -> None:
    assert guess_spec(value) == spec


def test_values_and_specs_of_the_codec() -> None:
    inner = Array(ValueType.UINT8, 2, [1, 2])
    other = Array(ValueType.BOOL, 2, [0, 2])
    assert spec_of(ValueType.ARRAY, inner) == "[uint8]"
    assert spec_of(ValueType.ARRAY, Array(ValueType.ARRAY, 1, [inner])) == "[[uint8]]"
    mixed = Array(ValueType.ARRAY, 2, [inner, other])
    assert spec_of(ValueType.ARRAY, mixed) == "[array]"
    assert spec_of(ValueType.ARRAY, Array(ValueType.ARRAY, 0, [])) == "[array]"
    assert spec_of(ValueType.INT16, 5) == "int16"
    assert plain(ValueType.ARRAY, mixed) == [[1, 2], [False, True]]
    assert to_python(ValueType.ARRAY, Array(ValueType.ARRAY, 1, [inner])) == [[1, 2]]
    assert to_python(ValueType.BOOL, 2) is True
    assert plain(ValueType.BOOL, 0) is False
    assert to_python(ValueType.STRING, b"a\xff") == "a\udcff"


SAME = [
    (1, 1, True),
    ([1, 2], [1, 2], True),
    ([1, 2], (1, 2), True),
    ([1, 2], np.array([1, 2]), True),
    ([1, 2], [1, 3], False),
    ([1, 2], [1], False),
    ([1], [1, 2], False),
    ([[1], [2]], [np.array([1]), [2]], True),
    (["a"], "a", False),
    (["a"], b"a", False),
    ([], {}, False),
    ([], [], True),
    ("a", ["a"], False),
    (5, np.int64(5), True),
]


@pytest.mark.parametrize(("mine", "theirs", "is_same"), SAME, ids=repr)
def test_same_plain(mine: object, theirs: object, is_same: bool) -> None:
    assert same_plain(mine, theirs) is is_same


@pytest.mark.parametrize(
    ("spec", "items"),
    [
        ("[string]", ["a", "", "ü", "\udcff"]),
        ("[int32]", [-(2**31), 2**31 - 1, 0]),
        ("[uint8]", [0, 255]),
        ("[uint64]", [2**64 - 1]),
        ("[float32]", [0.1, -0.0, float("inf"), float("nan"), 3]),
        ("[float64]", [0.1, 5e-324]),
        ("[bool]", [True, False]),
    ],
)
def test_a_list_is_stored_as_its_items_are_one_by_one(spec: str, items: list[Any]) -> None:
    model = gc.open(b.build(b.Model()).data)
    model.metadata.set("all", items, spec)
    for at, item in enumerate(items):
        model.metadata.set("one", [item], spec)
        whole, single = model.metadata.field("all"), model.metadata.field("one")
        assert repr(whole.plain_value[at]) == repr(single.plain_value[0])
        model.metadata.set("scalar", item, spec[1:-1])
        assert repr(model.metadata.field("scalar").plain_value) == repr(whole.plain_value[at])


@pytest.mark.parametrize(
    ("spec", "items", "where"),
    [
        ("[uint8]", [0, 256], r"k\[1\]"),
        ("[int8]", [1, -129], r"k\[1\]"),
        ("[float32]", [0.5, 1e39], r"k\[1\]"),
        ("[int32]", [1, True], r"k\[1\]"),
        ("[int32]", [1, 2.0], r"k\[1\]"),
        ("[string]", ["a", "\ud800"], r"k\[1\]"),
        ("[string]", ["a", 1], r"k\[1\]"),
    ],
)
def test_a_list_with_one_wrong_item_says_which(spec: str, items: list[Any], where: str) -> None:
    model = gc.open(b.build(b.Model()).data)
    with pytest.raises(gc.errors.TypeConflictError, match=where):
        model.metadata.set("k", items, spec)
