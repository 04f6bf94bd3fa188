"""Metadata: an ordered mapping from key to value that loses nothing.

Strategy: a pair that nobody touched stays a record with its place in the file, and is copied
when the file is written.  A pair that was set is encoded at once and read back by the codec, so
both kinds look the same and a value that cannot be stored is refused where it is set.
"""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from typing import TYPE_CHECKING, Any

from .._generated.codec import codec
from .._generated.types import DEFAULT_ALIGNMENT, LIMITS, Array, MetadataKv, ValueType
from ..errors import AmbiguousKeyError, BuildError, KeyNotFoundError, TypeConflictError
from ..wire import READ_FAULTS
from .typespec import parse_spec, value_type_of
from .values import bytes_of, from_python, guess_spec, plain, spec_of, text_of, to_python

if TYPE_CHECKING:
    from ..wire import Buffer

__all__ = ["Field", "Metadata"]


class Field:
    """One metadata pair, with its exact type and bytes.

    Attributes:
        record: the pair as the codec reads it.
        buffer: where its bytes are: the file, or bytes of its own once it was set.
        is_edited: whether it differs from the file.
    """

    __slots__ = ("buffer", "is_edited", "record")

    def __init__(self, record: MetadataKv, buffer: Buffer, *, is_edited: bool = False) -> None:
        self.record = record
        self.buffer = buffer
        self.is_edited = is_edited

    @property
    def raw_key(self) -> bytes:
        """The key's bytes."""
        return self.record.key

    @property
    def key(self) -> str:
        """The key; bytes that are not UTF-8 appear as lone surrogates."""
        return text_of(self.record.key)

    @property
    def value_type(self) -> ValueType:
        """The value type as it stands in the file."""
        return ValueType(self.record.value_type)

    @property
    def type(self) -> str:
        """The type spec: ``uint32``, ``[string]``, ``[[int32]]``."""
        return spec_of(self.record.value_type, self.record.value)

    @property
    def value(self) -> Any:
        """The value as Python data; see `core.values.to_python`."""
        return to_python(self.record.value_type, self.record.value)

    @property
    def plain_value(self) -> Any:
        """The value with arrays as lists; needs no numpy."""
        return plain(self.record.value_type, self.record.value)

    @property
    def start(self) -> int:
        """Offset of the pair's first byte, in the file unless it was edited."""
        return self.record.offsets[0]

    @property
    def value_start(self) -> int:
        """Offset of the value's first byte (behind the value type)."""
        return self.record.offsets[-2]

    @property
    def end(self) -> int:
        """Offset of the first byte behind the pair."""
        return self.record.offsets[-1]

    @property
    def raw(self) -> bytes:
        """The value's bytes, without key and value type."""
        return bytes(self.buffer[self.value_start : self.end])

    @property
    def encoded(self) -> bytes:
        """The whole pair's bytes."""
        return bytes(self.buffer[self.start : self.end])

    @property
    def array_length(self) -> int | None:
        """Number of elements of an array, else None."""
        record = self.record
        return record.value.num_elements if record.value_type == ValueType.ARRAY else None

    def __repr__(self) -> str:
        return f"<Field {self.key!r} {self.type}>"


