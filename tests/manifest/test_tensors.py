"""Entries of tensors in a manifest: from files, from values, filled."""

from __future__ import annotations

import io
import struct
from typing import Any

import numpy as np
import pytest

from gguf_construct.errors import BuildError
from gguf_construct.manifest import tensors
from gguf_construct.manifest.tensors import TensorSpec, read_tensor
from gguf_construct.manifest.yaml_read import parse_yaml
from tests.manifest.memory_files import MemoryFiles
from tests.support import unknown
from tests.support.plans import made


def npy(array: Any, **how: Any) -> bytes:
    out = io.BytesIO()
    np.save(out, array, **how)
    return out.getvalue()


def read(text: str, order: str = "<", **files: bytes) -> tuple[TensorSpec, bytes]:
    """The entry and its bytes."""
    folder = MemoryFiles(**files)
    root = parse_yaml(f"\nt: {text}\n")
    assert root is not None
    spec = read_tensor(*root.pairs[0], order, folder)
    return spec, made([spec.chunk], folder.sources)


def test_data_of_any_type() -> None:
    spec, data = read("{type: Q4_0, shape: [2, 32], data: a, offset: 64}", a=bytes(range(36)))
    assert (spec.name, spec.type, spec.dims, spec.offset, spec.line) == (b"t", 2, (32, 2), 64, 2)
    assert data == bytes(range(36))
    spec, _ = read("{dims: [32, 2], type: q4_0, data: a}", a=bytes(36))
    assert (spec.dims, spec.offset) == ((32, 2), None)
    spec, _ = read("{dims: [3, 2], shape: [2, 3], data: a}", a=bytes(24))
    assert (spec.type, spec.dims) == (0, (3, 2))
    spec, data = read(f"{{type: {unknown.TENSOR_TYPE}, shape: [5], data: a}}", a=b"any size")
    assert (spec.type, data) == (unknown.TENSOR_TYPE, b"any size")


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize(
    ("dtype", "type_id"),
    [("f4", 0), ("f2", 1), ("f8", 28), ("i1", 24), ("i2", 25), ("i4", 26), ("i8", 27)],
)
@pytest.mark.parametrize("there", ["<", ">"])
def test_arrays_of_numpy_know_their_shape(order: str, dtype: str, type_id: int, there: str) -> None:
    array = np.arange(6).reshape(2, 3).astype(there + dtype)
    spec, data = read("{data: a.npy}", order, a__npy=npy(array))
    assert (spec.type, spec.dims) == (type_id, (3, 2))
    assert data == array.astype(order + dtype).tobytes()
    spec, _ = read("{data: a.npy, shape: [2, 3]}", order, a__npy=npy(array))
    assert spec.dims == (3, 2)


@pytest.mark.parametrize("order", ["<", ">"])
def test_values(order: str) -> None:
    spec, data = read("{values: [[1, 2.5], [-3, 1e-2]]}", order)
    assert (spec.type, spec.dims) == (0, (2, 2))
    assert data == struct.pack(f"{order}4f", 1, 2.5, -3, 0.01)
    spec, data = read("{values: 7, type: I16}", order)
    assert (spec.dims, data) == ((), struct.pack(f"{order}h", 7))
    spec, data = read("{values: [0x10, -1], type: I64, shape: [1, 2]}", order)
    assert (spec.dims, data) == ((2, 1), struct.pack(f"{order}2q", 16, -1))
    spec, data = read("{values: []}", order)
    assert (spec.dims, data) == ((0,), b"")
    # bfloat16 is rounded to the nearest, to even on a tie.
    near = [1.0, 1 + 2**-8, 1 + 3 * 2**-8, 1 + 2**-8 + 2**-20, float("inf")]
    spec, data = read(f"{{type: BF16, values: [{', '.join(map(repr, near))}, nan]}}", order)
    assert struct.unpack(f"{order}6H", data) == (0x3F80, 0x3F80, 0x3F82, 0x3F81, 0x7F80, 0x7FC0)


