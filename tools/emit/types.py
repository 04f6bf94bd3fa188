"""Emit generated/types.py: enums, limits, records and the block table."""

from __future__ import annotations

import textwrap

from tools.ksy.expr import Integer
from tools.ksy.nodes import Enum, Field, Instance, Schema, Switch, Type, UserType

from .blocks import Block, blocks_of, tensor_data_type
from .shapes import (
    Number,
    Record,
    Shape,
    Text,
    body_type,
    is_marker,
    magic,
    shape_of,
    version_names,
)
from .text import banner, camel, constant, docstring, join_blocks

__all__ = ["emit_types", "reachable_types", "record_instances", "record_types"]

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
    blocks.append(_enum(ggml_enum, "GGMLType"))
    blocks.append(_limits(schema))
    blocks += [_record(type) for type in record_types(schema)]
    blocks.append(_BLOCK_CLASSES)
    blocks.append(_block_table(blocks_of(schema)))
    blocks.append(_removed(ggml_enum))
    return join_blocks(blocks)


def _constants(schema: Schema) -> str:
    lines = [f"MAGIC = {magic(schema)!r}"]
    lines.append(f"VERSIONS = {tuple(version_names(schema))!r}")
    for type in body_type(schema).walk():
        for instance in type.instances:
            if isinstance(instance.value, Integer):
                lines.append(f"{constant(instance.id)} = {instance.value.value}")
                lines.append(docstring(instance.doc))
    return "\n".join(lines)


def _enum(enum: Enum, name: str | None = None) -> str:
    originals = {item.id: item.extras.get("-orig-id", "") for item in enum.items}
    lines = [f"class {name or camel(enum.id)}(IntEnum):"]
    prefix = str(next(iter(originals.values()))).rsplit("_", 1)[0]
    lines.append(docstring(f"Ids of `{enum.id}` in the schema ({prefix}_* in C).", "    "))
    lines.append("")
    lines += [f"    {constant(item.id)} = {item.value}" for item in enum.items]
    return "\n".join(lines)


def _limits(schema: Schema) -> str:
    lines = ["class Limits(NamedTuple):"]
    doc = "Safety limits of the reader; a file above one is refused with LimitExceededError."
    lines += [docstring(doc, "    "), ""]
    for limit in schema.limits:
        lines.append(f"    {limit.id}: int = {limit.value}")
        lines.append(docstring(limit.doc[:1].upper() + limit.doc[1:] + ".", "    "))
    return "\n".join(lines) + "\n\n\nLIMITS = Limits()"


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


_AT = (
    "    def at(self, field: str) -> int:",
    docstring("Absolute offset of the field with this name.", "        "),
    "        return self.offsets[self._fields.index(field)]",
)


def _record(type: Type) -> str:
    lines = [f"class {camel(type.id)}(NamedTuple):", docstring(type.doc, "    "), ""]
    for field in type.seq:
        if not is_marker(field):
            lines.append(f"    {field.id}: {_annotation(field)}")
            lines.append(docstring(field.doc, "    "))
    for instance in record_instances(type):
        kind = "bool" if instance.id.startswith("is_") else "int"
        default = "False" if kind == "bool" else "0"
        lines.append(f"    {instance.id}: {kind} = {default}")
        lines.append(docstring(instance.doc, "    "))
    lines.append("    offsets: tuple[int, ...] = ()")
    doc = "Absolute offset of each field in order, and of the first byte behind the last one."
    lines += [docstring(doc, "    "), "", *_AT]
    return "\n".join(lines)


def _annotation(field: Field) -> str:
    if isinstance(field.type, Switch) and not _has_shape(field):
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


def _has_shape(field: Field) -> bool:
    from .shapes import VERSION

    return not isinstance(field.type, Switch) or field.type.on == VERSION


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