class Metadata(MutableMapping[str, Any]):
    """The metadata pairs of a document, in file order.

    Reading a key gives Python data.  Setting one keeps the type that the file has, else the one
    that the registry of standard keys wants, else the only sensible one.  A key that occurs more
    than once reads as its first occurrence and cannot be edited by key alone.
    """

    def __init__(self, fields: list[Field], order: str, version: int) -> None:
        self._fields = fields
        self._read = tuple(fields)
        self._order = order
        self._version = version
        self._index: dict[str, list[int]] | None = None
        self.is_changed = False

    # -- reading -----------------------------------------------------------------------------

    def fields(self) -> list[Field]:
        """Every pair in file order, repeated keys included."""
        return list(self._fields)

    def _places(self, key: str) -> list[int]:
        if self._index is None:
            self._index = {}
            for at, field in enumerate(self._fields):
                self._index.setdefault(field.key, []).append(at)
        return self._index.get(key, [])

    def occurrences(self, key: str) -> list[Field]:
        """All pairs with this key; more than one in a malformed file."""
        return [self._fields[at] for at in self._places(key)]

    def field(self, key: str) -> Field:
        """The (first) pair with this key.  Raises KeyNotFoundError with close matches."""
        places = self._places(key)
        if not places:
            raise self._missing(key)
        return self._fields[places[0]]

    def _missing(self, key: object) -> KeyNotFoundError:
        from .registry import close_matches

        if not isinstance(key, str):
            return KeyNotFoundError(f"keys are text, not {type(key).__name__}")
        matches = tuple(close_matches(key, list(self)))
        hint = f"did you mean {' or '.join(matches)}?" if matches else None
        return KeyNotFoundError(f"no key {key!r}", hint=hint, key=key, matches=matches)

    def __getitem__(self, key: str) -> Any:
        return self.field(key).value

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and bool(self._places(key))

    def __iter__(self) -> Iterator[str]:
        self._places("")
        assert self._index is not None
        return iter(self._index)

    def __len__(self) -> int:
        self._places("")
        assert self._index is not None
        return len(self._index)

    def text(self, key: str) -> str | None:
        """The value where it is a string, else None."""
        places = self._places(key)
        record = self._fields[places[0]].record if places else None
        is_text = record is not None and record.value_type == ValueType.STRING
        return text_of(record.value) if record is not None and is_text else None

    @property
    def architecture(self) -> str | None:
        """The value of general.architecture, if it is there and a string."""
        return self.text("general.architecture")

    @property
    def alignment(self) -> int:
        """The alignment that these pairs ask for."""
        found = DEFAULT_ALIGNMENT
        for field in self._fields:
            if field.record.is_alignment and field.record.value > 0:
                found = field.record.value
        return found

    # -- editing -----------------------------------------------------------------------------

    def __setitem__(self, key: str, value: Any) -> None:
        self.set(key, value)

    def __delitem__(self, key: str) -> None:
        del self._fields[self._single(key)]
        self._touched()

    def set(self, key: str, value: Any, type: str | None = None) -> Field:
        """Set a key, at its old place or at the end.

        Args:
            key: the key; any bytes that `str` can carry by ``surrogateescape``.
            value: Python data; a Field of any document keeps its exact bytes and type.
            type: a type spec; the default is the type in the file, then the registry's, then
                what the value itself says.

        Raises:
            AmbiguousKeyError: the key occurs more than once.
            TypeConflictError: the value does not fit, or no type can be told.
            BuildError: the format cannot hold it.
        """
        places = self._places(key)
        if places:
            self._single(key)
        if isinstance(value, Field):
            record = value.record._replace(key=bytes_of(key, "key"))
        else:
            spec = parse_spec(type) if type else self.type_for(key, value)
            record = MetadataKv(
                bytes_of(key, "key"), value_type_of(spec), from_python(spec, value, key)
            )
        field = self.encode(record)
        if not places:
            self._fields.append(field)
        elif self._fields[places[0]].encoded == field.encoded:
            return self._fields[places[0]]
        else:
            self._fields[places[0]] = field
        self._touched()
        return field

    def type_for(self, key: str, value: Any = None) -> str:
        """The type that `set` would give the key.  Raises TypeConflictError when none is known."""
        from .registry import expected_types

        places = self._places(key)
        if places:
            known = self._fields[places[0]].type
            if known != "[array]":
                return known
        expected = expected_types(key, self.architecture)
        if expected:
            return expected[0]
        spec = guess_spec(value)
        if spec is None:
            raise TypeConflictError(
                f"the type of {key!r} cannot be told from the value",
                path=key,
                hint="it is not in the file and is no standard key: give a type, such as uint32",
                expected="a type",
                actual="none",
            )
        return spec

    def rename(self, old: str, new: str) -> Field:
        """Rename a key at its place.  Raises KeyNotFoundError, AmbiguousKeyError."""
        at = self._single(old)
        if old != new and self._places(new):
            offsets = tuple(field.start for field in self.occurrences(new))
            raise AmbiguousKeyError(f"the key {new!r} is already there", key=new, offsets=offsets)
        field = self.encode(self._fields[at].record._replace(key=bytes_of(new, "key")))
        self._fields[at] = field
        self._touched()
        return field

    def remove_occurrence(self, key: str, number: int) -> None:
        """Remove one of several pairs with the same key; `number` counts from 0."""
        places = self._places(key)
        if not 0 <= number < len(places):
            message = f"{key!r} occurs {len(places)} times: no occurrence {number}"
            raise KeyNotFoundError(message, key=key)
        del self._fields[places[number]]
        self._touched()

    def snapshot(self) -> tuple[list[Field], bool]:
        """The state to hand to `restore`."""
        return list(self._fields), self.is_changed

    def restore(self, state: tuple[list[Field], bool]) -> None:
        """Undo everything since the snapshot."""
        fields, changed = state
        self._fields = list(fields)
        self._touched()
        self.is_changed = changed

    def detach(self, buffer: Buffer, copy: bytes) -> None:
        """Let go of the file's buffer: pairs that were read from it live on in a copy of it.

        Args:
            buffer: the file's buffer.
            copy: its bytes from the start to the end of the header, at least.
        """
        for field in (*self._read, *self._fields):
            if field.buffer is buffer:
                field.buffer = copy
            value = field.record.value
            if isinstance(value, Array) and getattr(value.elements, "buffer", None) is buffer:
                value.elements.buffer = copy

    def reload(self, other: Metadata) -> None:
        """Take over the pairs of the same file, read again; nothing counts as edited."""
        self._order, self._version = other._order, other._version
        self._fields, self._read = other._fields, other._read
        self._touched()
        self.is_changed = False

    def _single(self, key: str) -> int:
        places = self._places(key)
        if not places:
            raise self._missing(key)
        if len(places) > 1:
            offsets = tuple(self._fields[at].start for at in places)
            raise AmbiguousKeyError(
                f"{key!r} occurs {len(places)} times, at {', '.join(map(hex, offsets))}",
                path=key,
                hint="readers differ in which one they take; remove one by its number first",
                key=key,
                offsets=offsets,
            )
        return places[0]

    def encode(self, record: MetadataKv) -> Field:
        """A pair of its own, as this file would hold it; the mapping stays as it is.

        Raises:
            BuildError: the format cannot hold it.
        """
        chosen = codec(self._order)
        encoded: bytes = chosen.WRITE_METADATA_KV[self._version](record)
        read = chosen.READ_METADATA_KV[self._version]
        limits = LIMITS._replace(max_header_nbytes=len(encoded))
        try:
            again, _ = read(encoded, 0, len(encoded), limits, DEFAULT_ALIGNMENT)
        except READ_FAULTS as error:
            raise BuildError(
                "no reader would take this value: it is too long, or nested too deep",
                path=text_of(record.key),
                hint=f"at most {LIMITS.max_array_depth} arrays inside each other, "
                f"{LIMITS.max_string_nbytes} bytes in a string",
            ) from error
        return Field(again, encoded, is_edited=True)

    def _touched(self) -> None:
        self._index = None
        self.is_changed = True
