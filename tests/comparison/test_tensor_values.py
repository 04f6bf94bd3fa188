"""Values of a tensor, piece by piece."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import gguf_construct as gc
from gguf_construct.comparison import tensor_values as values
from gguf_construct.comparison.tensor_values import BlockData, Values, block_values, tensor_values
from gguf_construct.errors import TruncatedError
from tests.support import builders as b
from tests.support import unknown
from tests.support.blocks import swap_bytes
from tests.support.cases_valid import base


@pytest.mark.parametrize("order", [b.LITTLE, b.BIG])
def test_values_can_be_walked_twice(order: b.ByteOrder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(values, "PIECE", 3)
    with gc.open(b.build(base(byte_order=order)).data) as model:
        found = tensor_values(model.tensors["weight"])
        assert (found.name, found.shape, found.type_name) == ("weight", (8,), "F32")
        assert found.num_elements == 8
        for _ in range(2):
            pieces = list(found.pieces())
            assert [piece.size for piece in pieces] == [3, 3, 2]
            joined = np.concatenate(pieces)
            assert joined.view(np.uint32).tolist() == list(range(0x3F800000, 0x3F800008))
        assert found.blocks is not None
        assert (found.blocks.type, found.blocks.byte_order) == (0, order)


def test_pieces_hold_so_many_elements_whatever_their_width(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(values, "PIECE", 4)
    for type_id, width in ((24, 1), (28, 8), (1, 2)):
        data = bytes(10 * width)
        found = block_values("it", (10,), BlockData(data, type_id, "little"))
        assert [piece.size for piece in found.pieces()] == [4, 4, 2]
    swapped = swap_bytes(26, b"\1\0\0\0\2\0\0\0")
    found = block_values("it", (2,), BlockData(swapped, 26, "big"))
    assert [piece.tolist() for piece in found.pieces()] == [[1, 2]]


def test_a_scalar_is_one_element() -> None:
    assert Values("it", (), "F32", lambda: iter(())).num_elements == 1
    assert Values("it", (3, 0), "F32", lambda: iter(())).num_elements == 0


def test_what_cannot_be_decoded_is_refused() -> None:
    odd = base(tensors=(b.Tensor(b"t", (4,), unknown.TENSOR_TYPE, bytes(4)),))
    with (
        gc.open(b.build(odd).data) as model,
        pytest.raises(gc.BuildError, match="no known version"),
    ):
        tensor_values(model.tensors["t"])
    cut = b.build(replace(base(), pad_end=False)).data[:-1]
    with gc.open(cut) as model, pytest.raises(TruncatedError, match="file ends"):
        tensor_values(model.tensors["weight"])
