"""Edits of the tensors that names or patterns choose; each says what it changed.

Strategy: entries of a list change, no bytes: those are copied, taken from another model or
quantised when the document is saved.  Patterns are those of a shell: ``*``, ``?`` and ``[...]``.
"""

from __future__ import annotations

import re
from fnmatch import fnmatchcase, translate
from typing import TYPE_CHECKING

from ..core.new_tensors import tensor_type
from ..core.registry import close_matches
from ..errors import EditError, KeyNotFoundError
from .changes import Change

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.document import Document
    from ..core.tensors import TensorInfo

_WILDCARD = re.compile(r"[*?]|\[!?\]?[^\]]*\]")


def matching(document: Document, pattern: str) -> list[TensorInfo]:
    """The tensors that a name or pattern chooses, in file order.

    Raises:
        KeyNotFoundError: there is none.
    """
    every = document.tensors.all
    found = [one for one in every if one.name == pattern or fnmatchcase(one.name, pattern)]
    if found:
        return found
    near = tuple(close_matches(pattern, list(document.tensors)))
    hint = f"did you mean {' or '.join(near)}?" if near else "list the names with tensors FILE"
    raise KeyNotFoundError(f"no tensor matches {pattern!r}", hint=hint, key=pattern, matches=near)


def drop_tensors(document: Document, patterns: Sequence[str]) -> list[Change]:
    """Take tensors out.  Raises KeyNotFoundError, EditError."""
    chosen = {one.name: one for pattern in patterns for one in matching(document, pattern)}
    document.tensors.drop(chosen)
    return [Change("drop", name, one.type_name, _shown(one), None) for name, one in chosen.items()]


def rename_tensors(document: Document, rules: Sequence[tuple[str, str]]) -> list[Change]:
    """Give tensors other names, all at once; of rules that match a name, the first one counts.

    Each wildcard of the new pattern is what the wildcard at the same place of the old one matched.

    Raises:
        KeyNotFoundError: a rule matches no tensor.
        EditError: two tensors would have one name, or the new pattern has other wildcards.
    """
    names: dict[str, str] = {}
    types: dict[str, str] = {}
    for old, new in rules:
        found, expected = len(_WILDCARD.findall(new)), len(_WILDCARD.findall(old))
        if not new or found != expected:
            raise EditError(
                f"the new name {new!r} has {found} wildcards, the old one {expected}",
                hint="write as many on both sides: 'v.*=vision.*'",
            )
        for one in matching(document, old):
            names.setdefault(one.name, _renamed(one.name, old, new))
            types[one.name] = one.type_name
    names = {old: new for old, new in names.items() if old != new}
    if names:
        document.tensors.rename_all(names)
    return [Change("rename", new, types[old], old, new) for old, new in names.items()]


def _renamed(name: str, old: str, new: str) -> str:
    if name == old:
        return new
    # Each wildcard becomes a group; the rest of the pattern stands for itself.
    parts, ends = _WILDCARD.findall(old), _WILDCARD.split(old)
    groups = "".join(
        re.escape(text) + (f"({translate(wild).removeprefix('(?s:').rpartition(')')[0]})")
        for text, wild in zip(ends, parts, strict=False)
    )
    found = re.fullmatch(groups + re.escape(ends[-1]), name, re.DOTALL)
    assert found is not None
    caught = iter(found.groups())
    return _WILDCARD.sub(lambda _: next(caught), new)


def take_tensors(document: Document, other: Document, pattern: str) -> list[Change]:
    """Put tensors of another model in, at the places of those with their names or at the end.

    Raises:
        KeyNotFoundError: the other model has none that match.
        EditError: a name occurs twice.
    """
    changes = []
    for one in matching(other, pattern):
        old = document.tensors.get(one.name)
        document.tensors.set(one.name, one)
        before = None if old is None else _shown(old)
        changes.append(Change("take", one.name, one.type_name, before, _shown(one)))
    return changes


def requantize_tensors(document: Document, pattern: str, type: str) -> list[Change]:
    """Store tensors as another type; they are decoded and encoded when the document is saved.

    A pattern leaves alone what is not quantised as a rule: vectors, whole numbers and rows that
    are not whole blocks.  A tensor that is given by its name is changed, or it is an error.

    Raises:
        KeyNotFoundError: none matches.
        BuildError: there is no such type, its quantiser is not installed, or it needs an
            importance matrix; a tensor that was given by its name has no whole blocks.
    """
    import numpy as np

    from ..quants import encode
    from ..quants.dtypes import layout_of

    number = tensor_type(type)
    row = layout_of(number).num_elements
    encode(np.zeros((1, row), np.float32), number)  # fails now, rather than halfway
    changes = []
    for one in matching(document, pattern):
        if one.type == number or not (one.name == pattern or _is_matrix(one, row)):
            continue
        new = document.tensors.set(one.name, one, number)
        changes.append(Change("requantize", one.name, new.type_name, _shown(one), _shown(new)))
    return changes


def _is_matrix(tensor: TensorInfo, row: int) -> bool:
    """Whether it holds rows of whole blocks of `row` elements, and no whole numbers."""
    is_integer = re.fullmatch(r"I\d+", tensor.type_name)
    return len(tensor.dims) > 1 and tensor.dims[0] % row == 0 and not is_integer


def order_tensors(document: Document, patterns: Sequence[str]) -> list[Change]:
    """Put the tensors that match the patterns first, pattern by pattern; the others follow.

    Raises:
        KeyNotFoundError: a pattern matches none.
        EditError: two tensors have the same name.
    """
    before = [one.name for one in document.tensors.all]
    first = [one.name for pattern in patterns for one in matching(document, pattern)]
    wanted = [*dict.fromkeys(first), *(name for name in before if name not in set(first))]
    if wanted == before:
        return []
    document.tensors.reorder(wanted)
    moved = [(old, new) for old, new in zip(before, wanted, strict=True) if old != new]
    return [Change("order", "tensors", "", moved[0][0], moved[0][1])]


def _shown(tensor: TensorInfo) -> str:
    return f"{tensor.type_name} {list(tensor.shape)}"
