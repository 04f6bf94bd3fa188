"""How each schema type is represented in Python, which all emitters agree on.

- Number: a type with one number is that number.
- Text: a type of a length and that many bytes is bytes.
- Record: every other type is a named tuple.
"""

from __future__ import annotations

from dataclasses import dataclass

from tools.ksy.errors import Place, SchemaError
from tools.ksy.expr import Attribute, Expr, Integer, Name
from tools.ksy.nodes import (
    Builtin,
    ByteRun,
    Constant,
    Field,
    Schema,
    Switch,
    Type,
    TypeRef,
    UserType,
)

VERSION = Attribute(Name("_root"), "version")


@dataclass(frozen=True)
class Number:
    """A number; `by_version` maps version (None: default) to (kind, width)."""

    by_version: tuple[tuple[int | None, str, int], ...]
    is_bool: bool = False

    def of(self, version: int) -> tuple[str, int]:
        """Kind (u, s, f) and width in bytes, in files of that version."""
        branches = {one: (kind, width) for one, kind, width in self.by_version}
        return branches[version if version in branches else None]

    @property
    def is_versioned(self) -> bool:
        """Whether the width depends on the version."""
        return len(self.by_version) > 1


@dataclass(frozen=True)
class Text:
    """Bytes behind their length; `length` is the length field's shape."""

    length: Number
    type_id: str
    len_id: str
    data_id: str
    limit: str | None


@dataclass(frozen=True)
class Record:
    """A named tuple of the type's fields."""

    type_id: str


Shape = Number | Text | Record


def shape_of(ref: TypeRef, field: Field | None = None) -> Shape:
    """The shape of a field's type; a Switch on anything but the version has none."""
    if isinstance(ref, Builtin):
        is_bool = field is not None and field.extras.get("-type") == "bool"
        return Number(((None, ref.kind, ref.width),), is_bool)
    if isinstance(ref, UserType):
        return _shape_of_type(ref.type)
    if isinstance(ref, Switch) and ref.on == VERSION:
        branches = []
        for test, target in ref.cases:
            if not isinstance(target, Builtin):
                raise SchemaError(_place(field), "a switch on the version must choose a number")
            version = test.value if isinstance(test, Integer) else None
            branches.append((version, target.kind, target.width))
        if None not in {version for version, _, _ in branches}:
            raise SchemaError(_place(field), "a switch on the version needs the case '_'")
        return Number(tuple(branches))
    raise SchemaError(_place(field), "this field has no single shape")


def _place(field: Field | None) -> Place:
    assert field is not None
    return field.place


def _shape_of_type(type: Type) -> Shape:
    match type.seq:
        case [Field(repeat=None, condition=None) as only] if _is_numeric(only.type):
            return shape_of(only.type, only)
        case [
            Field(repeat=None, condition=None) as length,
            Field(type=ByteRun(size=size), condition=None) as data,
        ] if size is not None and counted_by(size) == length.id:
            shape = shape_of(length.type, length)
            if not isinstance(shape, Number):
                raise SchemaError(length.place, "a length must be a number")
            limit = length.extras.get("-limit")
            return Text(shape, type.id, length.id, data.id, str(limit) if limit else None)
    return Record(type.id)


def _is_numeric(ref: TypeRef) -> bool:
    if isinstance(ref, UserType):
        return isinstance(_shape_of_type(ref.type), Number)
    return isinstance(ref, Builtin) or (isinstance(ref, Switch) and ref.on == VERSION)


def counted_by(expr: Expr) -> str | None:
    """The field that a size or a repeat count is taken from: ``x`` or ``x.value``."""
    if isinstance(expr, Attribute):
        expr = expr.of
    return expr.id if isinstance(expr, Name) else None


def count_fields(type: Type) -> dict[str, str]:
    """Fields that count another one, which is what they are rebuilt from: count id to list id."""
    found = {}
    for one in type.seq:
        if one.repeat is not None and (counter := counted_by(one.repeat)) is not None:
            found[counter] = one.id
    return found


def is_marker(field: Field) -> bool:
    """A field of no bytes, which only fixes a position."""
    return isinstance(field.type, ByteRun) and field.type.size == Integer(0)


def reachable_types(type: Type, seen: list[Type] | None = None) -> list[Type]:
    """The types that `type`'s seq leads to, each once, after those that it is made of."""
    found: list[Type] = []
    seen = [] if seen is None else seen
    if type in seen:
        return found
    seen.append(type)
    for field in type.seq:
        refs = [ref for _, ref in field.type.cases] if isinstance(field.type, Switch) else []
        for ref in (field.type, *refs):
            if isinstance(ref, UserType):
                found += reachable_types(ref.type, seen)
    return [*found, type]


def body_type(schema: Schema) -> Type:
    """The type with the calculated byte order, which holds all that depends on it."""
    for field in schema.root.seq:
        if isinstance(field.type, UserType) and isinstance(field.type.type.endian, Switch):
            return field.type.type
    raise SchemaError(schema.root.place, "no field of the root has a calculated byte order")


def magic(schema: Schema) -> bytes:
    """The constant that the file starts with."""
    for field in schema.root.seq:
        if isinstance(field.type, Constant):
            return field.type.data
    raise SchemaError(schema.root.place, "the root has no constant field")
