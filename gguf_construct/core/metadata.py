"""Metadata: an ordered mapping from key to value that loses nothing.

Strategy: a pair that nobody touched stays a record with its place in the file, and is copied
when the file is written.  A pair that was set is encoded at once and read back by the codec, so
both kinds look the same and a value that cannot be stored is refused where it is set.  Pairs have
running numbers, so that adding, changing and removing one costs the same in a file with 65,536.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from typing import TYPE_CHECKING, Any

from .._generated.codec import codec
from .._generated.types import DEFAULT_ALIGNMENT, LIMITS, Array, MetadataKv, ValueType
from ..errors import AmbiguousKeyError, BuildError, KeyNotFoundError, TypeConflictError
from ..runtime.views import READ_FAULTS
from .field import Field
from .type_names import parse_spec, value_type_of
from .values import bytes_of, from_python, guess_spec, same_plain, text_of

if TYPE_CHECKING:
    from ..runtime.views import Buffer

_REQUIRED: Any = object()
_SHOWN = 8


class Metadata(MutableMapping[str, Any]):
    """The metadata pairs of a document, in file order.

    Reading a key gives Python data.  Setting one keeps the type that the file has, else the one
    that the registry of standard keys wants, else the only sensible one.  A key that occurs more
    than once reads as its first occurrence and cannot be edited by key alone.
    """

    def __init__(self, fields: list[Field], order: str, version: int) -> None:
        self._fields = dict(enumerate(fields))
        self._next = len(fields)
        self.as_read = tuple(fields)
        self._order = order
        self._version = version
        self._index: dict[str, list[int]] | None = None
        self.is_changed = False
        self.is_forced = False  # True: somebody insisted on an edit that may break the model

    # -- reading -----------------------------------------------------------------------------

    def fields(self) -> list[Field]:
        """Every pair in file order, repeated keys included."""
        return list(self._fields.values())

    def _places(self, key: str) -> list[int]:
        return self._numbers().get(key, [])

    def _numbers(self) -> dict[str, list[int]]:
        """The numbers of the pairs with each key."""
        if self._index is None:
            # Complete before it can be seen: threads may read the same document.
            index: dict[str, list[int]] = {}
            for at, field in self._fields.items():
                index.setdefault(field.key, []).append(at)
            self._index = index
        return self._index

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
        numbers = self._numbers()
        for at, field in list(self._fields.items()):
            key = field.key
            if numbers.get(key, (None,))[0] == at:
                yield key

    def __reversed__(self) -> Iterator[str]:
        return reversed(list(self))

    def __len__(self) -> int:
        return len(self._numbers())

    def get(self, key: str, default: Any = None) -> Any:
        """The value of a key, or `default` where it is absent."""
        places = self._places(key)
        return self._fields[places[0]].value if places else default

    def __eq__(self, other: object) -> bool:
        """Whether the pairs are the same, whatever their order.

        Other metadata must agree in types and bits; of any other mapping the values are compared.
        """
        if isinstance(other, Metadata):
            return len(self._fields) == len(other._fields) and all(
                self._agrees(key, other) for key in self
            )
        if not isinstance(other, Mapping):
            return NotImplemented
        return len(self) == len(other) and all(
            key in other and same_plain(self.field(key).plain_value, other[key]) for key in self
        )

    def _agrees(self, key: str, other: Metadata) -> bool:
        mine, theirs = self.occurrences(key), other.occurrences(key)
        if len(mine) != len(theirs):
            return False
        write = None
        if (self._order, self._version) != (other._order, other._version):
            write = codec(self._order).WRITE_METADATA_KV[self._version]
        try:
            return all(
                one.encoded == (write(two.record) if write else two.encoded)
                for one, two in zip(mine, theirs, strict=True)
            )
        except BuildError:  # version 1 has no room for it
            return False

    def __repr__(self) -> str:
        return f"<Metadata of {len(self)} keys>"

    def copy(self) -> Metadata:
        """The same pairs in a mapping of their own."""
        again = Metadata(self.fields(), self._order, self._version)
        again.as_read, again.is_changed = self.as_read, self.is_changed
        return again

    __copy__ = copy

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
        for field in self._fields.values():
            if field.record.is_alignment and field.record.value > 0:
                found = field.record.value
        return found

    # -- editing -----------------------------------------------------------------------------

    def __setitem__(self, key: str, value: Any) -> None:
        """Set a key, or ``key:type`` with a type spec; see `set`."""
        self.set(*self.split_type(key, value))

    def split_type(self, name: str, value: Any = None) -> tuple[str, Any, str | None]:
        """(key, value, type spec or None) of ``key`` or ``key:type``.  Raises TypeConflictError."""
        bytes_of(name, "key")  # refuses what is not text
        key, colon, spec = name.rpartition(":")
        if not colon or name in self:
            return name, value, None
        return key, value, parse_spec(spec)

    def __delitem__(self, key: str) -> None:
        self._drop(self._single(key))

    def _put(self, at: int, field: Field) -> None:
        numbers = self._numbers()
        if at in self._fields:
            self._unlist(at)
        self._fields[at] = field
        numbers.setdefault(field.key, []).append(at)
        self.is_changed = True

    def _drop(self, at: int) -> None:
        self._unlist(at)
        del self._fields[at]
        self.is_changed = True

    def _unlist(self, at: int) -> None:
        key, numbers = self._fields[at].key, self._numbers()
        if numbers[key][-1] == at:
            numbers[key].pop()
        else:
            numbers[key].remove(at)
        if not numbers[key]:
            del numbers[key]

    def _replace(self, fields: list[Field]) -> None:
        self._fields, self._next, self._index = dict(enumerate(fields)), len(fields), None

    def pop(self, key: str, default: Any = _REQUIRED) -> Any:
        """Remove a key and return its value, or `default` where it is absent.

        Raises KeyNotFoundError, AmbiguousKeyError.
        """
        if default is not _REQUIRED and key not in self:
            return default
        value = self[key]
        del self[key]
        return value

    def popitem(self) -> tuple[str, Any]:
        """Remove the last pair: (key, value).  Raises KeyNotFoundError, AmbiguousKeyError."""
        if not self._fields:
            raise KeyNotFoundError("there are no keys left")
        key = next(reversed(self._fields.values())).key
        return key, self.pop(key)

    def clear(self) -> None:
        """Remove every pair, repeated keys included."""
        if self._fields:
            self._replace([])
            self.is_changed = True

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
        raw_key = bytes_of(key, "key")
        at = self._single(key) if key in self else None
        if isinstance(value, Field) and type is None:
            record = value.record._replace(key=raw_key)
        else:
            value = value.value if isinstance(value, Field) else value
            spec = parse_spec(type) if type else self.type_for(key, value)
            record = MetadataKv(
                key=raw_key,
                value_type=value_type_of(spec),
                value=from_python(spec, value, key),
            )
        field = self.encode(record)
        if at is None:
            at, self._next = self._next, self._next + 1
        elif self._fields[at].encoded == field.encoded:
            return self._fields[at]
        self._put(at, field)
        return field

    def take_back(self, field: Field, old: Field | None, *, was_changed: bool) -> None:
        """Undo one `set`, which gave `field` in the place of `old` (None: the key was new)."""
        at = self._single(field.key)
        if old is None:
            self._drop(at)
        elif old is not field:
            self._put(at, old)
        self.is_changed = was_changed

    def update(self, other: Any = (), /, **more: Any) -> None:
        """Set many keys; those of other Metadata keep their types and bytes."""
        if isinstance(other, Metadata):
            other = {key: other.field(key) for key in other}
        super().update(other, **more)

    def type_for(self, key: str, value: Any = None) -> str:
        """The type that `set` would give the key.  Raises TypeConflictError when none is known."""
        from .registry import expected_types

        places = self._places(key)
        if places:
            known = self._fields[places[0]].type
            if known != "[array]" or (isinstance(value, list) and guess_spec(value) is None):
                return known
        expected = expected_types(key, self.architecture)
        if expected:
            return expected[0]
        spec = guess_spec(value)
        if spec is None:
            raise TypeConflictError(
                f"the type of {key!r} cannot be told from the value",
                path=key,
                hint="give a type, such as uint32: the key is neither in the file nor standard",
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
        self._put(at, field)
        return field

    def remove_occurrence(self, key: str, number: int) -> Field:
        """Remove one of several pairs with the same key, and return it; `number` counts from 0.

        Raises KeyNotFoundError.
        """
        places = self._places(key)
        if not 0 <= number < len(places):
            message = f"{key!r} occurs {len(places)} times: no occurrence {number}"
            raise KeyNotFoundError(message, key=key)
        old = self._fields[places[number]]
        self._drop(places[number])
        return old

    def snapshot(self) -> tuple[list[Field], bool]:
        """The state to hand to `restore`."""
        return self.fields(), self.is_changed

    def restore(self, state: tuple[list[Field], bool]) -> None:
        """Undo everything since the snapshot."""
        fields, self.is_changed = state
        self._replace(fields)

    def detach(self, buffer: Buffer, copy: bytes) -> None:
        """Let go of the file's buffer: pairs that were read from it live on in a copy of it.

        Args:
            buffer: the file's buffer.
            copy: its bytes from the start to the end of the header, at least.
        """
        for field in (*self.as_read, *self.fields()):
            if field.buffer is buffer:
                field.buffer = copy
            value = field.record.value
            if isinstance(value, Array) and getattr(value.elements, "buffer", None) is buffer:
                value.elements.buffer = copy

    def reload(self, other: Metadata) -> None:
        """Take over the pairs of the same file, read again; nothing counts as edited."""
        self._order, self._version = other._order, other._version
        self._replace(other.fields())
        self.as_read = other.as_read
        self.is_changed = self.is_forced = False

    def _single(self, key: str) -> int:
        places = self._places(key)
        if not places:
            raise self._missing(key)
        if len(places) > 1:
            offsets = tuple(self._fields[at].start for at in places)
            shown = [*map(hex, offsets[:_SHOWN]), *(["..."] if len(offsets) > _SHOWN else [])]
            raise AmbiguousKeyError(
                f"{key!r} occurs {len(places)} times, at {', '.join(shown)}",
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
