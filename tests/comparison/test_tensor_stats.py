"""Statistics and comparison of tensor values, against numpy on whole arrays."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gguf_construct.comparison.tensor_errors import compare_values
from gguf_construct.comparison.tensor_stats import TensorStats, tensor_stats
from gguf_construct.comparison.tensor_values import Values, tensor_values
from gguf_construct.errors import BuildError
from gguf_construct.model import open_model
from tests.support.cases import CASES

if TYPE_CHECKING:
    from collections.abc import Iterator

FLOATS = st.lists(st.floats(width=32), max_size=60)


def values_of(array: Any, shape: tuple[int, ...] | None = None, piece: int = 7) -> Values:
    """An array in pieces so small that they matter."""
    flat = array.reshape(-1)

    def pieces() -> Iterator[Any]:
        return (flat[at : at + piece] for at in range(0, flat.size, piece))

    return Values("it", array.shape if shape is None else shape, str(array.dtype), pieces)


@given(FLOATS)
def test_statistics(numbers: list[float]) -> None:
    array = np.array(numbers, np.float32)
    found = tensor_stats(values_of(array))
    finite = array[np.isfinite(array)].astype(np.float64)
    assert found.num_elements == array.size
    assert found.num_nan == np.isnan(array).sum()
    assert found.num_inf == np.isinf(array).sum()
    assert found.num_zeros == (array == 0).sum()
    assert sum(found.counts) == finite.size
    if not finite.size:
        assert found[4:] == (None, None, None, None, ())
        return
    assert (found.minimum, found.maximum) == (finite.min(), finite.max())
    assert found.mean is not None
    assert found.std is not None
    size = np.abs(finite).max()
    assert math.isclose(found.mean, finite.mean(), rel_tol=1e-9, abs_tol=size * 1e-12)
    assert math.isclose(found.std, finite.std(), rel_tol=1e-6, abs_tol=size * 1e-6)


def test_histogram() -> None:
    array = np.array([0, 1, 2, 3, 3.5, 4], np.float32)
    assert tensor_stats(values_of(array), 4).counts == (1, 1, 1, 3)
    assert tensor_stats(values_of(np.full(9, 2.5)), 4).counts == (9,)
    assert tensor_stats(values_of(np.array([-1.7e308, 1.7e308])), 4).counts == (1, 0, 0, 1)
    integers = np.array([-(2**62), 0, 2**62])
    assert tensor_stats(values_of(integers), 2).counts == (1, 2)


def test_no_values_at_all() -> None:
    found = tensor_stats(values_of(np.zeros((0, 4), np.float32)))
    assert found == TensorStats(0, 0, 0, 0, None, None, None, None, ())


def test_error_by_hand() -> None:
    one = np.array([[1, 2], [3, 5.5]], np.float32)
    other = np.array([[1, 2.5], [3, 4]], np.float32)
    found = compare_values(values_of(one, piece=3), values_of(other, piece=3))
    assert (found.num_elements, found.num_different, found.num_incomparable) == (4, 2, 0)
    assert (found.max_error, found.max_index) == (1.5, (1, 1))
    assert found.mean_error == 0.5
    assert found.rmse == math.sqrt((0.25 + 2.25) / 4)
    assert found.rms == math.sqrt((1 + 6.25 + 9 + 16) / 4)
    assert found.steps_of is None


def test_nan_equals_nan_and_infinities_themselves() -> None:
    inf, nan = math.inf, math.nan
    one = np.array([nan, inf, -inf, nan, inf, 1], np.float32)
    other = np.array([nan, inf, inf, 0, 1, 1], np.float64)
    found = compare_values(values_of(one), values_of(other))
    assert (found.num_different, found.num_incomparable, found.max_error) == (3, 3, 0)


@pytest.mark.parametrize(
    ("one", "other", "hint"),
    [((2, 3), (3, 2), "reverse"), ((6,), (2, 3), None), ((2, 3), (2, 3, 1), None)],
)
def test_shapes_that_differ(one: tuple[int, ...], other: tuple[int, ...], hint: str | None) -> None:
    array = np.zeros(6, np.float32)
    with pytest.raises(BuildError, match="shape") as caught:
        compare_values(values_of(array, one), values_of(array, other))
    assert (hint is None) == (caught.value.hint is None)


def test_leading_ones_do_not_count() -> None:
    array = np.arange(6, dtype=np.float32)
    found = compare_values(values_of(array, (2, 3)), values_of(array, (1, 1, 2, 3)))
    assert found.num_different == 0


STEPPED = [
    *("Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "Q8_1", "Q2_K", "Q3_K", "Q4_K", "Q5_K", "Q6_K"),
    *("Q8_K", "Q2_0"),
]


@pytest.mark.parametrize("order", ["little", "big"])
@pytest.mark.parametrize("name", STEPPED)
def test_an_error_of_one_step(name: str, order: str) -> None:
    """Quants lie on a line: each value is an offset and a whole number of steps."""
    with open_model(CASES[f"type-{name}-{order}"].data) as model:
        tensor = model.tensors["q"]
        mine = tensor_values(tensor)
        decoded = tensor.dequantize()
        from gguf_construct.quants.steps import quantisation_steps

        steps = quantisation_steps(tensor.data, tensor.type, byte_order=order)
        usable = np.isfinite(decoded.reshape(-1)) & np.isfinite(steps) & (steps > 0)
        moved = decoded.astype(np.float64).reshape(-1)
        moved[usable] += 3.0 * steps[usable]
        whole = Values("other", tensor.shape, "float64", lambda: iter([moved]))
        found = compare_values(mine, whole)
    assert usable.any()
    assert found.steps_of == name
    assert math.isclose(found.max_steps, 3, rel_tol=1e-6)


def test_steps_by_hand() -> None:
    from gguf_construct.quants.steps import quantisation_steps

    block = np.array(0.25, "<f2").tobytes() + bytes(range(16))
    from gguf_construct import GGMLType

    assert set(quantisation_steps(block, GGMLType.Q4_0).tolist()) == {0.25}
