"""Emit generated/construct_schema.py: the schema as Construct declarations, to parse and build.

Counts and lengths are rebuilt from what they count, so a parsed container can be edited and
built again.  Every field of the schema is a field here; numbers and length-prefixed bytes stand
for themselves, as in the codec.
"""

from __future__ import annotations

from tools.ksy.errors import SchemaError
from tools.ksy.expr import EnumMember, Integer
from tools.ksy.nodes import Builtin, ByteRun, Constant, Field, Schema, Switch, Type, UserType

from .layout import enum_lookup, is_value_switch, marked_instances, switch_cases
from .shapes import (
    Number,
    Record,
    Shape,
    Text,
    body_type,
    count_fields,
    counted_by,
    is_marker,
    reachable_types,
    shape_of,
)
from .text import banner
from .versions import condition_code, default_of, is_optional, version_field

_HEAD = '''
from struct import Struct as Coder
from typing import Any

from construct import (
    Adapter,
    Array,
    Bytes,
    Const,
    Construct,
    Default,
    FormatField,
    GreedyBytes,
    If,
    LazyBound,
    OneOf,
    Prefixed,
    Rebuild,
    Struct,
    Switch,
    SwitchError,
    Tell,
    this,
)

from ..runtime.packing import pack_number
from ..runtime.views import Buffer, exact_nan
from .codec import probe
from .types import GGMLType


class ExactFloat(Adapter):  # type: ignore[misc]
    """A float whose NaN keeps its bits, which a detour through a C double would change."""

    def __init__(self, order: str, letter: str, width: int) -> None:
        super().__init__(Bytes(width))
        self.order, self.width = order, width
        self.coder = Coder(order + letter)

    def _decode(self, obj: bytes, context: Any, path: str) -> float:
        value: float = self.coder.unpack(obj)[0]
        return value if value == value else exact_nan(self.order, obj)

    def _encode(self, obj: float, context: Any, path: str) -> bytes:
        return pack_number(self.coder, self.order, self.width, path, obj)


def _number(order: str, kind: str, width: int) -> Construct:
    letter = {1: "B", 2: "H", 4: "L", 8: "Q"}[width]
    if kind == "f":
        return ExactFloat(order, {4: "f", 8: "d"}[width], width)
    return FormatField(order, letter if kind == "u" else letter.lower())


class _UnknownType(Construct):  # type: ignore[misc]
    """Refuses a value whose type is not known: nothing tells where it ends."""

    def _parse(self, stream: Any, context: Any, path: str) -> Any:
        raise SwitchError("unknown type", path=path)

    def _build(self, obj: Any, stream: Any, context: Any, path: str) -> Any:
        raise SwitchError("unknown type", path=path)


_unknown_type = _UnknownType()
'''
_TAIL = '''
def header_for(buf: Buffer) -> Construct:
    """The declaration that fits a file, by its byte order and version."""
    found = probe(buf)
    return declare(found.order, found.version)
'''


def emit_construct(schema: Schema, digest: str) -> str:
    """The text of generated/construct_schema.py."""
    emitter = _ConstructEmitter(schema)
    lines = ["def declare(order: str, version: int) -> Construct:"]
    doc = f'The header of a file: byte order "<" or ">", version {emitter.versions()}.'
    lines += [f'    """{doc}"""']
    for type in reachable_types(body_type(schema)):
        lines += [f"    {line}" for line in emitter.type(type)]
    lines += [f"    {line}" for line in emitter.root()]
    block_lines = emitter.blocks()
    head = banner("spec/", digest, "The schema as Construct declarations, to parse and to build.")
    has_optional = any(" / Default(If(" in line for line in lines)
    head += _HEAD if has_optional else _HEAD.replace("    Default,\n", "").replace("    If,\n", "")
    parts = [head, "\n".join(lines), "\n".join(block_lines), _TAIL]
    return "\n\n\n".join(part.strip("\n") for part in parts) + "\n"


