"""How each schema type is represented in Python, which all emitters agree on.

- Number: a type with one number is that number.
- Text: a type of a length and that many bytes is bytes.
- Record: every other type is a named tuple.

A switch on the version of the file is settled when code is generated: each `Variant` is one
byte order and one branch of those switches.
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

__all__ = [
    "Number",
    "Record",
    "Shape",
    "Text",
    "Variant",
    "counted_by",
    "is_marker",
    "shape_of",
    "variants",
    "version_names",
]

VERSION = Attribute(Name("_root"), "version")


@dataclass(frozen=True)
class Variant:
    """One specialisation of the codec: a branch of the switches on the version."""

    version: int  # the smallest version that takes this branch
    is_default: bool

    @property
    def suffix(self) -> str:
        """What function names of this branch end in."""
        return f"_v{self.version}"


@dataclass(frozen=True)
class Number:
    """A number; `by_version` maps version (None: default) to (kind, width)."""

    by_version: tuple[tuple[int | None, str, int], ...]
    is_bool: bool = False

    def of(self, variant: Variant) -> tuple[str, int]:
        """Kind (u, s, f) and width in bytes, in that branch."""
        default = ("u", 0)
        for version, kind, width in self.by_version:
            if version == variant.version and not variant.is_default:
                return kind, width
            if version is None:
                default = (kind, width)
        return default

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
        case [Field(repeat=None) as length, Field(type=ByteRun(size=size)) as data] if (
            size is not None and counted_by(size) == length.id
        ):
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


def is_marker(field: Field) -> bool:
    """A field of no bytes, which only fixes a position."""
    return isinstance(field.type, ByteRun) and field.type.size == Integer(0)


def version_names(schema: Schema) -> dict[int, Variant]:
    """Every supported version and the variant that reads it."""
    body = body_type(schema)
    supported = next((field.any_of for field in body.seq if field.any_of), None)
    if supported is None:
        raise SchemaError(body.place, "no field lists the versions there are ('valid: any-of')")
    special = {
        test.value
        for type in schema.root.walk()
        for field in type.seq
        if isinstance(field.type, Switch) and field.type.on == VERSION
        for test, _ in field.type.cases
        if isinstance(test, Integer)
    }
    first_default = min(set(supported) - special, default=0)
    return {
        version: Variant(version, False) if version in special else Variant(first_default, True)
        for version in supported
    }


def variants(schema: Schema) -> list[Variant]:
    """The distinct variants, in version order."""
    return list(dict.fromkeys(version_names(schema).values()))


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
