"""How two arrays differ, element by element, at the speed of sets and dictionaries.

Strategy: only the places where the two differ are looked at.  A vocabulary of which one token
was replaced costs one pass of comparisons; one that was shifted costs two dictionaries.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import chain, compress, count, repeat
from operator import is_, is_not, ne
from typing import TYPE_CHECKING, Any, NamedTuple, SupportsIndex, overload

from .._generated.types import ValueType
from ..runtime.views import StringArray

if TYPE_CHECKING:
    from .._generated.types import Array
    from ..runtime.views import NumberArray


class ArrayDiff(NamedTuple):
    """The differences of two arrays; an index counts from 0.

    Attributes:
        num_old, num_new: lengths.
        added: (index in the new array, element) of strings that the old one has not.
        removed: (index in the old array, element) of strings that the new one has not.
        moved: (old index, new index, element) of strings at another place.
        changed: (index, old, new) of other elements, up to the shorter length.
    """

    num_old: int
    num_new: int
    added: Sequence[tuple[int, bytes]] = ()
    removed: Sequence[tuple[int, bytes]] = ()
    moved: Sequence[tuple[int, int, bytes]] = ()
    changed: Sequence[tuple[int, Any, Any]] = ()


def diff_arrays(old: Array, new: Array) -> ArrayDiff | None:
    """The differences, or None where there are none or they have no elements to compare.

    Both arrays hold elements of the same type.
    """
    if old.element_type == ValueType.ARRAY:
        return None
    if old.element_type == ValueType.STRING:
        return _diff_strings(_raw(old.elements), _raw(new.elements))
    return _diff_numbers(old.elements, new.elements)


def _raw(elements: Any) -> list[bytes]:
    return list(elements.iter_raw() if isinstance(elements, StringArray) else elements)


def _diff_strings(old: list[bytes], new: list[bytes]) -> ArrayDiff | None:
    if old == new:
        return None
    shorter = min(len(old), len(new))
    places = list(compress(range(shorter), map(ne, old, new)))
    old_at = list(chain(places, range(shorter, len(old))))
    new_at = list(chain(places, range(shorter, len(new))))
    names, others = [old[at] for at in old_at], [new[at] for at in new_at]
    found = _match(names, others, old_at)
    added: list[int] = []
    if None in found:
        added = list(compress(new_at, map(is_, found, repeat(None))))
        new_at = list(compress(new_at, map(is_not, found, repeat(None))))
    matched = [at for at in found if at is not None] if added else found
    kept = set(matched)
    removed = [at for at in old_at if at not in kept] if len(kept) < len(old_at) else []
    return ArrayDiff(
        len(old),
        len(new),
        _Places(new, added),
        _Places(old, removed),
        _Places(new, matched, new_at),
    )


def _match(names: list[Any], others: list[Any], places: list[int]) -> list[Any]:
    """For each of `others` the place of the same name, or None.

    Names that occur more than once are matched in order: they are replaced by (name, number).
    """
    known = dict(zip(names, places, strict=True))
    repeated: set[bytes] = set()
    if len(known) < len(names):
        repeated.update(_repeated(names))
    if len(set(others)) < len(others):
        repeated.update(_repeated(others))
    if repeated:
        _number(names, repeated)
        _number(others, repeated)
        known = dict(zip(names, places, strict=True))
    return list(map(known.get, others))


def _repeated(names: list[bytes]) -> list[bytes]:
    return [name for name, times in Counter(names).items() if times > 1]


def _number(names: list[Any], repeated: set[bytes]) -> None:
    seen = dict.fromkeys(repeated, 0)
    for at in list(compress(count(), map(repeated.__contains__, names))):
        name = names[at]
        names[at] = (name, seen[name])
        seen[name] += 1


class _Places(Sequence[Any]):
    """(index, ..., text), put together only when they are looked at.

    A quarter of a million tuples would cost more than all the comparing.  The last list of
    indices says where the text is.
    """

    __slots__ = ("_indices", "_texts")

    def __init__(self, texts: list[bytes], *indices: list[int]) -> None:
        self._texts, self._indices = texts, indices

    def __len__(self) -> int:
        return len(self._indices[-1])

    @overload
    def __getitem__(self, index: SupportsIndex) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> list[Any]: ...
    def __getitem__(self, index: SupportsIndex | slice) -> Any:
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(len(self)))]
        places = [one[index] for one in self._indices]
        return (*places, self._texts[places[-1]])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]


def _diff_numbers(old: NumberArray, new: NumberArray) -> ArrayDiff | None:
    """Numbers are compared by their bits, so that a NaN equals itself and 0.0 is not -0.0."""
    import numpy as np

    before, after = _view(old, "u"), _view(new, "u")
    shorter = min(old.num, new.num)
    places = np.flatnonzero(before[:shorter] != after[:shorter])
    if not len(places) and old.num == new.num:
        return None
    values = (_view(array)[places].tolist() for array in (old, new))
    return ArrayDiff(old.num, new.num, changed=list(zip(places.tolist(), *values, strict=True)))


def _view(numbers: NumberArray, kind: str = "") -> Any:
    """The numbers for numpy; with `kind` "u" their bits."""
    import numpy as np

    dtype = f"{numbers.order}{kind}{numbers.width}" if kind else numbers.dtype
    return np.frombuffer(numbers.buffer, dtype, count=numbers.num, offset=numbers.start)
