"""Metadata as text for an editor, and the text applied to the document again.

Strategy: a pair whose text still says what it said keeps its bytes.  Everything that differs
goes through the same checks as `set`; checks that look at other keys run once all are in place,
so a person may change a vocabulary and the ids in it together.  An error names its line, and
the document is then as it was.
"""

from __future__ import annotations

from collections import Counter, deque
from typing import TYPE_CHECKING, Any, NamedTuple

from .._generated.codec import codec
from .._generated.types import MetadataKv, ValueType
from ..core.field import Field
from ..core.registry import expected_types
from ..core.values import spec_of, text_of
from ..editing.changes import Change, set_value, unset_key
from ..editing.checks import notes_on
from ..errors import BuildError, GGUFError
from .build import pairs_of
from .edit_comments import comment_on, summary_of
from .values import metadata_value
from .yaml_read import Node, at_line, parse_yaml
from .yaml_values import pair_lines, parse_key, tagged_yaml
from .yaml_write import text_lines

if TYPE_CHECKING:
    from ..core.document import Document

MESSAGE = "#! "
"""What a line with an error message starts with."""

_KEEP = "keep"
_FOLD_ELEMENTS = 16
_FOLD_NBYTES = 2000
_FOLD_TEXT_NBYTES = 1 << 16
_HEAD = """\
# Metadata as YAML. Save and close to apply it; leave it as it is to change nothing.
# A number has its type before it: !uint32 5, !float32 0.5, !int32 [1, 2]. Text needs none.
# !keep 7 is the value of pair 7, too long to show here: leave it as it is.
# Remove a line to remove the key, add one to add a key. Comments are not kept.
"""


def metadata_text(document: Document) -> str:
    """The metadata as YAML, with comments."""
    fields = document.metadata.fields()
    is_repeating = len({field.raw_key for field in fields}) < len(fields)
    lines = [_HEAD]
    for number, field in enumerate(fields):
        lines += _field_lines(document, field, number, "- " if is_repeating else "")
    return "\n".join([*lines, ""])


def _field_lines(document: Document, field: Field, number: int, dash: str) -> list[str]:
    is_folded = _is_folded(field)
    comment = summary_of(field) if is_folded else comment_on(document, field)
    if is_folded:
        return _commented(pair_lines(field.raw_key, f"!{_KEEP} {number}", dash), comment)
    if field.value_type == ValueType.STRING and b"\n" in field.record.value:
        lines = _block_lines(field, dash)
        if lines is not None:
            return lines
    value = tagged_yaml(field, document.metadata.architecture)
    return _commented(pair_lines(field.raw_key, value, dash), comment)


def _block_lines(field: Field, dash: str) -> list[str] | None:
    try:
        text = field.record.value.decode()
    except UnicodeDecodeError:
        return None
    indent = " " * len(dash) + "  "
    first, *rest = text_lines(text, indent)
    return [*pair_lines(field.raw_key, first, dash), *rest]


def _commented(lines: list[str], comment: str) -> list[str]:
    if comment:
        lines[-1] += f"  # {comment}"
    return lines


def _is_folded(field: Field) -> bool:
    nbytes = field.end - field.value_start
    if field.value_type == ValueType.STRING:
        return nbytes > _FOLD_TEXT_NBYTES
    length = field.array_length or 0
    return length > _FOLD_ELEMENTS or nbytes > _FOLD_NBYTES


def without_messages(text: str) -> str:
    """The text without error messages."""
    lines = text.split("\n")
    return "\n".join([line for line in lines if not line.startswith(MESSAGE)])


def annotate(text: str, error: GGUFError) -> str:
    """The text with the error above the line that it is about (else at the top)."""
    lines = without_messages(text).split("\n")
    at = min(max(getattr(error, "line", None) or 1, 1), len(lines)) - 1
    shown = [f"{MESSAGE}error: {error.message}"]
    if error.hint:
        shown.append(f"{MESSAGE}hint: {error.hint}")
    shown = [" ".join(line.split("\n")) for line in shown]
    return "\n".join([*lines[:at], *shown, *lines[at:]])


class _Entry(NamedTuple):
    """A pair of the text: `old` is what the file has there, `field` what it shall have."""

    key: str
    line: int
    record: MetadataKv
    old: Field | None
    is_kept: bool


def apply_text(
    document: Document, text: str, *, force: bool = False, force_type: bool = False
) -> list[Change]:
    """Give a document the metadata that a text says; returns what changed.

    Args:
        document: the document that `metadata_text` was made of.
        text: YAML; lines with error messages do not count.
        force: also take values that would break the model.
        force_type: also take types that readers do not expect.

    Raises:
        BuildError: the text is wrong, or a change is refused; `line` says where.  Nothing
            was changed.
    """
    before, is_forced = document.metadata.snapshot(), document.metadata.is_forced
    try:
        entries = _read(document, without_messages(text))
        changes = _apply(document, entries, force, force_type)
    except GGUFError:
        document.metadata.restore(before)
        raise
    finally:
        # `set_value` is forced above because its checks come later, when all pairs are in place.
        document.metadata.is_forced = is_forced or force or force_type
    if not changes:
        document.metadata.restore(before)
    return changes


