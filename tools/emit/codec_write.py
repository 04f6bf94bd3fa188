"""Emit the write functions of one byte order and one version.

Counts and lengths are rebuilt from what they count, so a record can be built from its parts
alone.  What does not fit its field raises BuildError with the field's name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tools.ksy.errors import SchemaError
from tools.ksy.expr import Truth
from tools.ksy.nodes import ByteRun, Field, Type, UserType

from .layout import FORMATS, has_lists, is_value_switch, number_of, switch_cases
from .shapes import Number, Text, count_fields, is_marker, shape_of
from .text import camel, docstring
from .versions import condition_code, default_of, settle, version_field

if TYPE_CHECKING:
    from .coders import Coders


def write_text(coders: Coders, type: Type, shape: Text) -> list[str]:
    """write_<type> and write_<type>s."""
    coder, _ = coders.number(shape.length)
    path = f"{type.id}.{shape.len_id}"
    return [
        f"def {coders.name('write', type)}(value: bytes) -> bytes:",
        docstring(f"The encoded {type.id}.  Raises BuildError.", "    "),
        f"    return pack({coder}, {path!r}, len(value)) + value",
        "",
        "",
        f"def {coders.name('write', type, 's')}(values: Any) -> bytes | bytearray:",
        docstring(f"Many times the type {type.id}, back to back.  Raises BuildError.", "    "),
        f"    return pack_strings({coder}, {path!r}, values)",
    ]


def write_record(coders: Coders, type: Type) -> list[str]:
    """write_<type> of a record.

    One that holds lists of records or whole arrays may be large: its parts, and the bytes that go
    before them, are joined only once, because each copy of megabytes takes milliseconds.
    """
    counts = count_fields(type)
    is_list = has_lists(type)
    before = ', before: bytes = b""' if is_list else ""
    head = f"def {coders.name('write', type)}(record: {camel(type.id)}{before}) -> bytes:"
    lines: list[str] = []
    parts: list[str] = []
    run: list[Field] = []

    def flush() -> None:
        if run:
            parts.append(_run(coders, type, run, counts))
            run.clear()

    for field in settle(coders.schema, type, coders.version):
        if is_marker(field):
            continue
        if number_of(field) is not None:
            run.append(field)
            continue
        flush()
        if field.condition is not None:
            parts.append(_optional(coders, type, field, counts))
        elif is_value_switch(field):
            lines += _switch(coders, type, field)
            parts.append(f"*{field.id}")
        else:
            parts.append(_value(coders, type, field))
    flush()
    doc = docstring(f"The encoded {type.id}; counts are rebuilt.  Raises BuildError.", "    ")
    if _has_parts(type):
        parts_of = coders.name("parts_of", type)
        more = docstring(f"What the encoded {type.id} is joined from.  Raises BuildError.", "    ")
        lines.append(f"return [{', '.join(parts)}]")
        return [
            f"def {parts_of}(record: {camel(type.id)}) -> list[Buffer]:",
            more,
            *(f"    {line}" for line in lines),
            "",
            "",
            head,
            doc,
            f'    return b"".join({parts_of}(record))',
        ]
    joined = f'b"".join([before, {", ".join(parts)}])' if is_list else " + ".join(parts)
    lines.append(f"return {joined}")
    return [head, doc, *(f"    {line}" for line in lines)]


def _has_parts(type: Type) -> bool:
    """Whether a record holds a value of any size."""
    return any(is_value_switch(field) for field in type.seq)


def _run(coders: Coders, type: Type, run: list[Field], counts: dict[str, str]) -> str:
    letters = ""
    values = []
    for field in run:
        shape = shape_of(field.type, field)
        assert isinstance(shape, Number)
        letters += FORMATS[shape.of(coders.version)]
        counted = counts.get(field.id)
        values.append(f"len(record.{counted})" if counted else f"record.{field.id}")
    path = f"{type.id}.{'/'.join(field.id for field in run)}"
    return f"pack({coders.coder(letters)}, {path!r}, {', '.join(values)})"


def _optional(coders: Coders, type: Type, field: Field, counts: dict[str, str]) -> str:
    """A field that only some versions have; elsewhere nothing is written, and nothing lost."""
    shape = shape_of(field.type, field)
    default = default_of(coders.schema, type, field)
    path = f"{type.id}.{field.id}"
    absent = f"pack_absent({path!r}, record.{field.id}, {default!r})"
    if field.condition == Truth(False):
        return absent
    is_number = isinstance(shape, Number)
    value = _run(coders, type, [field], counts) if is_number else _value(coders, type, field)
    version = f"record.{version_field(coders.schema).id}"
    code = condition_code(coders.schema, type, field, version)
    return f"({value} if {code} else {absent})"


def _value(coders: Coders, type: Type, field: Field) -> str:
    value = f"record.{field.id}"
    if isinstance(field.type, ByteRun):
        return f"bytes({value})"
    shape = shape_of(field.type, field)
    if isinstance(shape, Number):
        kind, width = shape.of(coders.version)
        return f"pack_numbers(ORDER, {kind!r}, {width}, {f'{type.id}.{field.id}'!r}, {value})"
    if not isinstance(field.type, UserType):
        raise SchemaError(field.place, "cannot write this")
    writer = coders.name("write", field.type.type)
    if field.repeat is None:
        return f"{writer}({value})"
    if _has_parts(field.type.type):
        parts = coders.name("parts_of", field.type.type)
        return f"*[part for item in {value} for part in {parts}(item)]"
    return f"*[{writer}(item) for item in {value}]"


def _switch(coders: Coders, type: Type, field: Field) -> list[str]:
    cases = switch_cases(coders.schema, type, field)
    table = coders.table(type, field)
    name, value = field.id, f"record.{field.id}"
    path = f"{type.id}.{field.id}"
    if field.repeat is None:
        packed = f"pack_number(number[0], ORDER, number[2], {path!r}, {value})"
    else:
        packed = f"pack_numbers(ORDER, number[1], number[2], {path!r}, {value})"
    lines = [
        f"{name}: list[Buffer]",
        f"number = {table}.get(record.{cases.on})",
        "if number is not None:",
        f"    {name} = [{packed}]",
    ]
    for number, (_, target) in cases.texts.items():
        plural = "s" if field.repeat is not None else ""
        lines.append(f"elif record.{cases.on} == {number}:")
        lines.append(f"    {name} = [{coders.name('write', target, plural)}({value})]")
    for number, (_, target) in cases.records.items():
        one = f"{coders.name('parts_of', target)}({value})"
        many = f'[b"".join([{coders.name("write", target)}(item) for item in {value}])]'
        lines.append(f"elif record.{cases.on} == {number}:")
        lines.append(f"    {name} = {one if field.repeat is None else many}")
    lines += [
        "else:",
        f'    raise BuildError(f"unknown type {{record.{cases.on}}}", path={path!r})',
    ]
    return lines
