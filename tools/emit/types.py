"""Emit generated/types.py: enums, limits, records and the block table."""

from __future__ import annotations

import textwrap

from tools.ksy.errors import SchemaError
from tools.ksy.expr import Integer
from tools.ksy.nodes import Enum, Field, Instance, Schema, Type, UserType

from .blocks import Block, blocks_of, tensor_data_type
from .layout import is_value_switch, switch_cases
from .shapes import (
    Number,
    Record,
    Shape,
    Text,
    body_type,
    is_marker,
    magic,
    reachable_types,
    shape_of,
)
from .text import banner, camel, constant, docstring, join_blocks
from .versions import condition_code, default_of, is_optional, supported_versions, version_field

_IMPORTS = """
from enum import IntEnum
from typing import Any, NamedTuple
"""
_BLOCK_CLASSES = '''
class BlockField(NamedTuple):
    """A field of a block: `count` items of `width` bytes each, `offset` bytes into the block.

    `type` is u1 s1 u2 s2 u4 s4 u8 s8 (integers), f2 f4 f8 (IEEE floats), bf2 (bfloat16),
    e8m0 (power of two) or ue4m3 (unsigned 8-bit float).
    """

    name: str
    type: str
    count: int  # type: ignore[assignment]
    offset: int
    width: int
    doc: str


class BlockLayout(NamedTuple):
    """How a tensor type stores `num_elements` elements in `nbytes` bytes.

    `swap` lists (item width, number of items) in order, as a conversion of the byte order
    needs it.  `big_endian_decodable` is False where ggml itself cannot decode the big-endian
    form; `big_endian_note` says why.
    """

    type: GGMLType
    name: str
    num_elements: int
    nbytes: int
    fields: tuple[BlockField, ...]
    swap: tuple[tuple[int, int], ...]
    big_endian_decodable: bool
    big_endian_note: str
    doc: str
'''


def emit_types(schema: Schema, digest: str) -> str:
    """The text of generated/types.py."""
    body = body_type(schema)
    _, ggml_enum = tensor_data_type(schema)
    blocks = [banner("spec/", digest, "Enums, limits, records and blocks of GGUF.") + _IMPORTS]
    blocks[0] += "\n" + _constants(schema)
    for type in body.walk():
        blocks += [_enum(enum) for enum in type.enums.values()]
    blocks += [_numbers(schema)]
    blocks.append(_enum(ggml_enum, "GGMLType"))
    blocks.append(_limits(schema))
    blocks += [_record(schema, type) for type in record_types(schema)]
    blocks.append(_optional(schema))
    blocks.append(_BLOCK_CLASSES)
    blocks.append(_block_table(blocks_of(schema)))
    blocks.append(_removed(ggml_enum))
    return join_blocks(blocks)


def _constants(schema: Schema) -> str:
    lines = [f"MAGIC = {magic(schema)!r}"]
    lines.append(f"VERSIONS = {supported_versions(schema)!r}")
    lines += _facts(schema)
    for type in body_type(schema).walk():
        for instance in type.instances:
            if isinstance(instance.value, Integer):
                lines.append(f"{constant(instance.id)} = {instance.value.value}")
                lines.append(docstring(instance.doc))
    return "\n".join(lines)


_ORDERS = {"le": ("little", "<"), "be": ("big", ">")}


def _facts(schema: Schema) -> list[str]:
    """The named facts, and the names of the byte orders."""
    lines = []
    for fact in schema.facts:
        value = fact.value
        if isinstance(value, int) and value not in supported_versions(schema):
            raise SchemaError(fact.place, f"{value} is not a supported version")
        if isinstance(value, str):
            _, value = _ORDERS[value]
        lines += [f"{constant(fact.id)} = {value!r}", docstring(_sentence(fact.doc))]
    signs, names = dict(_ORDERS.values()), {sign: name for name, sign in _ORDERS.values()}
    lines += [f"BYTE_ORDERS = {signs!r}", docstring("How struct writes each byte order.")]
    lines += [f"ORDER_NAMES = {names!r}", docstring("The name of each byte order of struct.")]
    return lines


