"""Statistics of a tensor's values, in two passes over pieces: memory does not grow with it."""

from __future__ import annotations

from math import inf, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from .tensor_values import Values


class TensorStats(NamedTuple):
    """What the values are like.

    NaN and infinities are counted and then left out of everything else.

    Attributes:
        num_elements: all of them.
        num_nan, num_inf, num_zeros: how many are NaN, infinite, zero.
        minimum, maximum, mean, std: None where no value is finite; std is that of the whole
            population.
        counts: the histogram, in bins of equal width from minimum to maximum.
    """

    num_elements: int
    num_nan: int
    num_inf: int
    num_zeros: int
    minimum: float | None
    maximum: float | None
    mean: float | None
    std: float | None
    counts: tuple[int, ...]


class _Moments(NamedTuple):
    """Count, mean and sum of squared deviations; merged as Chan, Golub and LeVeque do."""

    num: int
    mean: float
    squares: float

    def merged(self, num: int, mean: float, squares: float) -> _Moments:
        total = self.num + num
        delta = mean - self.mean
        return _Moments(
            total,
            self.mean + delta * num / total,
            self.squares + squares + delta * delta * self.num * num / total,
        )


def tensor_stats(values: Values, num_bins: int = 16) -> TensorStats:
    """Walk the values twice and describe them.

    Raises:
        BuildError: an IQ type without its codebook.
    """
    import numpy as np

    num_nan = num_inf = num_zeros = 0
    low, high = inf, -inf
    moments = _Moments(0, 0.0, 0.0)
    with np.errstate(all="ignore"):
        for piece in values.pieces():
            finite, nans = _finite(piece)
            num_nan += nans
            num_inf += piece.size - nans - finite.size
            num_zeros += int(finite.size - np.count_nonzero(finite))
            if finite.size:
                low, high = min(low, float(finite.min())), max(high, float(finite.max()))
                mean = float(finite.mean(dtype=np.float64))
                squares = float(finite.var(dtype=np.float64)) * finite.size
                moments = moments.merged(finite.size, mean, squares)
    known = moments.num > 0
    return TensorStats(
        values.num_elements,
        num_nan,
        num_inf,
        num_zeros,
        low if known else None,
        high if known else None,
        moments.mean if known else None,
        sqrt(moments.squares / moments.num) if known else None,
        _histogram(values, low, high, num_bins) if known else (),
    )


def _finite(piece: Any) -> tuple[Any, int]:
    """The finite values, and the number of NaN."""
    import numpy as np

    if piece.dtype.kind != "f":
        return piece, 0
    good = np.isfinite(piece)
    if good.all():
        return piece, 0
    return piece[good], int(np.count_nonzero(np.isnan(piece)))


def _histogram(values: Values, low: float, high: float, num_bins: int) -> tuple[int, ...]:
    import numpy as np

    # Halves: high - low may be too large for a float.
    half = high / 2 - low / 2
    if half <= 0:
        num_bins = 1
    counts = np.zeros(num_bins, np.int64)
    with np.errstate(all="ignore"):
        for piece in values.pieces():
            finite, _ = _finite(piece)
            if num_bins == 1:
                counts[0] += finite.size
                continue
            share = (finite / 2.0 - low / 2) / half
            bins = np.clip((share * num_bins).astype(np.int64), 0, num_bins - 1)
            counts += np.bincount(bins, minlength=num_bins)
    return tuple(counts.tolist())
