"""Differences as lines of text: ``+`` added, ``-`` removed, ``~`` changed."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from .._generated.types import ValueType
from ..comparison.diff import FieldDiff
from ..comparison.diff_arrays import diff_arrays
from ..core.field import Field
from ..core.values import text_of
from .escaping import name_text, quote
from .sizes import shape_text
from .text import value_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ..comparison.diff import Difference, TensorDiff
    from ..comparison.diff_arrays import ArrayDiff
    from ..editing.changes import Change
    from ..upstream.results import UpstreamRow

UPSTREAM_COLUMNS = ("verdict", "key", "here", "there", "where", "note")

_SHOWN = 10
_CONTEXT = 30
_SHORT = 60
_MARKS = {"added": "+", "removed": "-"}


def diff_lines(difference: Difference, full: bool = False) -> Iterator[str]:
    """The lines of `diff`; only the first elements of arrays are listed unless `full`."""
    for row in difference.metadata:
        yield from _field_lines(row, full)
    for tensor in difference.tensors:
        yield _tensor_line(tensor)


def change_lines(changes: Iterable[Change]) -> Iterator[str]:
    """Edits as the lines of a diff."""
    for change in changes:
        old, new = (one if isinstance(one, Field) else None for one in (change.old, change.new))
        if old is None and new is None:
            yield from change.notes
        elif old is not None and new is not None and change.action == "set":
            is_same_type = old.type == new.type
            elements = None
            if is_same_type and old.value_type == ValueType.ARRAY:
                elements = diff_arrays(old.record.value, new.record.value)
            what = "value" if is_same_type else "type"
            yield from _field_lines(FieldDiff(change.key, what, old, new, elements), False)
        else:
            what = "removed" if new is None else "added"
            yield from _field_lines(FieldDiff(change.key, what, old, new), False)


def _field_lines(row: FieldDiff, full: bool) -> Iterator[str]:
    name = name_text(row.key) + (f" ({row.occurrence + 1})" if row.occurrence else "")
    head = f"{_MARKS.get(row.what, '~')} {name}"
    if row.old is None or row.new is None:
        field = row.old or row.new
        assert field is not None
        yield f"{head}: {field.type} {value_text(field)}"
    elif row.what == "type":
        yield f"{head}: {_typed(row.old)} -> {_typed(row.new)}"
    elif row.elements is not None:
        yield f"{head}: {row.old.type} {_counts(row.elements)}"
        yield from _element_lines(row.elements, full)
    elif row.old.type == "string":
        yield f"{head}: string {_text_change(row.old.value, row.new.value)}"
    else:
        yield f"{head}: {row.old.type} {value_text(row.old)} -> {value_text(row.new)}"


def _typed(field: Field) -> str:
    return f"{field.type} {value_text(field)}"


def _text_change(old: str, new: str) -> str:
    """Two texts, or where long ones begin to differ."""
    if len(old) <= _SHORT and len(new) <= _SHORT:
        return f"{quote(old)} -> {quote(new)}"
    first = next(
        (at for at, (one, other) in enumerate(zip(old, new, strict=False)) if one != other),
        min(len(old), len(new)),
    )
    line = old.count("\n", 0, first) + 1
    start = max(first - _CONTEXT, 0)
    parts = [quote(text[start : first + _CONTEXT], None) for text in (old, new)]
    sizes = f"{len(old)} -> {len(new)} characters"
    return f"{sizes}, from line {line}: ...{parts[0]} -> ...{parts[1]}"


def _counts(elements: ArrayDiff) -> str:
    parts = [
        f"{len(found)} {what}"
        for what, found in (
            ("added", elements.added),
            ("removed", elements.removed),
            ("moved", elements.moved),
            ("changed", elements.changed),
        )
        if found
    ]
    if elements.num_old != elements.num_new:
        parts.append(f"{elements.num_old} -> {elements.num_new} elements")
    return ", ".join(parts)


def _element_lines(elements: ArrayDiff, full: bool) -> Iterator[str]:
    groups: tuple[tuple[Iterable[str], int], ...] = (
        ((f"- [{at}] {_shown(text)}" for at, text in elements.removed), len(elements.removed)),
        ((f"+ [{at}] {_shown(text)}" for at, text in elements.added), len(elements.added)),
        (
            (f"> [{old}] -> [{new}] {_shown(text)}" for old, new, text in elements.moved),
            len(elements.moved),
        ),
        (
            (f"~ [{at}] {old!r} -> {new!r}" for at, old, new in elements.changed),
            len(elements.changed),
        ),
    )
    for lines, count in groups:
        shown = count if full else min(count, _SHOWN)
        yield from (f"    {line}" for line in islice(lines, shown))
        if shown < count:
            yield f"    ... and {count - shown} more"


def _shown(text: bytes) -> str:
    return quote(text_of(text))


def _tensor_line(row: TensorDiff) -> str:
    head = f"{_MARKS.get(row.what, '~')} tensor {name_text(row.name)}: "
    if row.old is None or row.new is None:
        tensor = row.old or row.new
        assert tensor is not None
        return head + f"{tensor.type_name} {shape_text(tensor.shape)}"
    parts: list[Any] = []
    if "type" in row.differs:
        parts.append(f"type {row.old.type_name} -> {row.new.type_name}")
    if "shape" in row.differs:
        parts.append(f"shape {shape_text(row.old.shape)} -> {shape_text(row.new.shape)}")
    if "data" in row.differs:
        parts.append(f"{row.old.type_name} {shape_text(row.old.shape)}, data from byte {row.first}")
    return head + ", ".join(parts)


def upstream_rows(rows: Sequence[UpstreamRow], full: bool = False) -> list[tuple[str, ...]]:
    """The table of `diff --upstream`: differences first; values are cut unless `full`."""
    ordered = sorted(rows, key=lambda row: not row.is_difference)
    return [
        (
            row.verdict,
            name_text(row.key),
            _side(row.ours, full),
            _side(row.theirs, full),
            row.where,
            row.note,
        )
        for row in ordered
    ]


def _side(value: Any, full: bool) -> str:
    text = "-" if value is None else str(value)
    return text if full or len(text) <= _SHORT else f"{text[:_SHORT]}..."