def _sentence(doc: str) -> str:
    return f"{doc[:1].upper()}{doc[1:].removesuffix('.')}."


def _enum(enum: Enum, name: str | None = None) -> str:
    originals = {item.id: item.extras.get("-orig-id", "") for item in enum.items}
    lines = [f"class {name or camel(enum.id)}(IntEnum):"]
    prefix = str(next(iter(originals.values()))).rsplit("_", 1)[0]
    lines.append(docstring(f"Ids of `{enum.id}` in the schema ({prefix}_* in C).", "    "))
    lines.append("")
    lines += [f"    {constant(item.id)} = {item.value}" for item in enum.items]
    text = "\n".join(lines)
    since = {item.value: item.extras["-since"] for item in enum.items if "-since" in item.extras}
    if since:
        doc = "The version that brought a member; the others have always been there."
        text += f"\n\n\n{constant(enum.id)}_SINCE: dict[int, int] = {since!r}\n{docstring(doc)}"
    return text


def _limits(schema: Schema) -> str:
    lines = ["class Limits(NamedTuple):"]
    doc = "Safety limits of the reader; a file above one is refused with LimitExceededError."
    lines += [docstring(doc, "    "), ""]
    for limit in schema.limits:
        lines.append(f"    {limit.id}: int = {limit.value}")
        lines.append(docstring(_sentence(limit.doc), "    "))
    return "\n".join(lines) + "\n\n\nLIMITS = Limits()"


def record_types(schema: Schema) -> list[Type]:
    """The types that become named tuples, innermost first."""
    body = body_type(schema)
    return [type for type in reachable_types(body) if _shape(type) == Record(type.id)]


def _shape(type: Type) -> Shape:
    return shape_of(UserType(type.id, (), type))


def record_instances(type: Type) -> list[Instance]:
    """The value instances of a record that the codec computes: all but constants and those
    that hang on instances of types that are read as bare numbers."""
    bare = _bare_instances(type)
    return [
        one
        for one in type.instances
        if one.value is not None and not isinstance(one.value, Integer) and one.id not in bare
    ]


def _bare_instances(type: Type) -> set[str]:
    from tools.ksy.expr import Attribute, Index, Name, walk

    numeric = {
        field.id
        for field in type.seq
        if isinstance(field.type, UserType)
        and isinstance(_shape(field.type.type), Number)
        and field.type.type.instances
    }
    found = set()
    for instance in type.instances:
        for node in walk(instance.value) if instance.value is not None else []:
            if isinstance(node, Attribute) and isinstance(node.of, (Index, Name)):
                base = node.of.of if isinstance(node.of, Index) else node.of
                if isinstance(base, Name) and base.id in numeric and node.id != "value":
                    found.add(instance.id)
    return found


_PLACES = '''
    offsets: tuple[int, ...] = ()
    """Absolute offset of each field in order, and of the first byte behind the last one."""

    @property
    def start(self) -> int:
        """Absolute offset of the first byte."""
        return self.offsets[0]

    @property
    def end(self) -> int:
        """Absolute offset of the first byte behind it."""
        return self.offsets[-1]

    def at(self, field: str) -> int:
        """Absolute offset of the field with this name; of the next one where it is absent."""
        return self.offsets[{table}.index(field)]

    def span(self, field: str) -> tuple[int, int]:
        """Absolute offsets of the field's first byte and of the first byte behind it."""
        index = {table}.index(field)
        return self.offsets[index], self.offsets[index + 1]
'''
_TAKEN = frozenset(("offsets", "start", "end", "at", "span", "count", "index"))


def record_fields(type: Type) -> list[Field]:
    """The fields of a record as its class lists them: those that may be left out come last."""
    fields = [field for field in type.seq if not is_marker(field)]
    return sorted(fields, key=is_optional)