def test_zeros() -> None:
    spec, data = read("{fill: zeros, shape: [3, 32], type: Q8_0}")
    assert (spec.type, spec.dims, data) == (8, (32, 3), bytes(102))
    assert read("{fill: zeros, shape: [2]}")[0].type == 0


WRONG = [
    ("{type: F32}", {}, "a tensor needs one of data"),
    ("{fill: zeros, values: [1]}", {}, "a tensor needs one of data"),
    ("{size: 3}", {}, "'size' is not known here"),
    ("{type: Q99, fill: zeros, shape: [1]}", {}, "'Q99' is not a tensor type"),
    (
        "{type: 4294967296, fill: zeros, shape: [1]}",
        {},
        "4294967296 is not within 0 and 4294967295",
    ),
    ("{fill: zeros, shape: [x]}", {}, "'x' is not a number"),
    ("{fill: zeros, shape: [-1]}", {}, "-1 is not within 0 and 18446744073709551615"),
    ("{fill: zeros, shape: [1], offset: 18446744073709551616}", {}, "is not within 0 and"),
    ("{fill: zeros, shape: [1, 2], dims: [1, 2]}", {}, "dims is not the reverse of shape"),
    ("{fill: ones, shape: [1]}", {}, "fill takes only zeros"),
    ("{fill: zeros}", {}, "the shape is missing"),
    (
        f"{{fill: zeros, shape: [1], type: {unknown.TENSOR_TYPE}}}",
        {},
        "the size of type .* is not known",
    ),
    ("{fill: zeros, shape: [1], type: Q4_0}", {}, "the size of Q4_0 of shape .1. is not known"),
    ("{fill: zeros, shape: [562949953421312]}", {}, "2251799813685248 bytes of zeros"),
    ("{data: a}", {"a": b"1234"}, "the shape is missing"),
    ("{data: b, shape: [1]}", {"a": b"1234"}, "no file b"),
    ("{data: a, shape: [2]}", {"a": b"1234"}, "F32 of shape .2. takes 8 bytes, the data has 4"),
    ("{data: a.npy}", {"a__npy": b"1234"}, "numpy|npy"),
    ("{data: a.npy, type: F16}", {"a__npy": npy(np.zeros(3, "f4"))}, "the array is not F16"),
    ("{data: a.npy}", {"a__npy": npy(np.zeros(3, "u2"))}, "the array is not tensor data"),
    (
        "{data: a.npy, shape: [3, 2]}",
        {"a__npy": npy(np.zeros((2, 3), "f4"))},
        "has the shape .2, 3., not .3, 2.",
    ),
    ("{data: a.npy}", {"a__npy": npy(np.zeros(3, ">f4"))[:-1]}, "11 bytes are not a whole number"),
    ("{values: [1], type: Q4_0}", {}, "values cannot be given for Q4_0"),
    (f"{{values: [1], type: {unknown.TENSOR_TYPE}}}", {}, "values cannot be given for type"),
    ("{values: [x]}", {}, "the values do not fit F32: "),
    ("{values: [300], type: I8}", {}, "the values do not fit I8: "),
    ("{values: [1e39]}", {}, "the values do not fit F32: "),
    ("{values: [[1, 2], [3]]}", {}, "a list of 2 is expected here"),
    ("{values: [[1], 2]}", {}, "a list of 1 is expected here"),
    ("{values: [1, 2], shape: [3]}", {}, "takes 12 bytes, the data has 8"),
]


@pytest.mark.parametrize(("text", "files", "words"), WRONG)
def test_what_is_refused_has_its_line(text: str, files: dict[str, bytes], words: str) -> None:
    with pytest.raises(BuildError, match=words) as caught:
        read(text, "<", **files)
    assert caught.value.path == "line 2"


def test_so_many_values_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tensors, "_MAX_VALUES", 3)
    assert read("{values: [1, 2, 3]}")[0].dims == (3,)
    with pytest.raises(BuildError, match="more than 3 values"):
        read("{values: [1, 2, 3, 4]}")
