"""Compare the values of two tensors, in one pass over pieces."""

from __future__ import annotations

from math import nan, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import BuildError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .tensor_values import BlockData, Values


class TensorComparison(NamedTuple):
    """How far two tensors are apart.

    Attributes:
        num_elements: of each.
        num_different: values that are not equal; NaN equals NaN.
        num_incomparable: of those, pairs of which one is NaN or infinite: no error is known.
        max_error: the largest absolute difference, and `max_index`, where it is (numpy's order).
        mean_error: the mean absolute difference.
        rmse: root of the mean squared difference.
        rms: root of the mean square of the second tensor, to hold `rmse` against.
        steps_of: the type whose quantisation step the next two are measured in, or None.
        max_steps, mean_steps: the errors, each in units of its own block's step.
    """

    num_elements: int
    num_different: int
    num_incomparable: int
    max_error: float
    max_index: tuple[int, ...]
    mean_error: float
    rmse: float
    rms: float
    steps_of: str | None
    max_steps: float
    mean_steps: float


class _Sums:
    """What is added up on the way."""

    def __init__(self) -> None:
        self.done = self.different = self.incomparable = self.compared = self.stepped = 0
        self.max_error, self.max_at = 0.0, 0
        self.errors = self.squares = self.reference = 0.0
        self.max_steps = self.steps = 0.0

    def add(self, one: Any, other: Any, steps: Any | None) -> None:
        import numpy as np

        same = (one == other) | ((one != one) & (other != other))
        self.different += int(np.count_nonzero(~same))
        error = np.abs(one.astype(np.float64) - other)
        error[same] = 0
        known = np.isfinite(error)
        self.incomparable += int(error.size - np.count_nonzero(known))
        error[~known] = 0
        if error.size:
            at = int(error.argmax())
            if error[at] > self.max_error:
                self.max_error, self.max_at = float(error[at]), self.done + at
        self.compared += int(np.count_nonzero(known))
        self.errors += float(error.sum())
        self.squares += float(np.square(error).sum())
        finite = other[np.isfinite(other)]
        self.reference += float(np.square(finite, dtype=np.float64).sum())
        if steps is not None:
            self._add_steps(error, steps, known)
        self.done += error.size

    def _add_steps(self, error: Any, steps: Any, known: Any) -> None:
        usable = known & (steps > 0)
        ratio = error[usable] / steps[usable]
        self.stepped += ratio.size
        self.steps += float(ratio.sum())
        self.max_steps = max(self.max_steps, float(ratio.max(initial=0.0)))


def compare_values(one: Values, other: Values) -> TensorComparison:
    """Compare two tensors of the same shape (leading dimensions of 1 do not count).

    Errors are measured in quantisation steps of `one`, or of `other` where `one` has none.

    Raises:
        BuildError: the shapes differ; or an IQ type without its codebook.
    """
    import numpy as np

    from ..quants.steps import has_steps

    check_shapes(one, other)
    sums = _Sums()
    stepped = next(
        (it for it in (one, other) if it.blocks is not None and has_steps(it.blocks.type)), None
    )
    steps = iter(()) if stepped is None else _iter_steps(stepped)
    with np.errstate(all="ignore"):
        for left, right in zip(one.pieces(), other.pieces(), strict=True):
            sums.add(left, right, next(steps, None))
    count = max(sums.compared, 1)
    return TensorComparison(
        one.num_elements,
        sums.different,
        sums.incomparable,
        sums.max_error,
        tuple(int(at) for at in np.unravel_index(sums.max_at, one.shape)) if sums.done else (),
        sums.errors / count,
        sqrt(sums.squares / count),
        sqrt(sums.reference / max(sums.done, 1)),
        None if stepped is None else stepped.type_name,
        sums.max_steps if sums.stepped else nan,
        sums.steps / sums.stepped if sums.stepped else nan,
    )


def check_shapes(one: Values, other: Values) -> None:
    """Refuse to compare tensors of different shapes.

    GGUF lists dimensions the other way round than numpy; both shapes are in numpy's order here.

    Raises:
        BuildError: they differ in more than leading ones.
    """
    left, right = _significant(one.shape), _significant(other.shape)
    if left == right:
        return
    hint = None
    if left == right[::-1]:
        hint = (
            "one is the reverse of the other: one was written transposed, or with its dimensions "
            "in GGUF's order, which is the reverse of numpy's"
        )
    raise BuildError(
        f"{one.name!r} has the shape {list(one.shape)}, {other.name!r} has {list(other.shape)}",
        hint=hint,
    )


def _significant(shape: tuple[int, ...]) -> tuple[int, ...]:
    """A shape without leading ones, which writers of GGUF drop."""
    at = 0
    while at < len(shape) and shape[at] == 1:
        at += 1
    return shape[at:]


def _iter_steps(values: Values) -> Iterator[Any]:
    from ..quants.dtypes import layout_of
    from ..quants.steps import quantisation_steps
    from .tensor_values import PIECE

    assert values.blocks is not None
    blocks: BlockData = values.blocks
    layout = layout_of(blocks.type)
    length = PIECE // layout.num_elements * layout.nbytes
    for start in range(0, len(blocks.data), length):
        part = blocks.data[start : start + length]
        yield quantisation_steps(part, blocks.type, byte_order=blocks.byte_order)
