"""Emit generated/trace.py: the walk of the codec again, field by field, yielding spans.

One function per type serves both byte orders and all versions; the tracer holds what differs.
Each is a generator that returns (value, position behind it).
"""

from __future__ import annotations

from tools.ksy.errors import SchemaError
from tools.ksy.nodes import Constant, Enum, Field, Instance, Schema, Type, UserType

from .layout import (
    SwitchCases,
    is_switched_on,
    is_value_switch,
    min_nbytes,
    number_of,
    switch_cases,
)
from .shapes import (
    Number,
    Record,
    Shape,
    Text,
    body_type,
    counted_by,
    is_marker,
    reachable_types,
    shape_of,
)
from .text import banner, docstring, join_blocks
from .versions import condition_code, default_of, is_optional, supported_versions

_HEAD = """
from collections.abc import Generator
from typing import Any

from ..runtime.tracing import Span, Tracer
from ..runtime.views import Buffer, number_name
from .codec import probe
from .types import LIMITS, Limits

Walk = Generator[Span, None, tuple[Any, int]]
"""
_ENTRY = '''
def trace(
    buf: Buffer, limits: Limits = LIMITS, fold: int | None = None
) -> Generator[Span, None, None]:
    """The spans of the header in file order, up to the first field that cannot be read.

    Raises ParseError there.  `fold` keeps long arrays short: that many elements get spans of
    their own, one span covers the rest; None unfolds everything.
    """
    t = Tracer(buf, "<", 0, limits, fold)
    pos = 0
{statements}
'''


def emit_trace(schema: Schema, digest: str) -> str:
    """The text of generated/trace.py."""
    emitter = _TraceEmitter(schema)
    blocks = []
    for type in reachable_types(body_type(schema)):
        match shape_of(UserType(type.id, (), type)):
            case Text() as shape:
                blocks.append(emitter.text(type, shape))
            case Record():
                blocks.append(emitter.record(type))
            case Number():
                continue
    blocks.append(_ENTRY.format(statements=emitter.root()))
    head = banner("spec/gguf.ksy", digest, "The byte map: every field of a header as a span.")
    head += _HEAD + "\n" + emitter.tables() + _docs(schema)
    return join_blocks([head, *blocks])


def _docs(schema: Schema) -> str:
    lines = ["DOCS: dict[str, str] = {"]
    for type in schema.root.walk():
        nodes: list[Field | Instance] = [*type.seq, *type.instances]
        lines += [
            f"    {f'{type.id}.{node.id}'!r}: {' '.join(node.doc.split())!r}," for node in nodes
        ]
    lines.append("}")
    lines.append('"""What the schema says about each field: type.field to text."""')
    return "\n".join(lines) + "\n"


