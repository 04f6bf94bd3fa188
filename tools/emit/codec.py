"""Emit generated/codec_le.py, codec_be.py (one byte order each) and codec.py (the choice)."""

from __future__ import annotations

from tools.ksy.errors import SchemaError
from tools.ksy.nodes import Builtin, Schema, Switch, UserType

from .codec_read import read_record, read_text
from .codec_write import write_record, write_text
from .coders import Coders
from .pyexpr import Scope, Term, translate, translate_bare
from .shapes import Number, Record, Text, body_type, reachable_types, shape_of
from .text import banner, camel, join_blocks
from .types import record_types
from .versions import suffix, supported_versions

_IMPORTS = """
from functools import partial
from itertools import repeat
from struct import Struct, unpack_from
from typing import Any

from ..errors import BuildError
from ..runtime.packing import pack, {packs}pack_number, pack_numbers, pack_strings
from ..runtime.strings import skip_strings
from ..runtime.views import (
    READ_FAULTS,
    Buffer,
    Malformed,
    NumberArray,
    OverLimit,
    RecordArray,
    StringArray,
    exact_nan,
)
from . import types
from .types import {records}, Limits
"""


def emit_codec(schema: Schema, digest: str, order: str) -> str:
    """The text of codec_le.py (order "<") or codec_be.py (order ">")."""
    name = "little" if order == "<" else "big"
    formats: set[str] = set()
    tables: dict[str, str] = {}
    functions: list[str] = []
    versions = supported_versions(schema)
    done: set[str] = set()
    for version in sorted(versions):
        coders = Coders(schema, order, version)
        for type in reachable_types(body_type(schema)):
            reader = coders.name("read", type)
            if reader in done:
                continue
            done.add(reader)
            match shape_of(UserType(type.id, (), type)):
                case Text() as shape:
                    functions += ["\n".join(read_text(coders, type, shape))]
                    functions += ["\n".join(write_text(coders, type, shape))]
                case Record():
                    functions += ["\n".join(read_record(coders, type))]
                    functions += ["\n".join(write_record(coders, type))]
                case Number():
                    continue
        formats |= coders.formats
        tables |= coders.tables
    records = ", ".join(sorted(camel(type.id) for type in record_types(schema)))
    head = banner("spec/gguf.ksy", digest, f"Read and write functions, {name}-endian.")
    packs = "pack_absent, " if any("pack_absent(" in one for one in functions) else ""
    head += _IMPORTS.format(records=records, packs=packs) + "\n" + f'ORDER = "{order}"\n'
    head += "\n".join(f'_{one} = Struct("{order}{one}")' for one in sorted(formats)) + "\n"
    for table, rows in sorted(tables.items()):
        head += f"{table}: dict[int, tuple[Struct, str, int]] = {{\n{rows}\n}}\n"
    tail = ""
    # The body first: it is what everybody asks for.
    for type in sorted(record_types(schema), key=lambda one: one is not body_type(schema)):
        for verb in ("read", "write"):
            entries = (f"{v}: {verb}_{type.id}{suffix(schema, type, v)}" for v in versions)
            tail += f"{verb.upper()}_{type.id.upper()} = {{{', '.join(entries)}}}\n"
    return join_blocks([head, *functions, tail])


_CHOICE = '''
from struct import Struct
from types import ModuleType
from typing import NamedTuple

from ..runtime.views import Buffer, Malformed
from .types import LIMITS, MAGIC, {body}, Limits


class Probe(NamedTuple):
    """What can be told before the byte order is known."""

{fields}
    order: str


def probe(buf: Buffer) -> Probe:
    """Byte order and version of a file.  Raises struct.error when it is too short for them."""
{statements}
    return Probe({names}, order)


def codec(order: str) -> ModuleType:
    """The codec of a byte order, "<" or ">"; only the one that is needed is imported."""
    if order == "<":
        from . import codec_le

        return codec_le
    from . import codec_be

    return codec_be


def read(buf: Buffer, limits: Limits = LIMITS, *, lenient: bool = False) -> {body}:
    """Everything behind the magic.  Raises one of views.READ_FAULTS.

    Read leniently, a list that breaks off is kept as far as it goes, and what follows it is left
    empty; where the number of items of a list that others follow is false, so is the list.
    """
    found = probe(buf)
    reader = codec(found.order).READ_{upper}.get(found.version)
    if reader is None:
        raise Malformed
    end = min(len(buf), limits.max_header_nbytes)
    body: {body}
    body, _ = reader(buf, len(MAGIC), end, limits, lenient=lenient)
    return body


def write(body: {body}, order: str) -> bytes:
    """The bytes of a header, all of it encoded anew.  Raises BuildError."""
    data: bytes = codec(order).WRITE_{upper}[body.version](body, MAGIC)
    return data
'''


def emit_codec_choice(schema: Schema, digest: str) -> str:
    """The text of codec.py: the root of the schema, which no byte order changes."""
    body = body_type(schema)
    names: dict[str, Term] = {}
    statements, fields, ids = [], [], []
    scope = Scope(names, lambda member: 0, schema.root.place)
    for one in schema.root.instances:
        if one.pos is not None:
            if not isinstance(one.type, Builtin) or one.type.endian is None:
                raise SchemaError(one.place, "the root may only probe numbers of a stated order")
            order = "<" if one.type.endian == "le" else ">"
            letter = {2: "H", 4: "I", 8: "Q"}[one.type.width]
            code = f'Struct("{order}{letter}").unpack_from(buf, {translate(one.pos, scope)})[0]'
        else:
            assert one.value is not None
            code = translate_bare(one.value, scope)
        kind = "bool" if one.id.startswith("is_") else "int"
        statements.append(f"    {one.id} = {code}")
        fields.append(f"    {one.id}: {kind}")
        ids.append(one.id)
        names[one.id] = Term(one.id)
        names[f"_root.{one.id}"] = Term(one.id)
    assert isinstance(body.endian, Switch)
    orders = {translate(t, scope): r for t, r in body.endian.cases if t is not None}
    big = next(
        code for code, ref in orders.items() if isinstance(ref, Builtin) and ref.name == "be"
    )
    statements.append(f'    order = ">" if {translate(body.endian.on, scope)} == {big} else "<"')
    text = _CHOICE.format(
        body=camel(body.id),
        upper=body.id.upper(),
        fields="\n".join(fields),
        statements="\n".join(statements),
        names=", ".join(ids),
    ).replace(" == True", "")
    return banner("spec/gguf.ksy", digest, "Choose the codec by the byte order of the file.") + text
