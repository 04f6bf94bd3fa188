"""Statistics of tensor values, against numpy on whole arrays."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gguf_construct.comparison.tensor_stats import TensorStats, tensor_stats
from tests.comparison.values_data import values_of

FLOATS = st.lists(st.floats(width=32), max_size=60)


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
