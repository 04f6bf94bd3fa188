"""What depends on the version of the file: which versions there are, which fields each one has.

Strategy: code is emitted once for all versions that it serves.  A record that holds the version
itself asks at run time; any other type gets one function for each group of versions in which it,
and all that it is made of, is the same.
"""

from __future__ import annotations

from dataclasses import replace

from tools.ksy.errors import SchemaError
from tools.ksy.expr import Attribute, Binary, Expr, Integer, Name, Not, Truth, walk
from tools.ksy.nodes import Builtin, ByteRun, Field, Schema, Switch, Type, UserType

from .pyexpr import Scope, Term, evaluate, translate_bare
from .shapes import (
    VERSION,
    Number,
    Text,
    body_type,
    count_fields,
    is_marker,
    reachable_types,
    shape_of,
)

_COMPARISONS = frozenset(("==", "!=", "<", "<=", ">", ">=", "and", "or"))
Absence = int | bytes


def version_field(schema: Schema) -> Field:
    """The field that lists the supported versions."""
    body = body_type(schema)
    for field in body.seq:
        if field.any_of and not field.enum:
            return field
    raise SchemaError(body.place, "no field lists the versions there are ('valid: any-of')")


def supported_versions(schema: Schema) -> tuple[int, ...]:
    """Every supported version, as the schema lists them."""
    return version_field(schema).any_of


def is_optional(field: Field) -> bool:
    """Whether only files of some versions have the field."""
    return field.condition is not None and not is_marker(field)


def asks_at_run_time(schema: Schema, type: Type) -> bool:
    """Whether the type holds the version, so that its functions can ask for it."""
    return type is body_type(schema)


def condition_code(schema: Schema, type: Type, field: Field, version: str) -> str:
    """Python code that says whether a file has the field; `version` is code for its version."""
    return translate_bare(_condition(schema, type, field), _scope(schema, type, field, version))


def default_of(schema: Schema, type: Type, field: Field) -> Absence:
    """The value of the field in files that do not have it.  Checks that there can be one."""
    _condition(schema, type, field)
    shape = None if field.repeat is not None or _chooses(field) else shape_of(field.type, field)
    if field.id in count_fields(type) or not isinstance(shape, (Number, Text)):
        what = "a field of some versions must be a number or a text, and count nothing"
        raise SchemaError(field.place, what)
    stated = field.extras.get("-default", 0 if isinstance(shape, Number) else "")
    if isinstance(shape, Number) and isinstance(stated, int) and not isinstance(stated, bool):
        return stated
    if isinstance(shape, Text) and isinstance(stated, str):
        return stated.encode()
    raise SchemaError(field.place, f"'-default: {stated}' is not a value of this field")


def _chooses(field: Field) -> bool:
    is_switch = isinstance(field.type, Switch) and field.type.on != VERSION
    return is_switch or not isinstance(field.type, (Builtin, UserType, Switch))


def settle(schema: Schema, type: Type, version: int) -> list[Field]:
    """The type's fields for one version, and the others that its functions serve as well.

    A field that all of those versions have is an ordinary one, and one that none has gets the
    condition "false".  Where they differ, the condition is left to be asked at run time.
    """
    wanted = suffix(schema, type, version)
    served = [one for one in supported_versions(schema) if suffix(schema, type, one) == wanted]
    fields = []
    for field in type.seq:
        if is_optional(field):
            found = {_has(schema, type, field, one) for one in served}
            if len(found) == 1:
                field = replace(field, condition=None if found.pop() else Truth(False))
        fields.append(field)
    return fields


def suffix(schema: Schema, type: Type, version: int) -> str:
    """What the functions of a type end in for a version: ``_v`` and the first one they serve."""
    wanted = _signature(schema, type, version)
    versions = sorted(supported_versions(schema))
    return f"_v{next(one for one in versions if _signature(schema, type, one) == wanted)}"


def _signature(schema: Schema, type: Type, version: int) -> tuple[object, ...]:
    """All that a version decides about the functions of a type and of those that they call."""
    found: list[object] = []
    for one in reachable_types(type):
        if _mentions_version(one):
            found.append(version)
        for field in one.seq:
            if isinstance(field.type, Switch) and field.type.on == VERSION:
                shape = shape_of(field.type, field)
                assert isinstance(shape, Number)
                found.append(shape.of(version))
            elif is_optional(field) and not asks_at_run_time(schema, one):
                found.append(_has(schema, one, field, version))
    return tuple(found)


def _mentions_version(type: Type) -> bool:
    """Whether an expression other than a condition of a field uses the version."""
    trees: list[Expr | None] = [one.value for one in type.instances]
    for field in type.seq:
        trees += [field.repeat, field.condition if is_marker(field) else None]
        if isinstance(field.type, ByteRun):
            trees.append(field.type.size)
        if isinstance(field.type, UserType):
            trees += field.type.args
    return any(VERSION in walk(tree) for tree in trees if tree is not None)


def _has(schema: Schema, type: Type, field: Field, version: int) -> bool:
    scope = _scope(schema, type, field, str(version))
    names = dict.fromkeys(scope.names, version)
    return bool(evaluate(_condition(schema, type, field), names, scope))


def _condition(schema: Schema, type: Type, field: Field) -> Expr:
    """The condition of a field, which must be about the version and nothing else."""
    own = version_field(schema).id
    assert field.condition is not None
    for node in walk(field.condition):
        match node:
            case Integer() | Truth() | Not() | Name(id="_root"):
                continue
            case Binary(op=op) if op in _COMPARISONS:
                continue
            case Name(id=id) if id == own and asks_at_run_time(schema, type):
                continue
            case Attribute() if node == VERSION:
                continue
            case _:
                what = "'if' of a field may only compare the version of the file with numbers"
                raise SchemaError(field.place, what)
    return field.condition


def _scope(schema: Schema, type: Type, field: Field, version: str) -> Scope:
    term = Term(version)
    names = {"_root.version": term}
    if asks_at_run_time(schema, type):
        names[version_field(schema).id] = term
    return Scope(names, lambda member: 0, field.place)
