"""The tensors of a document as a mapping, and shapes that no array can have."""

from __future__ import annotations

import pytest

import gguf_construct as gc
from gguf_construct.errors import KeyNotFoundError
from tests.support import builders as b


def _open(*tensors: b.Tensor) -> gc.Model:
    return gc.open(b.build(b.Model(tensors=tensors)).data)


def test_tensors_as_a_mapping() -> None:
    model = _open(b.Tensor(b"one", (2,), 0, bytes(8)), b.Tensor(b"one", (1,), 0, bytes(4)))
    tensors = model.tensors
    assert list(tensors) == ["one"]
    assert len(tensors.all) == 2
    assert tensors["one"] is tensors.all[0] is tensors.get("one")
    assert tensors.get("two") is None
    assert tensors.get("two", 5) == 5
    assert "two" not in tensors
    assert repr(tensors) == "<Tensors of 2 entries>"
    with pytest.raises(KeyNotFoundError, match="no tensor 'on'") as caught:
        tensors["on"]
    assert caught.value.matches == ("one",)


@pytest.mark.parametrize(
    "dims", [(1,) * 65, (0, 2**40, 2**40), (2**63, 2**63, 0)], ids=["65", "wide", "overflow"]
)
def test_a_shape_that_numpy_cannot_hold_is_named(dims: tuple[int, ...]) -> None:
    data = b.build(b.Model(tensors=(b.Tensor(b"odd", dims, 0, bytes(32)),))).data
    model = gc.open(data, limits=gc.Limits(max_dims=100))
    tensor = model.tensors["odd"]
    assert tensor.shape == dims[::-1]
    with pytest.raises(gc.BuildError, match="numpy cannot hold") as caught:
        tensor.dequantize()
    assert caught.value.path == "tensor_infos[0] 'odd'"
