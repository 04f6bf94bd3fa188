"""Resolve a loaded schema: names to types and enums, and the checks that need both."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .check import check
from .errors import SchemaError
from .expr import EnumMember, Integer, Truth, walk
from .lookup import find_enum, find_type
from .nodes import ByteRun, Switch, UserType

if TYPE_CHECKING:
    from .errors import Place
    from .expr import Expr
    from .nodes import Field, Instance, Param, Schema, Type, TypeRef


def resolve(schema: Schema) -> Schema:
    """Set every cross reference of the schema; raises SchemaError for a name that leads nowhere."""
    limits = {limit.id for limit in schema.limits}
    for root in (schema.root, *schema.imports.values()):
        for type in root.walk():
            _check_ids(type)
            for param in type.params:
                if param.enum is not None:
                    find_enum(tuple(param.enum.split("::")), type, schema, param.place)
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
    check(schema)
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
        if field.in_enum:
            field.any_of = tuple(item.value for item in field.enum_target.items)


def _resolve_ref(ref: TypeRef, type: Type, schema: Schema, place: Place) -> None:
    if isinstance(ref, UserType):
        ref.target = find_type(ref.name, type, schema, place)
        wanted, given = len(ref.target.params), len(ref.args)
        if wanted != given:
            raise SchemaError(place, f"type {ref.name!r} takes {wanted} arguments, not {given}")
    elif isinstance(ref, Switch):
        seen: set[object] = set()
        for test, target in ref.cases:
            if test is not None:
                _check_case(test, type, schema, place)
            if test in seen:
                raise SchemaError(place, "two cases of the switch are the same")
            seen.add(test)
            _resolve_ref(target, type, schema, place)


def _check_case(test: Expr, type: Type, schema: Schema, place: Place) -> None:
    for node in walk(test):
        if isinstance(node, EnumMember):
            enum = find_enum(node.enum, type, schema, place)
            if node.member not in {item.id for item in enum.items}:
                raise SchemaError(place, f"enum {enum.id!r} has no member {node.member!r}")
        elif not isinstance(node, (Integer, Truth)):
            raise SchemaError(place, "a switch case must be a number or an enum member")


def fixed_nbytes(type: Type) -> int | None:
    """Size of a type whose fields all have constant sizes, else None."""
    total = 0
    for field in type.seq:
        count = 1
        if field.repeat is not None:
            if not isinstance(field.repeat, Integer):
                return None
            count = field.repeat.value
        one = _fixed_ref(field.type)
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