class _ConstructEmitter:
    def __init__(self, schema: Schema) -> None:
        self.schema = schema

    def versions(self) -> str:
        """The supported versions in words."""
        return ", ".join(map(str, version_field(self.schema).any_of))

    def _number(self, shape: Number) -> str:
        branches = {version: (kind, width) for version, kind, width in shape.by_version}
        kind, width = branches.pop(None)
        code = f"_number(order, {kind!r}, {width})"
        for version, (kind, width) in branches.items():
            special = f"_number(order, {kind!r}, {width})"
            code = f"{special} if version == {version} else {code}"
        return code

    def _name(self, ref: UserType) -> str:
        return f"_{ref.type.id}"

    def _value(self, ref: object, field: Field) -> str:
        if isinstance(ref, ByteRun) and isinstance(ref.size, Integer):
            return f"Bytes({ref.size.value})"
        if isinstance(ref, Constant):
            return f"Const({ref.data!r})"
        if isinstance(ref, Builtin):
            return f"_number(order, {ref.kind!r}, {ref.width})"
        if isinstance(ref, UserType):
            return self._name(ref)
        raise SchemaError(field.place, "cannot be declared with Construct")

    def type(self, type: Type) -> list[str]:
        """The statements that declare one type."""
        shape: Shape = shape_of(UserType(type.id, (), type))
        match shape:
            case Number():
                return [f"_{type.id} = {self._number(shape)}"]
            case Text():
                return [f"_{type.id} = Prefixed({self._number(shape.length)}, GreedyBytes)"]
            case Record():
                return self._record(type)

    def _record(self, type: Type) -> list[str]:
        counts = count_fields(type)
        lines = [f"_{type.id}: Construct = Struct("]
        for field in type.seq:
            if is_marker(field):
                lines += [f"    {one.id!r} / Tell," for one in marked_instances(type, field)]
                continue
            code = self._field(type, field)
            if field.any_of:
                code = f"OneOf({code}, {list(field.any_of)})"
            if is_optional(field):
                condition = condition_code(self.schema, type, field, "version")
                default = default_of(self.schema, type, field)
                code = f"Default(If({condition}, {code}), {default!r})"
            if field.id in counts:
                code = f"Rebuild({code}, lambda this: len(this.{counts[field.id]}))"
            lines.append(f"    {field.id!r} / {code},")
        return [*lines, ")"]

    def _field(self, type: Type, field: Field) -> str:
        if is_value_switch(field):
            code = self._switch(type, field)
        else:
            code = self._value(field.type, field)
        if field.repeat is None:
            return code
        count = counted_by(field.repeat)
        if count is None:
            raise SchemaError(field.place, "the count must be a field")
        return f"Array(this.{count}, {code})"

    def _switch(self, type: Type, field: Field) -> str:
        cases = switch_cases(self.schema, type, field)
        assert isinstance(field.type, Switch)
        entries = []
        for test, target in field.type.cases:
            assert isinstance(test, EnumMember)
            assert isinstance(target, UserType)
            value = enum_lookup(self.schema, type, test)
            code = self._name(target)
            # A type may hold itself (arrays of arrays): name it only when it is needed.
            entries.append(f"{value}: LazyBound(lambda: {code})" if value in cases.records
                           else f"{value}: {code}")  # fmt: skip
        body = ",\n            ".join(entries)
        return (
            f"Switch(this.{cases.on}, {{\n            {body},\n        }}, default=_unknown_type)"
        )

    def root(self) -> list[str]:
        """The declaration of the root."""
        fields = [(one.id, self._value(one.type, one)) for one in self.schema.root.seq]
        return ["return Struct(", *(f"    {id!r} / {code}," for id, code in fields), ")"]

    def blocks(self) -> list[str]:
        """The function that declares a tensor type's block."""
        from .blocks import blocks_of

        lines = ["def declare_block(type: int, order: str) -> Construct:"]
        lines.append('    """One block of a tensor type.  Raises KeyError for an unknown type.')
        lines += [
            "",
            "    Half floats and the like are numbers of their width, as in the schema.",
            '    """',
        ]
        lines.append("    return {")
        for block in blocks_of(self.schema):
            lines.append(f"        GGMLType.{block.member.upper()}: lambda: Struct(")
            lines += [
                f"            {field.name!r} / {self._block_field(field)},"
                for field in block.fields
            ]
            lines.append("        ),")
        return [*lines, "    }[GGMLType(type)]()"]

    def _block_field(self, field: object) -> str:
        from .blocks import BlockField

        assert isinstance(field, BlockField)
        if field.type == "u1" and field.count > 1:
            return f"Bytes({field.count})"
        kind = field.type[0] if field.type in ("f4", "f8") or field.type[0] == "s" else "u"
        one = f"_number(order, {kind!r}, {field.width})"
        return one if field.count == 1 else f"Array({field.count}, {one})"
