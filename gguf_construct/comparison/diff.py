"""How two documents differ: metadata by key and type, vocabularies by token, tensors by entry.

Strategy: pairs and tensors are matched by name (and by number where a name is repeated), and
compared as the bytes that they are; only what differs is decoded.  What describes the file and
not the model (byte order, version, order of keys, layout) becomes a note.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, NamedTuple

from .._generated.types import OPTIONAL_FIELDS, ValueType
from ..core.registry import keys_with_role
from .diff_arrays import ArrayDiff, diff_arrays
from .hashes import pair_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..core.document import Document
    from ..core.field import Field
    from ..core.tensors import TensorInfo

_RESERVES = tuple(info.key for info in keys_with_role("reserve"))


class FieldDiff(NamedTuple):
    """A key that differs.

    Attributes:
        key: the key; bytes that are not UTF-8 appear as lone surrogates.
        what: ``added``, ``removed``, ``type`` or ``value``.
        old, new: the pairs; None on the side that has none.
        elements: how two arrays of the same type differ, element by element.
        occurrence: number of a repeated key, from 0.
    """

    key: str
    what: str
    old: Field | None
    new: Field | None
    elements: ArrayDiff | None = None
    occurrence: int = 0


class TensorDiff(NamedTuple):
    """A tensor that differs.

    Attributes:
        name: the name.
        what: ``added``, ``removed`` or ``changed``.
        differs: which of ``type``, ``shape`` and ``data``.
        old, new: the tensors; None on the side that has none.
        first: offset of the first data byte that differs, counted from the tensor's start.
    """

    name: str
    what: str
    differs: tuple[str, ...]
    old: TensorInfo | None
    new: TensorInfo | None
    first: int | None = None


class Difference(NamedTuple):
    """What differs between two files.

    Attributes:
        metadata: keys that differ, in the order of the first file, then of the second.
        tensors: tensors that differ, in the same order.
        notes: differences of the files that do not affect the model.
    """

    metadata: Sequence[FieldDiff]
    tensors: Sequence[TensorDiff]
    notes: Sequence[str] = ()

    @property
    def is_same(self) -> bool:
        """Whether the models are the same."""
        return not self.metadata and not self.tensors


def diff_metadata(old: Document, new: Document, ignore: Iterable[str] = ()) -> list[FieldDiff]:
    """The keys that differ; `ignore` lists patterns of keys such as ``general.*``.

    Bytes kept in reserve mean nothing to a model: `layout_notes` mentions them.
    """
    patterns = (*ignore, *_RESERVES)
    before, after = _numbered(old.metadata.fields()), _numbered(new.metadata.fields())
    rows = []
    for key, number in dict.fromkeys([*before, *after]):
        if any(fnmatchcase(key, pattern) for pattern in patterns):
            continue
        row = _diff_field(old, new, before.get((key, number)), after.get((key, number)))
        if row is not None:
            rows.append(row._replace(key=key, occurrence=number))
    return rows


def _numbered(fields: Iterable[Field]) -> dict[tuple[str, int], Field]:
    found: dict[tuple[str, int], Field] = {}
    counts: dict[str, int] = {}
    for field in fields:
        number = counts[field.key] = counts.get(field.key, -1) + 1
        found[field.key, number] = field
    return found


def _diff_field(
    old: Document, new: Document, before: Field | None, after: Field | None
) -> FieldDiff | None:
    if before is None or after is None:
        return FieldDiff("", "added" if before is None else "removed", before, after)
    if (old.order, old.version) == (new.order, new.version):
        same = before.encoded == after.encoded
    elif before.type == after.type == "[string]":
        # Decoding is cheaper than encoding both anew.
        elements = diff_arrays(before.record.value, after.record.value)
        return FieldDiff("", "value", before, after, elements) if elements else None
    else:
        same = pair_bytes(old, before) == pair_bytes(new, after)
    if same:
        return None
    if before.type != after.type:
        return FieldDiff("", "type", before, after)
    elements = None
    if before.value_type == ValueType.ARRAY:
        elements = diff_arrays(before.record.value, after.record.value)
    return FieldDiff("", "value", before, after, elements)


def diff_tensors(old: Document, new: Document) -> tuple[list[TensorDiff], list[TensorDiff]]:
    """Tensors whose entries differ, and those (``changed``) whose data must still be compared."""
    before, after = _named(old.tensors.all), _named(new.tensors.all)
    rows: list[TensorDiff] = []
    alike: list[TensorDiff] = []
    for place in dict.fromkeys([*before, *after]):
        one, other = before.get(place), after.get(place)
        if one is None or other is None:
            what = "added" if one is None else "removed"
            rows.append(TensorDiff(place[0], what, (), one, other))
            continue
        differs = []
        if one.type != other.type:
            differs.append("type")
        if one.dims != other.dims:
            differs.append("shape")
        mine, theirs = one.record, other.record
        optional = OPTIONAL_FIELDS.get("tensor_info", {})
        differs += [name for name in optional if getattr(mine, name) != getattr(theirs, name)]
        row = TensorDiff(place[0], "changed", tuple(differs), one, other)
        (rows if differs else alike).append(row)
    return rows, alike


def _named(tensors: Iterable[TensorInfo]) -> dict[tuple[str, int], TensorInfo]:
    found: dict[tuple[str, int], TensorInfo] = {}
    counts: dict[str, int] = {}
    for tensor in tensors:
        number = counts[tensor.name] = counts.get(tensor.name, -1) + 1
        found[tensor.name, number] = tensor
    return found


def layout_notes(old: Document, new: Document) -> list[str]:
    """Differences that do not affect the model: form, order and layout of the files."""
    optional = OPTIONAL_FIELDS.get("body", {})
    notes = [
        f"{what}: {before} -> {after}"
        for what, before, after in (
            ("version", old.version, new.version),
            ("byte order", old.byte_order, new.byte_order),
            *((name, getattr(old.body, name), getattr(new.body, name)) for name in optional),
            ("data section", hex(old.data_start), hex(new.data_start)),
            ("file size", old.file_size, new.file_size),
        )
        if before != after
    ]
    room = [_reserve_nbytes(one) for one in (old, new)]
    if room[0] != room[1]:
        notes.append(f"bytes in reserve for edits: {room[0]} -> {room[1]}")
    if _reordered([f.key for f in old.metadata.fields()], [f.key for f in new.metadata.fields()]):
        notes.append("the keys are in another order")
    tensors = [[tensor.name for tensor in one.tensors.all] for one in (old, new)]
    if _reordered(*tensors):
        notes.append("the tensors are in another order")
    elif not _is_same_layout(old, new):
        notes.append("the tensors are at other offsets")
    return notes


def _reserve_nbytes(document: Document) -> int:
    found = [document.metadata.occurrences(key) for key in _RESERVES]
    return sum(field.array_length or 0 for fields in found for field in fields)


def _reordered(old: list[str], new: list[str]) -> bool:
    common = set(old) & set(new)
    return [name for name in old if name in common] != [name for name in new if name in common]


def _is_same_layout(old: Document, new: Document) -> bool:
    offsets = [{tensor.name: tensor.offset for tensor in one.tensors.all} for one in (old, new)]
    common = offsets[0].keys() & offsets[1].keys()
    return all(offsets[0][name] == offsets[1][name] for name in common)
