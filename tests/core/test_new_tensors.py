"""What can become a tensor: arrays, late arrays, blocks; and what cannot, with the reason."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

from gguf_construct.core.new_tensors import make_tensor, tensor_type
from gguf_construct.errors import BuildError
from gguf_construct.quants import block_dtype

A = np.arange(64, dtype=np.float32).reshape(2, 32)


class Late:
    """An array that counts how often it is read."""

    def __init__(self, array: Any) -> None:
        self.array, self.shape, self.dtype, self.reads = array, array.shape, array.dtype, 0

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        self.reads += 1
        return self.array


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (A, "F32"),
        (A.astype(np.float16), "F16"),
        (A.astype(np.float64), "F64"),
        (A.astype(np.int8), "I8"),
        (A.astype(">i2"), "I16"),
        (A.astype(np.int32), "I32"),
        (A.astype(np.int64), "I64"),
        ([[1.5, 2.5]], "F64"),
        (np.zeros((2, 1), block_dtype(8)), "Q8_0"),
    ],
)
def test_the_dtype_says_the_tensor_type(value: Any, name: str) -> None:
    tensor = make_tensor("x", value, None, "little")
    assert tensor.type_name == name
    wanted = (2, 32) if name == "Q8_0" else np.shape(value)
    assert tensor.shape == wanted
    if name != "Q8_0":
        assert np.array_equal(tensor.dequantize(), np.asarray(value))


def test_a_contiguous_array_is_not_copied() -> None:
    array = A.copy()
    tensor = make_tensor("x", array, None, sys.byteorder)
    assert np.shares_memory(tensor.data, array)


@pytest.mark.parametrize("order", ["little", "big"])
def test_a_late_array_is_read_when_its_bytes_are(order: str) -> None:
    late = Late(A)
    tensor = make_tensor("x", late, "F16", order)
    assert (tensor.shape, tensor.nbytes, late.reads) == ((2, 32), 128, 0)
    assert (tensor.dequantize() == A).all()
    assert late.reads == 1


def test_a_late_array_that_changes_its_size_is_refused() -> None:
    late = Late(A)
    tensor = make_tensor("x", late, None, "little")
    late.array = A[:1]
    with pytest.raises(BuildError, match="128 bytes now, not 256"):
        _ = tensor.data


@pytest.mark.parametrize(
    ("value", "type", "message"),
    [
        (np.zeros(3, np.uint8), None, "no tensor type holds uint8"),
        (np.array(["a"]), None, "no tensor type holds .U1"),
        (np.array([None]), "F32", "object holds no numbers"),
        (np.zeros(3, complex), "F32", "complex128 holds no numbers"),
        (A, "Q9_9", "there is no tensor type 'Q9_9'"),
        (A[:, :31], "Q8_0", "rows of 31 elements are not whole Q8_0 blocks of 32"),
        (np.float32(1), "Q8_0", "rows of 1 elements"),
        (A, "I8", "float32 does not become I8"),
        (np.array([1000]), "I8", "too large for I8"),
        (np.ma.masked_array([1.0, 2.0], [False, True]), None, "masked array"),
        (Late(A[:, :31]), "Q8_0", "rows of 31 elements are not whole Q8_0 blocks"),
    ],
)
def test_what_cannot_be_a_tensor_says_why(value: Any, type: Any, message: str) -> None:
    with pytest.raises(BuildError, match=message):
        make_tensor("x", value, type, "little")


def test_a_type_by_number_name_and_member() -> None:
    assert tensor_type("q4_k") == tensor_type("Q4_K") == tensor_type(12) == 12