def _read(document: Document, text: str) -> list[_Entry]:
    fields = document.metadata.fields()
    left = _Left(fields)
    entries = []
    for key_node, node in pairs_of(parse_yaml(text)):
        raw = parse_key(key_node)
        record = _record(document, raw, node, left.first(text_of(raw)), fields)
        data = _encoded(document, record, node)
        old, is_kept = left.take(text_of(raw), data)
        entries.append(_Entry(text_of(raw), key_node.line, record, old, is_kept))
    return entries


class _Left:
    """The pairs of the file that no line of the text has claimed yet.

    Of a repeated key, the line that says the same as a pair is that pair.
    """

    def __init__(self, fields: list[Field]) -> None:
        self._taken: set[int] = set()
        self._by_key: dict[str, deque[Field]] = {}
        self._by_bytes: dict[bytes, deque[Field]] = {}
        for field in fields:
            self._by_key.setdefault(field.key, deque()).append(field)
            self._by_bytes.setdefault(field.encoded, deque()).append(field)

    def first(self, key: str) -> Field | None:
        """The first pair with this key that is left."""
        return self._head(self._by_key.get(key))

    def take(self, key: str, data: bytes) -> tuple[Field | None, bool]:
        """The pair that a line with these bytes claims, and whether it says the same."""
        same = self._head(self._by_bytes.get(data))
        found = same or self.first(key)
        if found is not None:
            self._taken.add(id(found))
        return found, same is not None

    def _head(self, queue: deque[Field] | None) -> Field | None:
        while queue and id(queue[0]) in self._taken:
            queue.popleft()
        return queue[0] if queue else None


def _record(
    document: Document, raw: bytes, node: Node, old: Field | None, fields: list[Field]
) -> MetadataKv:
    if node.tag == _KEEP:
        text = node.text
        if not text.isdecimal() or len(text) > 9 or int(text) >= len(fields):
            hint = f"pairs are 0 to {len(fields) - 1}"
            node.fail(f"no pair {text[:40]!r} to keep", hint)
        return fields[int(text)].record._replace(key=raw)
    specs = expected_types(text_of(raw), document.metadata.architecture)
    if old is not None and old.type != "[array]":
        specs = (old.type, *specs)
    kind, value = metadata_value(node, specs, None)
    return MetadataKv(key=raw, value_type=kind, value=value)


def _encoded(document: Document, record: MetadataKv, node: Node) -> bytes:
    try:
        data: bytes = codec(document.order).WRITE_METADATA_KV[document.version](record)
    except BuildError as error:
        node.fail(error.message, error.hint)
    return data


def _apply(
    document: Document, entries: list[_Entry], force: bool, force_type: bool
) -> list[Change]:
    metadata = document.metadata
    order = [field.key for field in metadata.fields()]
    names = [entry.key for entry in entries]
    times = Counter(names)
    changes = _remove(document, entries)
    metadata.restore(([entry.old for entry in entries if entry.old is not None], True))
    done: list[tuple[_Entry, Change]] = []
    for entry in entries:
        if not entry.is_kept:
            if times[entry.key] > 1:
                hint = "remove all but one of them, then change that one"
                raise at_line(entry.line, f"{entry.key!r} appears more than once here", hint)
            if not entry.key and not force:
                raise at_line(entry.line, "the key is empty", "llama.cpp refuses an empty key")
            done.append((entry, _set(document, entry, force_type)))
    _reorder(document, names)
    for entry, change in done:
        notes = _checked(document, entry, force)
        changes.append(change._replace(notes=notes))
    if not changes and [field.key for field in metadata.fields()] != order:
        changes.append(Change("order", "", "", None, None, ("the order of the keys changed",)))
    return changes


def _remove(document: Document, entries: list[_Entry]) -> list[Change]:
    left = {id(entry.old) for entry in entries}
    times: Counter[str] = Counter()
    removed = []
    for field in document.metadata.fields():
        if id(field) not in left:
            removed.append((field.key, times[field.key]))
        times[field.key] += 1
    # From the end, where removing one leaves the numbers of those before it as they are.
    return [unset_key(document, key, number) for key, number in reversed(removed)][::-1]


def _set(document: Document, entry: _Entry, force_type: bool) -> Change:
    record = entry.record
    spec = spec_of(record.value_type, record.value)
    value: Any = Field(record, b"")
    try:
        return set_value(document, entry.key, value, spec, force=True, force_type=force_type)
    except GGUFError as error:
        raise at_line(entry.line, error.message, error.hint) from error


def _reorder(document: Document, names: list[str]) -> None:
    """Bring the pairs into the order of the text."""
    metadata = document.metadata
    left: dict[str, list[Field]] = {}
    for field in metadata.fields():
        left.setdefault(field.key, []).append(field)
    metadata.restore(([left[name].pop(0) for name in names], True))


def _checked(document: Document, entry: _Entry, force: bool) -> tuple[str, ...]:
    field = document.metadata.field(entry.key)
    try:
        return notes_on(document, field, None, force=force)
    except GGUFError as error:
        raise at_line(entry.line, error.message, error.hint) from error
