"""How far two tensors are apart, by hand and in steps of their types."""

from __future__ import annotations

import math

import numpy as np
import pytest

from gguf_construct.comparison.tensor_errors import compare_values
from gguf_construct.comparison.tensor_values import Values, tensor_values
from gguf_construct.errors import BuildError
from gguf_construct.model import open_model
from gguf_construct.quants.steps import quantisation_steps
from tests.comparison.values_data import values_of
from tests.support.cases import CASES


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
        steps = quantisation_steps(tensor.data, tensor.type, byte_order=order)
        usable = np.isfinite(decoded.reshape(-1)) & np.isfinite(steps) & (steps > 0)
        moved = decoded.astype(np.float64).reshape(-1)
        moved[usable] += 3.0 * steps[usable]
        whole = Values("other", tensor.shape, "float64", lambda: iter([moved]))
        found = compare_values(mine, whole)
    assert usable.any()
    assert found.steps_of == name
    assert math.isclose(found.max_steps, 3, rel_tol=1e-6)
