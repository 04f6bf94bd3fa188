"""Emit the read functions of one byte order and one variant.

A read function takes (buffer, position, end, limits) and returns (value, position behind it).
It raises `Malformed`, or whatever struct and slicing raise, on bytes that it cannot accept and
says nothing more: the trace walks the same bytes again to find out where and why.  So the
usual path carries no bookkeeping.  Runs of fixed fields become one struct call.
"""

from __future__ import annotations

from tools.ksy.errors import SchemaError
from tools.ksy.nodes import ByteRun, Field, Schema, Type, UserType

from .layout import (
    FORMATS,
    enum_lookup,
    is_switched_on,
    is_value_switch,
    min_nbytes,
    number_of,
    switch_cases,
)
from .pyexpr import Scope, Term, translate, translate_bare
from .shapes import Number, Record, Shape, Text, Variant, is_marker, shape_of
from .text import camel, docstring
from .types import record_instances

__all__ = ["ReadEmitter"]

ARGUMENTS = "buf: Buffer, pos: int, end: int, limits: Limits"


class ReadEmitter:
    """Emits read functions; collects the struct formats and number tables that they need."""

    def __init__(self, schema: Schema, order: str, variant: Variant) -> None:
        self.schema = schema
        self.order = order
        self.variant = variant
        self.suffix = variant.suffix
        self.formats: set[str] = set()
        self.tables: dict[str, str] = {}

    # -- texts -------------------------------------------------------------------------------

    def text(self, type: Type, shape: Text) -> list[str]:
        """read_<type> and skip_<type>s."""
        coder, width = self.number(shape.length)
        limit = f" or length > limits.{shape.limit}" if shape.limit else ""
        lines = [
            f"def read_{type.id}{self.suffix}({ARGUMENTS}) -> tuple[bytes, int]:",
            docstring(type.doc, "    "),
            f"    (length,) = {coder}.unpack_from(buf, pos)",
            f"    first = pos + {width}",
            "    pos = first + length",
            f"    if pos > end{limit}:",
            "        raise Malformed",
            "    return buf[first:pos], pos",
            "",
            "",
            f"def skip_{type.id}s{self.suffix}({ARGUMENTS}, num: int) -> int:",
            docstring(f"Where `num` times the type {type.id} end, without decoding them.", "    "),
            f"    if num * {width} > end - pos:",
            "        raise Malformed",
            "    start = pos",
            f"    pos = skip_strings({coder}, buf, pos, end, num)",
            "    if pos > end:",
            "        raise Malformed",
        ]
        if shape.limit:
            lines += [
                f"    if pos - start > limits.{shape.limit}:",
                "        for _ in repeat(None, num):",
                f"            _, start = read_{type.id}{self.suffix}(buf, start, end, limits)",
            ]
        return [*lines, "    return pos"]

    # -- records -----------------------------------------------------------------------------

    def record(self, type: Type) -> list[str]:
        """read_<type> of a record."""
        depth = type.extras.get("-limit-depth")
        extra = "".join(f", {param.id}: int" for param in type.params)
        extra += ", depth: int = 1" if depth else ""
        name = camel(type.id)
        lines = [f"def read_{type.id}{self.suffix}({ARGUMENTS}{extra}) -> tuple[{name}, int]:"]
        lines.append(docstring(type.doc, "    "))
        if depth:
            lines += [f"    if depth > limits.{depth}:", "        raise Malformed"]
        body = _RecordBody(self, type)
        lines += [f"    {line}" for line in body.lines()]
        return lines

    def number(self, shape: Number) -> tuple[str, int]:
        """The name of the Struct that reads a number, and its width."""
        kind, width = shape.of(self.variant)
        return self.coder(FORMATS[kind, width]), width

    def coder(self, formats: str) -> str:
        """The module-level name of a Struct."""
        self.formats.add(formats)
        return f"_{formats}"

    def table(self, type: Type, field: Field) -> str:
        """The module-level name of a switch's table: number -> (coder, kind, width)."""
        cases = switch_cases(self.schema, type, field)
        rows = []
        for value, (_, shape) in cases.numbers.items():
            coder, width = self.number(shape)
            kind = shape.of(self.variant)[0]
            rows.append(f"    {value}: ({coder}, {kind!r}, {width}),")
        text = "\n".join(rows)
        for name, known in self.tables.items():
            if known == text:
                return name
        name = f"_{cases.on.upper()}_NUMBERS"
        self.tables[name] = text
        return name


