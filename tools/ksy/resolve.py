"""Resolve a loaded schema: names to types and enums, and the checks that need both."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .errors import SchemaError
from .expr import EnumMember, Integer, Truth, walk
from .nodes import ByteRun, Enum, Field, Switch, Type, UserType

if TYPE_CHECKING:
    from .errors import Place
    from .expr import Expr
    from .nodes import Instance, Param, Schema, TypeRef

__all__ = ["find_enum", "fixed_nbytes", "resolve"]


def resolve(schema: Schema) -> Schema:
    """Set every cross reference of the schema; raises SchemaError for a name that leads nowhere."""
    limits = {limit.id for limit in schema.limits}
    for root in (schema.root, *schema.imports.values()):
        for type in root.walk():
            _check_ids(type)
            for field in type.seq:
                _resolve_field(field, type, schema, limits)
            for instance in type.instances:
                if instance.type is not None:
                    _resolve_ref(instance.type, type, schema, instance.place)
            depth = type.extras.get("-limit-depth")
            if depth is not None and depth not in limits:
                raise SchemaError(type.place, f"unknown limit {depth!r}")
            label = type.extras.get("-label")
            if label is not None and label not in {field.id for field in type.seq}:
                raise SchemaError(type.place, f"'-label' names no field: {label!r}")
    return schema


def _check_ids(type: Type) -> None:
    seen: dict[str, Place] = {}
    nodes: list[Param | Field | Instance] = [*type.params, *type.seq, *type.instances]
    for node in nodes:
        if node.id in seen:
            raise SchemaError(node.place, f"{node.id!r} is already used at {seen[node.id]}")
        seen[node.id] = node.place


def _resolve_field(field: Field, type: Type, schema: Schema, limits: set[str]) -> None:
    _resolve_ref(field.type, type, schema, field.place)
    limit = field.extras.get("-limit")
    if limit is not None and limit not in limits:
        raise SchemaError(field.place, f"unknown limit {limit!r}")
    if field.enum is not None:
        field.enum_target = find_enum(tuple(field.enum.split("::")), type, schema, field.place)


def _resolve_ref(ref: TypeRef, type: Type, schema: Schema, place: Place) -> None:
    if isinstance(ref, UserType):
        ref.target = _find_type(ref.name, type, schema, place)
        wanted, given = len(ref.target.params), len(ref.args)
        if wanted != given:
            raise SchemaError(place, f"type {ref.name!r} takes {wanted} arguments, not {given}")
    elif isinstance(ref, Switch):
        for test, target in ref.cases:
            if test is not None:
                _check_case(test, type, schema, place)
            _resolve_ref(target, type, schema, place)


def _check_case(test: Expr, type: Type, schema: Schema, place: Place) -> None:
    for node in walk(test):
        if isinstance(node, EnumMember):
            enum = find_enum(node.enum, type, schema, place)
            if node.member not in {item.id for item in enum.items}:
                raise SchemaError(place, f"enum {enum.id!r} has no member {node.member!r}")
        elif not isinstance(node, (Integer, Truth)):
            raise SchemaError(place, "a switch case must be a number or an enum member")


def _find_type(name: str, type: Type, schema: Schema, place: Place) -> Type:
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
    """The enum that `path` means inside `type`."""
    *outer, id = path
    if outer:
        scope: Type | None = _find_type("::".join(outer), type, schema, place)
    else:
        scope = type
    while scope is not None:
        if id in scope.enums:
            return scope.enums[id]
        scope = scope.parent
    raise SchemaError(place, f"unknown enum {'::'.join(path)!r}")


def fixed_nbytes(type: Type) -> int | None:
    """Size of a type whose fields all have constant sizes, else None."""
    total = 0
    for field in type.seq:
        one = _fixed_ref(field.type)
        count = 1
        if field.repeat is not None:
            if not isinstance(field.repeat, Integer):
                return None
            count = field.repeat.value
        if one is None or field.condition is not None:
            return None
        total += one * count
    return total


def _fixed_ref(ref: TypeRef) -> int | None:
    if isinstance(ref, ByteRun):
        return ref.size.value if isinstance(ref.size, Integer) else None
    if isinstance(ref, UserType):
        return fixed_nbytes(ref.type)
    if isinstance(ref, Switch):
        return None
    return ref.width if hasattr(ref, "width") else len(ref.data)
