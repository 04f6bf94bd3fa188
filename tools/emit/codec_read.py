"""Emit the read functions of one byte order and one version.

A read function takes (buffer, position, end, limits) and returns (value, position behind it).
It raises `Malformed`, or whatever struct and slicing raise, on bytes that it cannot accept and
says nothing more: the trace walks the same bytes again to find out where and why.  So the
usual path carries no bookkeeping.  Runs of fixed fields become one struct call.

A record that holds lists of records can be read leniently: a list that breaks off is kept as far
as it goes, and whatever follows it is left empty.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tools.ksy.errors import SchemaError
from tools.ksy.expr import Truth
from tools.ksy.nodes import ByteRun, Field, UserType

from .layout import (
    FORMATS,
    enum_lookup,
    has_lists,
    is_record_list,
    is_switched_on,
    is_value_switch,
    marked_instances,
    min_nbytes,
    number_of,
    switch_cases,
)
from .pyexpr import Scope, Term, translate, translate_bare
from .shapes import Number, Record, Shape, Text, count_fields, counted_by, is_marker, shape_of
from .text import camel, docstring
from .types import record_fields, record_instances
from .versions import condition_code, default_of, settle, version_field

if TYPE_CHECKING:
    from tools.ksy.nodes import Type

    from .coders import Coders

ARGUMENTS = "buf: Buffer, pos: int, end: int, limits: Limits"


def read_text(coders: Coders, type: Type, shape: Text) -> list[str]:
    """read_<type> and skip_<type>s of length-prefixed bytes."""
    coder, width = coders.number(shape.length)
    limit = f" or length > limits.{shape.limit}" if shape.limit else ""
    lines = [
        f"def {coders.name('read', type)}({ARGUMENTS}) -> tuple[bytes, int]:",
        docstring(type.doc, "    "),
        f"    (length,) = {coder}.unpack_from(buf, pos)",
        f"    first = pos + {width}",
        "    pos = first + length",
        f"    if pos > end{limit}:",
        "        raise Malformed",
        "    return buf[first:pos], pos",
        "",
        "",
        f"def {coders.name('skip', type, 's')}({ARGUMENTS}, num: int) -> int:",
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
            f"            _, start = {coders.name('read', type)}(buf, start, end, limits)",
        ]
    return [*lines, "    return pos"]


def read_record(coders: Coders, type: Type) -> list[str]:
    """read_<type> of a record."""
    depth = type.extras.get("-limit-depth")
    extra = "".join(f", {param.id}: int" for param in type.params)
    extra += ", depth: int = 1" if depth else ""
    extra += ", lenient: bool = False" if has_lists(type) else ""
    name = camel(type.id)
    lines = [f"def {coders.name('read', type)}({ARGUMENTS}{extra}) -> tuple[{name}, int]:"]
    lines.append(docstring(type.doc, "    "))
    if depth:
        lines += [f"    if depth > limits.{depth}:", "        raise OverLimit"]
    body = _RecordBody(coders, type)
    lines += [f"    {line}" for line in body.lines()]
    return lines


class _RecordBody:
    """The statements of one record's read function."""

    def __init__(self, coders: Coders, type: Type) -> None:
        self.coders = coders
        self.type = type
        self.out: list[str] = []
        self.names: dict[str, Term] = {
            "_io.pos": Term("pos"),
            "_io.size": Term("len(buf)"),
            "_root.version": Term(str(coders.version)),
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
        lookup = self.coders.schema

        def value(member):  # type: ignore[no-untyped-def]
            return enum_lookup(lookup, self.type, member)

        return Scope(self.names, value, place)

    def lines(self) -> list[str]:
        """All statements, from the first field to the return."""
        done: set[str] = set()
        pending = list(settle(self.coders.schema, self.type, self.coders.version))
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
                self._optional(field)
            elif field.repeat is not None:
                self._repeated(field, is_last=not any(map(is_record_list, pending)))
            else:
                self._single(field)
        self.out += ["if pos > end:", "    raise Malformed"]
        for one in record_instances(self.type):
            if one.id not in done:
                assert one.value is not None
                self.out.append(f"{one.id} = {translate_bare(one.value, self.scope())}")
                self.names[one.id] = Term(one.id)
        fields = [one.id for one in record_fields(self.type)]
        fields += [one.id for one in record_instances(self.type)]
        offsets = ", ".join([*self.offsets, "pos"])
        self.out.append(f"record = {camel(self.type.id)}({', '.join(fields)}, ({offsets}))")
        self.out.append("return record, pos")
        return self.out

    def _run(self, pending: list[Field]) -> list[Field]:
        run: list[Field] = []
        for field in pending:
            shape = number_of(field)
            if shape is None or shape.of(self.coders.version)[0] == "f":
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
            kind, width = shape.of(self.coders.version)
            letters += FORMATS[kind, width]
            self.offsets.append(f"{start} + {position}" if position else start)
            position += width
            self.names[field.id] = Term(field.id, shape)
        targets = ", ".join(field.id for field in run) + ("," if len(run) == 1 else "")
        left = f"({targets})" if len(run) == 1 else targets
        self.out.append(f"{left} = {self.coders.coder(letters)}.unpack_from(buf, pos)")
        self.out.append(f"pos += {position}")
        for field in run:
            self._check(field)

    def _check(self, field: Field) -> None:
        """Refuse a number above its limit, or outside the listed ones."""
        limit = field.extras.get("-limit")
        if limit:
            strict = " and not lenient" if self._counts_records(field) else ""
            self.out += [f"if {field.id} > limits.{limit}{strict}:", "    raise OverLimit"]
        if field.any_of and not is_switched_on(self.type, field):
            self.out += [f"if {field.id} not in {field.any_of!r}:", "    raise Malformed"]

    def _counts_records(self, field: Field) -> bool:
        counted = count_fields(self.type).get(field.id)
        return any(is_record_list(one) for one in self.type.seq if one.id == counted)

    def _optional(self, field: Field) -> None:
        """A field that only some versions have; in the others it takes no bytes."""
        schema, name = self.coders.schema, field.id
        default = default_of(schema, self.type, field)
        self._mark()
        self.out.append(f"{name} = {default!r}")
        shape = shape_of(field.type, field)
        if field.condition != Truth(False):
            version = self.names[version_field(schema).id].code
            code = condition_code(schema, self.type, field, version)
            outside, self.out = self.out, []
            self._value(field, shape)
            if isinstance(shape, Number):
                self._check(field)
            self.out = [*outside, f"if {code}:", *(f"    {line}" for line in self.out)]
        self.names[name] = Term(name, shape)

    def _marker(self, field: Field) -> set[str]:
        """A field of no bytes: the instances that its condition names are computed here."""
        found = marked_instances(self.type, field)
        for one in found:
            assert one.value is not None
            self.out.append(f"{one.id} = {translate_bare(one.value, self.scope(field))}")
            self.names[one.id] = Term(one.id)
        return {one.id for one in found}

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
        self._value(field, shape)
        self.names[field.id] = Term(field.id, shape)

    def _value(self, field: Field, shape: Shape) -> None:
        if not isinstance(shape, Number):
            self.out.append(f"{field.id}, pos = {self._call(field.type, field)}")
            return
        coder, width = self.coders.number(shape)
        self.out += [f"({field.id},) = {coder}.unpack_from(buf, pos)", f"pos += {width}"]
        if shape.of(self.coders.version)[0] == "f":
            self.out.append(f"if {field.id} != {field.id}:")
            self.out.append(f"    {field.id} = exact_nan(ORDER, buf[pos - {width} : pos])")

    def _call(self, ref: object, field: Field, depth: bool = False) -> str:
        assert isinstance(ref, UserType)
        args = "".join(f", {translate(arg, self.scope(field))}" for arg in ref.args)
        deeper = ", depth + 1" if depth else ""
        return f"{self.coders.name('read', ref.type)}(buf, pos, end, limits{args}{deeper})"

    def _switch(self, field: Field) -> None:
        """One value of a type that another field chooses."""
        cases = switch_cases(self.coders.schema, self.type, field)
        table = self.coders.table(self.type, field)
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

    def _repeated(self, field: Field, *, is_last: bool) -> None:
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
            self._records(field, shape, count, is_last)
        else:
            raise SchemaError(field.place, "this cannot be repeated")

    def _numbers(self, field: Field, shape: Number, count: str) -> None:
        kind, width = shape.of(self.coders.version)
        letter = FORMATS[kind, width]
        self.out += [
            f"if {count} * {width} > end - pos:",
            "    raise Malformed",
            f'{field.id} = unpack_from(f"{self.coders.order}{{{count}}}{letter}", buf, pos)',
            f"pos += {count} * {width}",
        ]
        self.names[field.id] = Term(field.id, shape, is_list=True)

    def _records(self, field: Field, shape: Shape, count: str, is_last: bool) -> None:
        assert isinstance(field.type, UserType)
        least = min_nbytes(self.coders.schema, field.type.type, self.coders.version)
        item = camel(field.type.type.id) if isinstance(shape, Record) else "bytes"
        self.names[field.id] = Term(field.id, shape, is_list=True)
        self.names["_index"] = Term("index")
        call = self._call(field.type, field)
        del self.names["_index"]
        assert field.repeat is not None
        counter = next((one for one in self.type.seq if one.id == counted_by(field.repeat)), None)
        limit = counter.extras.get("-limit") if counter else None
        self.out += [f"{field.id}: list[{item}] = []", "try:"]
        # After a false count a reader would take what follows for more of the same.
        too_many, most = f"    if {count} * {least} > end - pos", count
        if is_last:
            too_many += " and not lenient"
            most = f"min({count}, limits.{limit})" if limit else count
        elif limit:
            too_many += f" or {count} > limits.{limit}"
        self.out += [
            f"{too_many}:",
            "        raise Malformed",
            f"    for index in range({most}):",
            f"        {field.type.type.id}, pos = {call}",
            f"        {field.id}.append({field.type.type.id})",
            "except READ_FAULTS:",
            "    if not lenient:",
            "        raise",
            *([] if is_last else ["    end = pos"]),
        ]
        if counter is not None:
            # Read leniently, there may be fewer than the count says.
            self.names[counter.id] = Term(f"len({field.id})", self.names[counter.id].shape)

    def _lazy(self, field: Field, count: str) -> None:
        """Elements of a chosen type, kept as a view of the buffer."""
        if not field.extras.get("-lazy"):
            raise SchemaError(field.place, "elements of a chosen type must be '-lazy'")
        cases = switch_cases(self.coders.schema, self.type, field)
        table = self.coders.table(self.type, field)
        name = field.id
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
            coder, _width = self.coders.number(shape.length)
            skip = self.coders.name("skip", target, "s")
            self.out += [
                f"elif {cases.on} == {value}:",
                f"    stop = {skip}(buf, pos, end, limits, {count})",
                f"    {name} = StringArray(buf, pos, {count}, stop, {coder})",
                "    pos = stop",
            ]
        for value, (_, target) in cases.records.items():
            least = min_nbytes(self.coders.schema, target, self.coders.version)
            deeper = "depth + 1" if "-limit-depth" in target.extras else ""
            reader = self.coders.name("read", target)
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