class _RecordBody:
    """The statements of one record's read function."""

    def __init__(self, emitter: ReadEmitter, type: Type) -> None:
        self.emitter = emitter
        self.type = type
        self.out: list[str] = []
        self.names: dict[str, Term] = {
            "_io.pos": Term("pos"),
            "_io.size": Term("len(buf)"),
            "_root.version": Term(str(emitter.variant.version)),
        }
        self.offsets: list[str] = []
        for param in type.params:
            self.names[param.id] = Term(param.id)
        for scope in (type, type.parent):
            for one in scope.instances if scope else []:
                if one.value is not None and one.id not in {i.id for i in record_instances(type)}:
                    self._constant(one.id)

    def _constant(self, id: str) -> None:
        self.names[id] = Term(f"types.{id.upper()}")

    def scope(self, field_place: Field | None = None) -> Scope:
        place = field_place.place if field_place else self.type.place
        lookup = self.emitter.schema

        def value(member):  # type: ignore[no-untyped-def]
            return enum_lookup(lookup, self.type, member)

        return Scope(self.names, value, place)

    def lines(self) -> list[str]:
        """All statements, from the first field to the return."""
        done: set[str] = set()
        pending = list(self.type.seq)
        while pending:
            run = self._run(pending)
            if run:
                self._fused(run)
                del pending[: len(run)]
                continue
            field = pending.pop(0)
            if is_marker(field):
                done |= self._marker(field)
            elif field.condition is not None:
                raise SchemaError(field.place, "'if' is only supported on a field of size 0")
            elif field.repeat is not None:
                self._repeated(field)
            else:
                self._single(field)
        self.out += ["if pos > end:", "    raise Malformed"]
        for one in record_instances(self.type):
            if one.id not in done:
                assert one.value is not None
                self.out.append(f"{one.id} = {translate_bare(one.value, self.scope())}")
                self.names[one.id] = Term(one.id)
        fields = [one.id for one in self.type.seq if not is_marker(one)]
        fields += [one.id for one in record_instances(self.type)]
        offsets = ", ".join([*self.offsets, "pos"])
        self.out.append(f"record = {camel(self.type.id)}({', '.join(fields)}, ({offsets}))")
        self.out.append("return record, pos")
        return self.out

    def _run(self, pending: list[Field]) -> list[Field]:
        run: list[Field] = []
        for field in pending:
            shape = number_of(field)
            if shape is None or shape.of(self.emitter.variant)[0] == "f":
                break
            run.append(field)
        return run

    def _mark(self) -> str:
        name = f"at{len(self.offsets)}"
        self.out.append(f"{name} = pos")
        self.offsets.append(name)
        return name

    def _fused(self, run: list[Field]) -> None:
        letters, position = "", 0
        start = self._mark()
        self.offsets.pop()
        for field in run:
            shape = number_of(field)
            assert shape is not None
            kind, width = shape.of(self.emitter.variant)
            letters += FORMATS[kind, width]
            self.offsets.append(f"{start} + {position}" if position else start)
            position += width
            self.names[field.id] = Term(field.id, shape)
        targets = ", ".join(field.id for field in run) + ("," if len(run) == 1 else "")
        left = f"({targets})" if len(run) == 1 else targets
        self.out.append(f"{left} = {self.emitter.coder(letters)}.unpack_from(buf, pos)")
        self.out.append(f"pos += {position}")
        for field in run:
            limit = field.extras.get("-limit")
            if limit:
                self.out += [f"if {field.id} > limits.{limit}:", "    raise Malformed"]
            if field.any_of and not is_switched_on(self.type, field):
                self.out += [f"if {field.id} not in {field.any_of!r}:", "    raise Malformed"]

    def _marker(self, field: Field) -> set[str]:
        """A field of no bytes: the instances that its condition names are computed here."""
        from tools.ksy.expr import Name, walk

        assert field.condition is not None
        found = set()
        for node in walk(field.condition):
            instance = self.type.instance(node.id) if isinstance(node, Name) else None
            if instance is not None and instance.value is not None:
                self.out.append(
                    f"{instance.id} = {translate_bare(instance.value, self.scope(field))}"
                )
                self.names[instance.id] = Term(instance.id)
                found.add(instance.id)
        return found

    def _single(self, field: Field) -> None:
        self._mark()
        if is_value_switch(field):
            self._switch(field)
            return
        if isinstance(field.type, ByteRun):
            if field.type.size is None:
                raise SchemaError(field.place, "'size-eos' is only supported on instances")
            size = translate(field.type.size, self.scope(field))
            self.out += [f"{field.id} = buf[pos : pos + {size}]", f"pos += {size}"]
            self.names[field.id] = Term(field.id)
            return
        shape = shape_of(field.type, field)
        if isinstance(shape, Number):
            coder, width = self.emitter.number(shape)
            self.out += [f"({field.id},) = {coder}.unpack_from(buf, pos)", f"pos += {width}"]
            self._exact(field.id, width)
        else:
            self.out.append(f"{field.id}, pos = {self._call(field.type, field)}")
        self.names[field.id] = Term(field.id, shape)

    def _exact(self, name: str, width: int | str) -> None:
        self.out.append(f"if {name} != {name}:")
        self.out.append(f"    {name} = exact_nan(ORDER, buf[pos - {width} : pos])")

    def _call(self, ref: object, field: Field, depth: bool = False) -> str:
        assert isinstance(ref, UserType)
        args = "".join(f", {translate(arg, self.scope(field))}" for arg in ref.args)
        deeper = ", depth + 1" if depth else ""
        return f"read_{ref.type.id}{self.emitter.suffix}(buf, pos, end, limits{args}{deeper})"

    def _switch(self, field: Field) -> None:
        """One value of a type that another field chooses."""
        cases = switch_cases(self.emitter.schema, self.type, field)
        table = self.emitter.table(self.type, field)
        name = field.id
        self.out += [
            f"number = {table}.get({cases.on})",
            f"{name}: Any",
            "if number is not None:",
            f"    ({name},) = number[0].unpack_from(buf, pos)",
            "    pos += number[2]",
            f"    if {name} != {name}:",
            f"        {name} = exact_nan(ORDER, buf[pos - number[2] : pos])",
        ]
        for value, (_, target) in (cases.texts | cases.records).items():
            call = self._call(UserType(target.id, (), target), field)
            self.out += [f"elif {cases.on} == {value}:", f"    {name}, pos = {call}"]
        self.out += ["else:", "    raise Malformed"]
        self.names[name] = Term(name, None)

    def _repeated(self, field: Field) -> None:
        self._mark()
        assert field.repeat is not None
        count = translate(field.repeat, self.scope(field))
        if is_value_switch(field):
            self._lazy(field, count)
            return
        shape = shape_of(field.type, field)
        if isinstance(shape, Number):
            self._numbers(field, shape, count)
        elif isinstance(field.type, UserType):
            self._records(field, shape, count)
        else:
            raise SchemaError(field.place, "this cannot be repeated")

    def _numbers(self, field: Field, shape: Number, count: str) -> None:
        kind, width = shape.of(self.emitter.variant)
        letter = FORMATS[kind, width]
        self.out += [
            f"if {count} * {width} > end - pos:",
            "    raise Malformed",
            f'{field.id} = unpack_from(f"{self.emitter.order}{{{count}}}{letter}", buf, pos)',
            f"pos += {count} * {width}",
        ]
        self.names[field.id] = Term(field.id, shape, is_list=True)

    def _records(self, field: Field, shape: Shape, count: str) -> None:
        assert isinstance(field.type, UserType)
        least = min_nbytes(field.type.type, self.emitter.variant)
        item = camel(field.type.type.id) if isinstance(shape, Record) else "bytes"
        self.names[field.id] = Term(field.id, shape, is_list=True)
        self.names["_index"] = Term("index")
        call = self._call(field.type, field)
        self.out += [
            f"if {count} * {least} > end - pos:",
            "    raise Malformed",
            f"{field.id}: list[{item}] = []",
            f"for index in range({count}):",
            f"    {field.type.type.id}, pos = {call}",
            f"    {field.id}.append({field.type.type.id})",
        ]
        del self.names["_index"]

    def _lazy(self, field: Field, count: str) -> None:
        """Elements of a chosen type, kept as a view of the buffer."""
        if not field.extras.get("-lazy"):
            raise SchemaError(field.place, "elements of a chosen type must be '-lazy'")
        cases = switch_cases(self.emitter.schema, self.type, field)
        table = self.emitter.table(self.type, field)
        name, suffix = field.id, self.emitter.suffix
        self.out += [
            f"number = {table}.get({cases.on})",
            f"{name}: Any",
            "if number is not None:",
            f"    {name} = NumberArray(buf, pos, {count}, ORDER, number[1], number[2])",
            f"    pos += {count} * number[2]",
        ]
        for value, (_, target) in cases.texts.items():
            shape = shape_of(UserType(target.id, (), target))
            assert isinstance(shape, Text)
            coder, _width = self.emitter.number(shape.length)
            self.out += [
                f"elif {cases.on} == {value}:",
                f"    stop = skip_{target.id}s{suffix}(buf, pos, end, limits, {count})",
                f"    {name} = StringArray(buf, pos, {count}, stop, {coder})",
                "    pos = stop",
            ]
        for value, (_, target) in cases.records.items():
            least = min_nbytes(target, self.emitter.variant)
            deeper = "depth + 1" if "-limit-depth" in target.extras else ""
            reader = f"read_{target.id}{suffix}"
            self.out += [
                f"elif {cases.on} == {value}:",
                f"    if {count} * {least} > end - pos:",
                "        raise Malformed",
                "    start = pos",
                f"    for _ in repeat(None, {count}):",
                f"        _, pos = {reader}(buf, pos, end, limits, {deeper})",
                f"    again = partial({reader}, end=end, limits=limits, depth={deeper})",
                f"    {name} = RecordArray(buf, start, {count}, pos, again)",
            ]
        self.out += ["else:", "    raise Malformed"]
