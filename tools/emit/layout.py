"""What the codec, trace and Construct emitters ask of a type: runs, minimum sizes, switches."""

from __future__ import annotations

from dataclasses import dataclass, field

from tools.ksy.errors import SchemaError
from tools.ksy.expr import EnumMember, Name, walk
from tools.ksy.lookup import find_enum
from tools.ksy.nodes import (
    Builtin,
    ByteRun,
    Constant,
    Field,
    Instance,
    Schema,
    Switch,
    Type,
    UserType,
)

from .shapes import VERSION, Number, Record, Text, is_marker, shape_of
from .versions import settle

FORMATS = {
    ("u", 1): "B", ("u", 2): "H", ("u", 4): "I", ("u", 8): "Q",
    ("s", 1): "b", ("s", 2): "h", ("s", 4): "i", ("s", 8): "q",
    ("f", 4): "f", ("f", 8): "d",
}  # fmt: skip
"""struct's letters for the numbers of a schema."""


@dataclass
class SwitchCases:
    """The cases of a switch by what they lead to; keys are enum members with their numbers."""

    on: str
    numbers: dict[int, tuple[EnumMember, Number]] = field(default_factory=dict)
    texts: dict[int, tuple[EnumMember, Type]] = field(default_factory=dict)
    records: dict[int, tuple[EnumMember, Type]] = field(default_factory=dict)


def enum_lookup(schema: Schema, type: Type, member: EnumMember) -> int:
    """The number of an enum member named inside `type`."""
    enum = find_enum(member.enum, type, schema, type.place)
    for item in enum.items:
        if item.id == member.member:
            return item.value
    raise SchemaError(type.place, f"enum {enum.id!r} has no member {member.member!r}")


def is_value_switch(field: Field) -> bool:
    """A switch on another field (not on the version of the file)."""
    return isinstance(field.type, Switch) and field.type.on != VERSION


def is_switched_on(type: Type, field: Field) -> bool:
    """Whether a switch of the type refuses every value of this field that it has no case for."""
    return any(isinstance(one.type, Switch) and one.type.on == Name(field.id) for one in type.seq)


def switch_cases(schema: Schema, type: Type, field: Field) -> SwitchCases:
    """The cases of a value switch, sorted by shape."""
    switch = field.type
    assert isinstance(switch, Switch)
    if not isinstance(switch.on, Name):
        raise SchemaError(field.place, "a switch must be on the version or on a field beside it")
    cases = SwitchCases(switch.on.id)
    for test, target in switch.cases:
        if not isinstance(test, EnumMember) or not isinstance(target, UserType):
            raise SchemaError(field.place, "each case must be an enum member and a type")
        if target.args:
            raise SchemaError(field.place, "a case's type cannot take arguments")
        value = enum_lookup(schema, type, test)
        match shape_of(target):
            case Number(is_versioned=True):
                what = "a case's number cannot depend on the version"
                raise SchemaError(field.place, what)
            case Number() as number:
                cases.numbers[value] = (test, number)
            case Text():
                cases.texts[value] = (test, target.type)
            case Record():
                cases.records[value] = (test, target.type)
    return cases


def is_record_list(field: Field) -> bool:
    """Whether a field is a list of records (or texts) that are all of one type."""
    if field.repeat is None or not isinstance(field.type, UserType):
        return False
    return not isinstance(shape_of(field.type, field), Number)


def has_lists(type: Type) -> bool:
    """Whether a record holds lists of records."""
    return any(map(is_record_list, type.seq))


def number_of(field: Field) -> Number | None:
    """The field's shape where it is one number: not repeated, not conditional, not switched."""
    if field.repeat is not None or field.condition is not None or is_value_switch(field):
        return None
    if isinstance(field.type, (ByteRun, Constant)):
        return None
    shape = shape_of(field.type, field)
    return shape if isinstance(shape, Number) else None


def marked_instances(type: Type, marker: Field) -> list[Instance]:
    """The instances that the condition of a field of no bytes names: they are fixed there."""
    assert marker.condition is not None
    names = {node.id for node in walk(marker.condition) if isinstance(node, Name)}
    return [one for one in type.instances if one.id in names and one.value is not None]


def min_nbytes(schema: Schema, type: Type, version: int, seen: frozenset[str] = frozenset()) -> int:
    """The fewest bytes that a value of the type takes in a file of that version."""
    if type.id in seen:
        return 0
    seen |= {type.id}
    return sum(
        _min_field(schema, one, version, seen)
        for one in settle(schema, type, version)
        if one.repeat is None and one.condition is None and not is_marker(one)
    )


def _min_field(schema: Schema, one: Field, version: int, seen: frozenset[str]) -> int:
    ref = one.type
    if is_value_switch(one):
        assert isinstance(ref, Switch)
        targets = [target.type for _, target in ref.cases if isinstance(target, UserType)]
        return min(min_nbytes(schema, target, version, seen) for target in targets)
    if isinstance(ref, ByteRun):
        return 0
    if isinstance(ref, Constant):
        return len(ref.data)
    if isinstance(ref, Builtin):
        return ref.width
    shape = shape_of(ref, one)
    if isinstance(shape, Number):
        return shape.of(version)[1]
    assert isinstance(ref, UserType)
    return min_nbytes(schema, ref.type, version, seen)
