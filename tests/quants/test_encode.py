"""Numbers to blocks: exact for plain types, ggml's own bytes for quantised ones."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

from gguf_construct import GGMLType
from gguf_construct.errors import BuildError
from gguf_construct.quants import dequantize, encode, type_of, typed_array
from gguf_construct.quants.dtypes import block_dtype

VALUES = np.random.default_rng(7).standard_normal((4, 512)).astype(np.float32)
SPECIAL = np.array([0, -0.0, 1, 65504, 1e-8, np.inf, -np.inf, np.nan, 3.0e38], np.float32)


@pytest.mark.parametrize("order", ["little", "big"])
def test_bfloat16_rounds_to_the_nearest_even(order: str) -> None:
    bits = np.array([0x3F808000, 0x3F818000, 0x3F808001, 0x7F800001, 0xFF800000], np.uint32)
    data = encode(bits.view(np.float32), GGMLType.BF16, byte_order=order)
    found = data.view("<u2" if order == "little" else ">u2")
    assert found.tolist() == [0x3F80, 0x3F82, 0x3F81, 0x7FC0, 0xFF80]


@pytest.mark.parametrize("order", ["little", "big"])
def test_plain_types_keep_every_bit(order: str) -> None:
    for array in (SPECIAL, SPECIAL.astype(np.float64), np.array([-128, 127], np.int8)):
        data = encode(array, type_of(array), byte_order=order)
        found = dequantize(data, type_of(array), byte_order=order)
        assert found.tobytes() == array.tobytes()


def test_blocks_go_through_unchanged_in_either_order() -> None:
    blocks = np.frombuffer(bytes(range(68)), block_dtype(8)).reshape(2, 1)
    assert encode(blocks, 8).tobytes() == bytes(range(68))
    swapped = encode(blocks, 8, byte_order="big")
    assert swapped[:4].tolist() == [1, 0, 2, 3]
    again = typed_array(swapped, 8, (2, 32), "big")
    assert again.shape == (2, 1)
    assert encode(again, 8).tobytes() == bytes(range(68))
    assert type_of(again) == GGMLType.Q8_0


def test_without_the_library_only_what_gguf_py_can(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "libgguf", None)
    found = dequantize(encode(VALUES, GGMLType.Q8_0), GGMLType.Q8_0)
    assert np.abs(found.reshape(VALUES.shape) - VALUES).max() < 0.02
    with pytest.raises(BuildError, match="needs the package libgguf") as caught:
        encode(VALUES, GGMLType.Q4_K)
    assert "gguf-construct[quantize]" in str(caught.value.hint)


def test_an_importance_matrix_has_a_number_for_each_column() -> None:
    pytest.importorskip("libgguf")
    with pytest.raises(BuildError, match="importance matrix of 512"):
        encode(VALUES, GGMLType.Q4_K, imatrix=np.ones(5))
    with pytest.raises(BuildError, match="by an importance matrix only"):
        encode(VALUES, GGMLType.IQ2_XXS)
    with pytest.raises(BuildError, match="does not quantise to Q8_1"):
        encode(VALUES, GGMLType.Q8_1)


@pytest.mark.parametrize("name", ["Q8_0", "Q4_0", "Q4_K", "Q6_K", "IQ2_XS", "MXFP4", "TQ2_0"])
@pytest.mark.parametrize("order", ["little", "big"])
def test_what_is_encoded_decodes_to_nearly_the_same(name: str, order: str) -> None:
    pytest.importorskip("libgguf")
    weights: Any = np.ones(512, np.float32) if name == "IQ2_XS" else None
    data = encode(VALUES, GGMLType[name], byte_order=order, imatrix=weights)
    found = dequantize(data, GGMLType[name], byte_order=order).reshape(VALUES.shape)
    error = np.sqrt(((found - VALUES) ** 2).mean())
    assert error < (0.02 if name == "Q8_0" else 0.8)