class _TraceEmitter:
    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.widths: dict[str, str] = {}
        self.enums: dict[str, str] = {}
        self.numbers: dict[str, str] = {}

    def tables(self) -> str:
        """The module-level tables that the functions use."""
        lines = [f"{name} = {text}" for name, text in sorted(self.widths.items())]
        for name, text in sorted({**self.enums, **self.numbers}.items()):
            kind = "str" if name in self.enums else "tuple[str, str, int]"
            lines.append(f"{name}: dict[int, {kind}] = {{\n{text}\n}}")
        return "\n".join(lines) + "\n"

    # -- numbers -----------------------------------------------------------------------------

    def _pick(self, shape: Number) -> str:
        """Code that gives (kind, width)."""
        if not shape.is_versioned:
            _, kind, width = shape.by_version[0]
            return repr((kind, width))
        rows = ", ".join(f"{v}: ({k!r}, {w})" for v, k, w in shape.by_version)
        text = f"{{{rows}}}"
        known = [name for name, one in self.widths.items() if one == text]
        name = known[0] if known else f"_WIDTHS_{len(self.widths) + 1}"
        self.widths[name] = text
        return f"t.pick({name})"

    def _enum(self, enum: Enum) -> str:
        name = f"_{enum.id.upper()}"
        self.enums[name] = "\n".join(f"    {item.value}: {item.id!r}," for item in enum.items)
        return name

    def _number(self, type: Type, field: Field, shape: Shape) -> list[str]:
        assert isinstance(shape, Number)
        path, where = f'f"{{path}}{field.id}"', f"{type.id}.{field.id}"
        lines = [
            f"kind, width = {self._pick(shape)}",
            f"{field.id} = t.number(pos, kind, width, {path})",
        ]
        shown, name = field.id, "number_name(kind, width)"
        if field.enum_target is not None:
            table = self._enum(field.enum_target)
            shown, name = f"{table}.get({field.id}, {field.id})", repr(field.enum_target.id)
        lines.append(f"at_{field.id} = pos")
        lines.append(f"yield Span(pos, pos + width, {path}, {name}, {shown}, {where!r})")
        lines.append("pos += width")
        if limit := field.extras.get("-limit"):
            lines.append(f"t.limit({limit!r}, {field.id}, {path}, at_{field.id})")
        if field.any_of and not is_switched_on(type, field):
            expected = " or ".join(map(str, field.any_of))
            lines += [
                f"if {field.id} not in {field.any_of!r}:",
                f"    raise t.wrong({field.id}, {expected!r}, {path}, at_{field.id})",
            ]
        return lines

    # -- types -------------------------------------------------------------------------------

    def text(self, type: Type, shape: Text) -> str:
        """trace_<type> of length-prefixed bytes."""
        length, data = type.seq
        lines = [f"def trace_{type.id}(t: Tracer, pos: int, path: str) -> Walk:"]
        lines.append(docstring(type.doc, "    "))
        body = self._number(type, length, shape.length)
        body += [
            f'{data.id} = t.take(pos, {length.id}, f"{{path}}{length.id}", at_{length.id})',
            f"stop = pos + {length.id}",
            f'yield Span(pos, stop, f"{{path}}{data.id}", {type.id!r}, {data.id}, '
            f"{f'{type.id}.{data.id}'!r})",
            f"return {data.id}, stop",
        ]
        return "\n".join([*lines, *(f"    {line}" for line in body)])

    def record(self, type: Type) -> str:
        """trace_<type> of a record."""
        depth = type.extras.get("-limit-depth")
        extra = ", depth: int = 1" if depth else ""
        lines = [f"def trace_{type.id}(t: Tracer, pos: int, path: str{extra}) -> Walk:"]
        lines.append(docstring(type.doc, "    "))
        body: list[str] = []
        if depth:
            body.append(f"t.limit({depth!r}, depth, path[:-1], pos)")
        for field in type.seq:
            if is_marker(field):
                continue
            shape = number_of(field)
            if is_optional(field):
                body += self._optional(type, field)
            elif shape is not None:
                body += self._number(type, field, shape)
            elif field.repeat is not None:
                body += self._repeated(type, field)
            elif is_value_switch(field):
                body += self._switch(type, field)
            else:
                body += self._user(field)
            if field.id == type.extras.get("-label"):
                body.append(f"t.name(path[:-1], {field.id})")
        body.append("return None, pos")
        return "\n".join([*lines, *(f"    {line}" for line in body)])

    def _optional(self, type: Type, field: Field) -> list[str]:
        """A field that only some versions have."""
        default = default_of(self.schema, type, field)
        shape = shape_of(field.type, field)
        is_number = isinstance(shape, Number)
        lines = self._number(type, field, shape) if is_number else self._user(field)
        code = condition_code(self.schema, type, field, "t.version")
        return [f"{field.id} = {default!r}", f"if {code}:", *(f"    {line}" for line in lines)]

    def _user(self, field: Field) -> list[str]:
        if not isinstance(field.type, UserType):
            raise SchemaError(field.place, "cannot trace this field")
        call = f'trace_{field.type.type.id}(t, pos, f"{{path}}{field.id}.")'
        return [f"{field.id}, pos = yield from {call}"]

    def _case_table(self, cases: SwitchCases) -> str:
        name = f"_{cases.on.upper()}_NUMBERS"
        rows = []
        for value, (member, shape) in cases.numbers.items():
            _, kind, width = shape.by_version[0]
            rows.append(f"    {value}: ({member.member!r}, {kind!r}, {width}),")
        self.numbers[name] = "\n".join(rows)
        return name

    def _known(self, cases: SwitchCases) -> str:
        members = {**cases.numbers, **cases.texts, **cases.records}
        return f"a known type ({min(members)} to {max(members)})"

    def _switch(self, type: Type, field: Field) -> list[str]:
        cases = switch_cases(self.schema, type, field)
        path, where = f'f"{{path}}{field.id}"', f"{type.id}.{field.id}"
        lines = [
            f"number = {self._case_table(cases)}.get({cases.on})",
            "if number is not None:",
            "    name, kind, width = number",
            f"    value = t.number(pos, kind, width, {path})",
            f"    yield Span(pos, pos + width, {path}, name, value, {where!r})",
            "    pos += width",
        ]
        for value, (_, target) in {**cases.texts, **cases.records}.items():
            lines.append(f"elif {cases.on} == {value}:")
            lines.append(f'    _, pos = yield from trace_{target.id}(t, pos, {path[:-1]}.")')
        at = f"at_{cases.on}"
        lines += ["else:", f"    raise t.wrong({cases.on}, {self._known(cases)!r}, "
                  f'f"{{path}}{cases.on}", {at})']  # fmt: skip
        return lines

    def _repeated(self, type: Type, field: Field) -> list[str]:
        assert field.repeat is not None
        count = counted_by(field.repeat)
        if count is None:
            raise SchemaError(field.place, "the count must be a field")
        if is_value_switch(field):
            return self._lazy(type, field, count)
        shape = shape_of(field.type, field)
        path, where = f'f"{{path}}{field.id}[{{index}}]"', f"{type.id}.{field.id}"
        blame = f'f"{{path}}{count}", at_{count}'
        if isinstance(shape, Number):
            return [
                f"kind, width = {self._pick(shape)}",
                f"t.room(pos, {count}, width, {blame})",
                f"for index in range({count}):",
                f"    value = t.number(pos, kind, width, {path})",
                "    name = number_name(kind, width)",
                f"    yield Span(pos, pos + width, {path}, name, value, {where!r})",
                "    pos += width",
            ]
        assert isinstance(field.type, UserType)
        target = field.type.type
        return [
            f"t.room(pos, {count}, {self._least(target)}, {blame})",
            f"for index in range({count}):",
            f'    _, pos = yield from trace_{target.id}(t, pos, {path[:-1]}.")',
        ]

    def _least(self, target: Type) -> str:
        versions: dict[int, list[int]] = {}
        for version in supported_versions(self.schema):
            size = min_nbytes(self.schema, target, version)
            versions.setdefault(size, []).append(version)
        usual = max(versions, key=lambda size: len(versions[size]))
        code = str(usual)
        for size, those in versions.items():
            if size != usual:
                test = f"== {those[0]}" if len(those) == 1 else f"in {tuple(those)!r}"
                code = f"({size} if t.version {test} else {code})"
        return code

    def _lazy(self, type: Type, field: Field, count: str) -> list[str]:
        cases = switch_cases(self.schema, type, field)
        base, where = f'f"{{path}}{field.id}', f"{type.id}.{field.id}"
        blame = f'f"{{path}}{count}", at_{count}'
        lines = [
            f"shown = t.unfolded({count})",
            f"number = {self._case_table(cases)}.get({cases.on})",
            "if number is not None:",
            "    name, kind, width = number",
            f"    t.room(pos, {count}, width, {blame})",
            "    for index in range(shown):",
            f'        value = t.number(pos, kind, width, {base}[{{index}}]")',
            f'        yield Span(pos, pos + width, {base}[{{index}}]", name, value, {where!r})',
            "        pos += width",
            f"    if shown < {count}:",
            f"        stop = pos + ({count} - shown) * width",
            f'        yield Span(pos, stop, {base}[{{shown}}:{{{count}}}]", name, '
            f'f"{{{count} - shown}} more", {where!r})',
            "        pos = stop",
        ]
        for value, (member, target) in cases.texts.items():
            shape = shape_of(UserType(target.id, (), target))
            assert isinstance(shape, Text)
            walk = f'_, pos = yield from trace_{target.id}(t, pos, {base}[{{index}}].")'
            rest = f'{base}[{{shown}}:{{shown + num}}]", {member.member!r}'
            lines += [
                f"elif {cases.on} == {value}:",
                f"    kind, width = {self._pick(shape.length)}",
                f"    t.room(pos, {count}, width, {blame})",
                "    for index in range(shown):",
                f"        {walk}",
                f"    if shown < {count}:",
                f"        num, end = t.skip_texts(pos, {count} - shown, kind, width)",
                "        if num > 1:",
                f'            yield Span(pos, end, {rest}, f"{{num}} more", {where!r})',
                "            shown, pos = shown + num, end",
                f"    for index in range(shown, {count}):",
                f"        {walk}",
            ]
        for value, (_, target) in cases.records.items():
            deeper = ", depth + 1" if "-limit-depth" in target.extras else ""
            inner = f'{base}[{{index}}]."{deeper}'
            lines += [
                f"elif {cases.on} == {value}:",
                f"    t.room(pos, {count}, {self._least(target)}, {blame})",
                f"    for index in range({count}):",
                f"        _, pos = yield from trace_{target.id}(t, pos, {inner})",
            ]
        lines += ["else:", f"    raise t.wrong({cases.on}, {self._known(cases)!r}, "
                  f'f"{{path}}{cases.on}", at_{cases.on})']  # fmt: skip
        return lines

    def root(self) -> str:
        """The statements of `trace`: constants, then the body in the order that they tell."""
        lines = []
        for field in self.schema.root.seq:
            if isinstance(field.type, Constant):
                size, where = len(field.type.data), f"{self.schema.root.id}.{field.id}"
                lines += [
                    f"t.constant(pos, {field.type.data!r}, {field.id!r})",
                    f"yield Span(pos, pos + {size}, {field.id!r}, 'constant', "
                    f"{field.type.data!r}, {where!r})",
                    f"pos += {size}",
                ]
            elif isinstance(field.type, UserType):
                lines += [
                    f't.need(pos, 4, "{field.type.type.seq[0].id}")',
                    "found = probe(buf)",
                    "t.order, t.version = found.order, found.version",
                    f'_, pos = yield from trace_{field.type.type.id}(t, pos, "")',
                ]
        return "\n".join(f"    {line}" for line in lines)
