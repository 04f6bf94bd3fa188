"""What a name of a type or of an enum means, seen from inside a type."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .errors import SchemaError

if TYPE_CHECKING:
    from .errors import Place
    from .nodes import Enum, Schema, Type


def find_type(name: str, type: Type, schema: Schema, place: Place) -> Type:
    """The type that `name` means inside `type`.  Raises SchemaError."""
    head, *rest = name.split("::")
    scope: Type | None = type
    while scope is not None:
        if head in scope.types:
            return _descend(scope.types[head], rest, place)
        scope = scope.parent
    if head in schema.imports:
        return _descend(schema.imports[head], rest, place)
    raise SchemaError(place, f"unknown type {name!r}")


def _descend(type: Type, rest: list[str], place: Place) -> Type:
    for name in rest:
        if name not in type.types:
            raise SchemaError(place, f"type {type.id!r} has no type {name!r}")
        type = type.types[name]
    return type


def find_enum(path: tuple[str, ...], type: Type, schema: Schema, place: Place) -> Enum:
    """The enum that `path` means inside `type`.  Raises SchemaError."""
    *outer, id = path
    if outer:
        scope: Type | None = find_type("::".join(outer), type, schema, place)
    else:
        scope = type
    while scope is not None:
        if id in scope.enums:
            return scope.enums[id]
        scope = scope.parent
    raise SchemaError(place, f"unknown enum {'::'.join(path)!r}")
