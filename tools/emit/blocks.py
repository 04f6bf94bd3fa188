"""The block table: what the block types of ggml.ksy say, checked against what they state."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

from tools.ksy.errors import SchemaError
from tools.ksy.expr import EnumMember, Integer
from tools.ksy.lookup import find_enum
from tools.ksy.nodes import Builtin, ByteRun, Enum, Field, Schema, Switch, Type, UserType
from tools.ksy.resolve import fixed_nbytes

from .pyexpr import Scope, evaluate

_MEANINGS = {
    "u1": 1, "s1": 1, "u2": 2, "s2": 2, "u4": 4, "s4": 4, "u8": 8, "s8": 8,
    "f2": 2, "bf2": 2, "f4": 4, "f8": 8, "e8m0": 1, "ue4m3": 1,
}  # fmt: skip


@dataclass(frozen=True)
class BlockField:
    """A field of a block: `count` items of type `type`, `width` bytes each, at `offset`."""

    name: str
    type: str
    count: int
    offset: int
    width: int
    doc: str


@dataclass(frozen=True)
class Block:
    """A tensor type's block."""

    id: int
    member: str
    num_elements: int
    nbytes: int
    fields: tuple[BlockField, ...]
    decodable: bool
    note: str
    doc: str

    @property
    def swap(self) -> tuple[tuple[int, int], ...]:
        """(item width, number of items) in order, neighbours of one width merged."""
        runs = groupby(self.fields, key=lambda field: field.width)
        return tuple((width, sum(one.count for one in run)) for width, run in runs)


def tensor_data_type(schema: Schema) -> tuple[Type, Enum]:
    """The imported type that reads a tensor's blocks, and the enum of tensor types."""
    for root in schema.imports.values():
        for type in root.walk():
            for param in type.params:
                if param.enum is not None:
                    path = tuple(param.enum.split("::"))
                    return type, find_enum(path, type, schema, param.place)
    raise SchemaError(schema.root.place, "no imported type takes a tensor type as parameter")


def blocks_of(schema: Schema) -> list[Block]:
    """All blocks by type id.  Raises SchemaError where a block contradicts itself."""
    owner, enum = tensor_data_type(schema)
    field = owner.seq[0]
    if not isinstance(field.type, Switch):
        raise SchemaError(field.place, "tensor data must be a switch on the tensor type")
    ids = {item.id: item.value for item in enum.items}
    found = []
    for test, target in field.type.cases:
        if not isinstance(test, EnumMember) or not isinstance(target, UserType):
            raise SchemaError(field.place, "each case must be an enum member and a block type")
        found.append(_block(ids[test.member], test.member, target.type))
    _check_elements(owner, schema, found)
    removed = {item.value for item in enum.items if "-removed" in item.extras}
    missing = set(ids.values()) - removed - {block.id for block in found}
    if missing:
        raise SchemaError(enum.place, f"types without a block: {sorted(missing)}")
    return sorted(found, key=lambda block: block.id)


def _block(id: int, member: str, type: Type) -> Block:
    if type.extras.get("-ggml-type") != member:
        raise SchemaError(type.place, f"'-ggml-type' must be {member!r}, like the case")
    fields, offset = [], 0
    for field in type.seq:
        fields.append(_field(field, offset))
        offset += fields[-1].count * fields[-1].width
    stated, elements = type.extras.get("-bytes"), type.extras.get("-elements")
    if stated != offset or fixed_nbytes(type) != offset:
        raise SchemaError(type.place, f"'-bytes' is {stated}, but the fields take {offset}")
    if not isinstance(elements, int) or elements < 1:
        raise SchemaError(type.place, "'-elements' must be a number above zero")
    decodable = type.extras.get("-big-endian-decodable", True) is True
    note = str(type.extras.get("-big-endian-note", ""))
    return Block(id, member, elements, offset, tuple(fields), decodable, note, type.doc)


def _field(field: Field, offset: int) -> BlockField:
    count = 1
    if field.repeat is not None:
        if not isinstance(field.repeat, Integer):
            raise SchemaError(field.place, "a block field needs a constant count")
        count = field.repeat.value
    if isinstance(field.type, Builtin):
        name, width = field.type.name, field.type.width
    elif isinstance(field.type, ByteRun) and isinstance(field.type.size, Integer):
        name, width, count = "u1", 1, field.type.size.value
    else:
        raise SchemaError(field.place, "a block field is a number or bytes")
    meaning = str(field.extras.get("-type", name))
    if _MEANINGS.get(meaning) != width:
        raise SchemaError(field.place, f"'-type: {meaning}' is not {width} bytes wide")
    return BlockField(field.id, meaning, count, offset, width, field.doc)


def _check_elements(owner: Type, schema: Schema, blocks: list[Block]) -> None:
    instance = owner.instance("num_elements_per_block")
    param = next(param.id for param in owner.params if param.enum is not None)
    if instance is None or instance.value is None:
        raise SchemaError(owner.place, "instance 'num_elements_per_block' is missing")

    def value_of(member: EnumMember) -> int:
        enum = find_enum(member.enum, owner, schema, instance.place)
        return next(item.value for item in enum.items if item.id == member.member)

    scope = Scope({}, value_of, instance.place)
    for block in blocks:
        stated = evaluate(instance.value, {param: block.id}, scope)
        if stated != block.num_elements:
            message = f"{block.member}: {stated} elements here, {block.num_elements} in its block"
            raise SchemaError(instance.place, message)