def _record(schema: Schema, type: Type) -> str:
    table = f"_{constant(type.id)}_FIELDS"
    in_file = tuple(field.id for field in type.seq if not is_marker(field))
    lines = [f"{table} = {in_file!r}", "", ""]
    lines += [f"class {camel(type.id)}(NamedTuple):", docstring(type.doc, "    "), ""]
    for field in record_fields(type):
        default, doc = "", field.doc
        if is_optional(field):
            value = default_of(schema, type, field)
            default = f" = {value!r}"
            code = condition_code(schema, type, field, version_field(schema).id)
            doc = f"{_sentence(doc)} Only in files where {code}; {value!r} in others."
        lines += [f"    {field.id}: {_annotation(field)}{default}", docstring(doc, "    ")]
    for instance in record_instances(type):
        kind = "bool" if instance.id.startswith("is_") else "int"
        default = "False" if kind == "bool" else "0"
        lines.append(f"    {instance.id}: {kind} = {default}")
        lines.append(docstring(instance.doc, "    "))
    nodes: list[Field | Instance] = [*type.seq, *type.instances]
    for node in nodes:
        if node.id in _TAKEN:
            raise SchemaError(node.place, f"{node.id!r} means something else in every record")
    return "\n".join(lines) + _PLACES.format(table=table)


def _optional(schema: Schema) -> str:
    """The fields that only some versions have."""
    lines = ["OPTIONAL_FIELDS: dict[str, dict[str, int | bytes]] = {"]
    for type in record_types(schema):
        found = {one.id: default_of(schema, type, one) for one in type.seq if is_optional(one)}
        if found:
            lines.append(f"    {type.id!r}: {found!r},")
    doc = "Fields that files of some versions lack, and their values there, by type."
    return "\n".join([*lines, "}", docstring(doc)])


def _numbers(schema: Schema) -> str:
    """The value types that are numbers."""
    for type in body_type(schema).walk():
        for field in type.seq:
            if is_value_switch(field):
                lines = ["NUMBERS: dict[int, tuple[str, int]] = {"]
                for value, (_, shape) in switch_cases(schema, type, field).numbers.items():
                    _, kind, width = shape.by_version[0]
                    lines.append(f"    {value}: ({kind!r}, {width}),")
                doc = "The value types that are numbers: kind (u, s, f) and width in bytes."
                return "\n".join([*lines, "}", docstring(doc)])
    raise SchemaError(schema.root.place, "no field is of a type that another field chooses")


def _annotation(field: Field) -> str:
    if is_value_switch(field):
        return "Any"
    shape = shape_of(field.type, field)
    if isinstance(shape, Text):
        one = "bytes"
    elif isinstance(shape, Number):
        one = "int"
    else:
        one = camel(shape.type_id)
    if field.repeat is None:
        return one
    return f"tuple[{one}, ...]" if one == "int" else f"list[{one}]"


def _block_table(blocks: list[Block]) -> str:
    lines = ["BLOCKS: dict[int, BlockLayout] = {"]
    for block in blocks:
        lines += [f"    {block.id}: BlockLayout(", f"        GGMLType.{constant(block.member)},"]
        lines.append(f"        {constant(block.member)!r},")
        lines += [f"        {block.num_elements},", f"        {block.nbytes},", "        ("]
        for field in block.fields:
            head = (field.name, field.type, field.count, field.offset, field.width)
            lines.append(f"            BlockField({', '.join(map(repr, head))},")
            lines += [f"                       {part}" for part in _literal(field.doc)]
            lines[-1] += "),"
        lines += ["        ),", f"        {block.swap!r},", f"        {block.decodable},"]
        for text in (block.note, block.doc):
            lines += [f"        {part}" for part in _literal(text)]
            lines[-1] += ","
        lines.append("    ),")
    return "\n".join([*lines, "}"])


def _removed(enum: Enum) -> str:
    lines = ["REMOVED_TYPES: dict[int, str] = {"]
    for item in enum.items:
        if "-removed" in item.extras:
            lines.append(f"    {item.value}:")
            lines += [f"        {part}" for part in _literal(str(item.extras["-removed"]))]
            lines[-1] += ","
    lines.append("}")
    doc = "Ids that once were (or were reserved as) tensor types, and what became of them."
    lines.append(docstring(doc))
    return "\n".join(lines)


def _literal(text: str) -> list[str]:
    """A string literal, folded over lines by implicit joining."""
    words = " ".join(text.split())
    parts = textwrap.wrap(words, 70, drop_whitespace=False) or [""]
    return [repr(part) for part in parts]
