"""Which tensors to list, in which order, and what they add up to."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from ..core.tensors import TensorInfo

SORTS: dict[str, Callable[[TensorInfo], Any]] = {
    "name": lambda one: one.name,
    "size": lambda one: -(one.nbytes or 0),
    "type": lambda one: (one.type_name, one.index),
    "offset": lambda one: one.data_offset,
    "elements": lambda one: -one.num_elements,
}
"""Orders by name; sizes and counts begin with the largest."""


class TypeTotal(NamedTuple):
    """All tensors of one type.  `nbytes` is None where the type's layout is not known."""

    type_name: str
    num_tensors: int
    num_elements: int
    nbytes: int | None

    @property
    def bits_per_weight(self) -> float | None:
        """Stored bits for each element, scales included."""
        return bits_per_weight(self.num_elements, self.nbytes)


def bits_per_weight(num_elements: int, nbytes: int | None) -> float | None:
    """Stored bits for each element; None without elements or a known size."""
    return nbytes * 8 / num_elements if nbytes is not None and num_elements else None


def select_tensors(
    tensors: Sequence[TensorInfo], patterns: Sequence[str] = (), sort: str | None = None
) -> list[TensorInfo]:
    """The tensors whose names match one of the shell patterns (all without any), in order.

    `sort` is one of SORTS; the default is the file's order.
    """
    chosen = [
        tensor
        for tensor in tensors
        if not patterns or any(fnmatchcase(tensor.name, pattern) for pattern in patterns)
    ]
    return sorted(chosen, key=SORTS[sort]) if sort else chosen


def type_totals(tensors: Sequence[TensorInfo]) -> tuple[list[TypeTotal], TypeTotal]:
    """Totals of each type, the largest first, and of all together."""
    by_type: dict[str, list[TensorInfo]] = {}
    for tensor in tensors:
        by_type.setdefault(tensor.type_name, []).append(tensor)
    totals = [_total(name, group) for name, group in by_type.items()]
    totals.sort(key=lambda one: (-(one.nbytes or 0), one.type_name))
    return totals, _total("all", tensors)


def _total(name: str, tensors: Sequence[TensorInfo]) -> TypeTotal:
    sizes = [tensor.nbytes for tensor in tensors]
    known = [size for size in sizes if size is not None]
    return TypeTotal(
        name,
        len(tensors),
        sum(tensor.num_elements for tensor in tensors),
        sum(known) if len(known) == len(sizes) else None,
    )
