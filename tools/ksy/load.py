"""Load a .ksy file into nodes, refusing every key that the generator does not know."""

from __future__ import annotations

import keyword
import re
from typing import TYPE_CHECKING

import yaml

from .errors import Place, SchemaError
from .expr import Expr, ExprError, parse_call, parse_expr
from .nodes import (
    Builtin,
    ByteRun,
    Constant,
    Enum,
    EnumItem,
    Fact,
    Field,
    Instance,
    Limit,
    Param,
    Schema,
    Switch,
    Type,
    TypeRef,
    UserType,
)
from .yaml_nodes import MapNode, compose

if TYPE_CHECKING:
    from collections.abc import Callable

_BUILTIN = re.compile(r"(?:([us])([1248])|(f)([48]))(le|be)?$")
_ID = re.compile(r"[a-z][a-z0-9_]*$")
_FIELD_EXTRAS = frozenset({"-orig-id", "-limit", "-lazy", "-type", "-default"})
_TYPE_EXTRAS = frozenset(
    {
        "-orig-id",
        "-label",
        "-limit-depth",
        "-ggml-type",
        "-elements",
        "-bytes",
        "-big-endian-decodable",
        "-big-endian-note",
    }
)
_ENUM_EXTRAS = frozenset({"-orig-id", "-removed", "-since"})
_ORDERS = ("le", "be")
_MEANINGS = frozenset(("", "bool", "f2", "bf2", "e8m0", "ue4m3"))
_META_KEYS = ("id", "title", "file-extension", "license", "ks-version", "encoding", "xref")


def load(name: str, read: Callable[[str], str]) -> Schema:
    """Load schema `name` and its imports; `read(name)` gives the text of `name`.ksy."""
    limits: list[Limit] = []
    facts: list[Fact] = []
    loaded: dict[str, Type] = {}
    waiting: list[tuple[str, Place | None]] = [(name, None)]
    while waiting:
        current, place = waiting.pop()
        if current in loaded:
            continue
        top = compose(_read(read, current, place), f"{current}.ksy")
        imports = _imports(top)
        limits += _limits(top)
        facts += _facts(top)
        loaded[current] = _type(current, top, None)
        waiting += imports
    root = loaded.pop(name)
    return Schema(root, loaded, limits, facts)


def _read(read: Callable[[str], str], name: str, place: Place | None) -> str:
    """The text of a schema; `place` is where it is imported."""
    try:
        return read(name)
    except FileNotFoundError as error:
        if place is None:
            raise
        raise SchemaError(place, f"{name}.ksy is imported, but is not there") from error


def _imports(top: MapNode) -> list[tuple[str, Place]]:
    meta = top.map("meta")
    if meta is None:
        raise SchemaError(top.place, "a schema needs 'meta'")
    names = meta.plain("imports") or []
    if not isinstance(names, list):
        raise SchemaError(meta.place_of("imports"), "'imports' must be a list")
    place = meta.place_of("imports") if names else meta.place
    for name in names:
        if not isinstance(name, str) or not _ID.match(name):
            raise SchemaError(place, f"{name!r} is not the name of a schema beside this one")
    return [(name, place) for name in names]


def _limits(top: MapNode) -> list[Limit]:
    found = []
    for id, entry in _children(top, "-limits"):
        value = _integer(entry, "value")
        if value < 0:
            raise SchemaError(entry.place_of("value"), "a limit cannot be negative")
        found.append(Limit(id, value, entry.text("doc")))
        entry.finish()
    return found


def _facts(top: MapNode) -> list[Fact]:
    found = []
    for id, entry in _children(top, "-facts"):
        value: int | str
        if id.endswith("_version"):
            value = _integer(entry, "value")
        elif id.endswith("_order"):
            value = entry.text("value")
            if value not in _ORDERS:
                raise SchemaError(entry.place, f"{value!r} is not a byte order: le or be")
        else:
            what = "a fact is a version (..._version) or a byte order (..._order)"
            raise SchemaError(entry.place, what)
        found.append(Fact(id, value, entry.text("doc"), entry.place))
        entry.finish()
    return found


def _type(id: str, node: MapNode, parent: Type | None) -> Type:
    result = Type(id, node.place, parent, doc=node.text("doc"))
    node.plain("doc-ref")
    meta = node.map("meta")
    if meta is not None:
        for key in (*_META_KEYS, "imports"):
            meta.node(key)
        result.endian = _endian(meta)
        meta.finish()
    result.params = [_param(item) for item in node.items("params")]
    result.seq = [_field(item) for item in node.items("seq")]
    for name, entry in _children(node, "instances"):
        result.instances.append(_instance(name, entry))
    for name, entry in _children(node, "enums"):
        result.enums[name] = _enum(name, entry)
    for name, entry in _children(node, "types"):
        result.types[name] = _type(name, entry, result)
    result.extras = node.extras(_TYPE_EXTRAS)
    node.finish()
    return result


def _children(node: MapNode, key: str) -> list[tuple[str, MapNode]]:
    table = node.map(key)
    if table is None:
        return []
    found = []
    for name in table.keys():  # noqa: SIM118 - MapNode is no dict
        entry = table.map(name)
        assert entry is not None
        found.append((_checked_id(name, table.place_of(name)), entry))
    return found


def _id(node: MapNode) -> str:
    return _checked_id(node.text("id"), node.place_of("id"))


def _checked_id(id: str, place: Place) -> str:
    """An id that every output can use as a name."""
    if not _ID.match(id):
        raise SchemaError(
            place, f"{id!r} is not an id: use lower case letters, digits and underscores"
        )
    if keyword.iskeyword(id):
        raise SchemaError(place, f"{id!r} is a word of Python: choose another id")
    return id


def _endian(meta: MapNode) -> str | Switch | None:
    node = meta.node("endian")
    if node is None:
        return None
    if isinstance(node, yaml.ScalarNode):
        order = meta.text("endian")
        if order not in _ORDERS:
            raise SchemaError(meta.place_of("endian"), f"{order!r} is not a byte order: le or be")
        return order
    switch = MapNode(node, meta.file)
    on = _expr(switch, "switch-on")
    cases: list[tuple[Expr | None, TypeRef]] = []
    table = switch.map("cases")
    if table is None:
        raise SchemaError(switch.place, "a calculated endian needs 'cases'")
    for key in table.keys():  # noqa: SIM118 - MapNode is no dict
        test = None if key == "_" else _parse(key, table.place_of(key))
        order = table.text(key)
        if order not in _ORDERS:
            raise SchemaError(table.place_of(key), f"{order!r} is not a byte order: le or be")
        cases.append((test, Builtin(order, "u", 0, order)))
    switch.finish()
    return Switch(on, cases)


def _param(node: MapNode) -> Param:
    if "id" not in node:
        raise SchemaError(node.place, "a parameter needs an id")
    param = Param(
        _id(node), node.text("type"), node.place, node.text("doc"), node.text("enum") or None
    )
    if param.type != "bool" and not _BUILTIN.match(param.type):
        raise SchemaError(node.place, "a parameter must be a number or a bool")
    node.extras(_FIELD_EXTRAS)
    node.finish()
    return param


def _field(node: MapNode) -> Field:
    if "id" not in node:
        raise SchemaError(node.place, "a field needs an id")
    field = Field(
        _id(node),
        _type_ref(node),
        node.place,
        doc=node.text("doc"),
        enum=node.text("enum") or None,
        condition=_expr(node, "if") if "if" in node else None,
    )
    if "repeat" in node:
        if node.text("repeat") != "expr":
            raise SchemaError(node.place_of("repeat"), "only 'repeat: expr' is supported")
        field.repeat = _expr(node, "repeat-expr")
    valid = node.map("valid")
    if valid is not None:
        _read_valid(field, valid)
    field.extras = node.extras(_FIELD_EXTRAS)
    node.flag("-lazy", False)
    meaning = node.text("-type")
    if meaning not in _MEANINGS and not _BUILTIN.match(meaning):
        raise SchemaError(node.place_of("-type"), f"unknown '-type' {meaning!r}")
    node.finish()
    return field


def _read_valid(field: Field, valid: MapNode) -> None:
    if "in-enum" in valid:
        field.in_enum = valid.flag("in-enum", False)
        if field.in_enum and field.enum is None:
            raise SchemaError(valid.place, "'in-enum' goes with 'enum'")
    else:
        allowed = valid.plain("any-of")
        if not isinstance(allowed, list) or not all(type(one) is int for one in allowed):
            what = "only 'valid: any-of' with numbers, and 'valid: in-enum', are supported"
            raise SchemaError(valid.place, what)
        field.any_of = tuple(allowed)
    valid.finish()


def _instance(id: str, node: MapNode) -> Instance:
    instance = Instance(id, node.place, doc=node.text("doc"))
    if "value" in node:
        instance.value = _expr(node, "value")
    elif "pos" in node:
        instance.pos = _expr(node, "pos")
        instance.type = _type_ref(node)
    else:
        raise SchemaError(node.place, f"instance {id!r} needs 'value' or 'pos'")
    if "if" in node:
        instance.condition = _expr(node, "if")
    instance.extras = node.extras(_FIELD_EXTRAS)
    node.finish()
    return instance


def _type_ref(node: MapNode) -> TypeRef:
    if "contents" in node:
        contents = node.plain("contents")
        data = contents.encode() if isinstance(contents, str) else None
        if isinstance(contents, list) and all(one in range(256) for one in contents):
            data = bytes(contents)
        if data is None:
            raise SchemaError(node.place_of("contents"), "contents must be text or bytes")
        return Constant(data)
    if "size" in node:
        return ByteRun(_expr(node, "size"))
    if "size-eos" in node:
        node.plain("size-eos")
        return ByteRun(None)
    type_node = node.node("type")
    if type_node is None:
        raise SchemaError(node.place, "a field needs 'type', 'size' or 'contents'")
    if isinstance(type_node, yaml.ScalarNode):
        return _named(node.text("type"), node.place_of("type"))
    return _switch(MapNode(type_node, node.file))


def _switch(node: MapNode) -> Switch:
    on = _expr(node, "switch-on")
    table = node.map("cases")
    if table is None:
        raise SchemaError(node.place, "a switch needs 'cases'")
    cases: list[tuple[Expr | None, TypeRef]] = []
    for key in table.keys():  # noqa: SIM118 - MapNode is no dict
        place = table.place_of(key)
        test = None if key == "_" else _parse(key, place)
        cases.append((test, _named(table.text(key), place)))
    node.finish()
    return Switch(on, cases)


def _named(text: str, place: Place) -> TypeRef:
    match = _BUILTIN.match(text)
    if match:
        integer, nbytes, real, real_nbytes, endian = match.groups()
        return Builtin(text, integer or real, int(nbytes or real_nbytes), endian)
    try:
        name, args = parse_call(text)
    except ExprError as error:
        raise SchemaError(place, str(error)) from error
    if not re.fullmatch(r"[a-z]\w*(::[a-z]\w*)*", name):
        raise SchemaError(place, f"unknown type {text!r}")
    return UserType(name, args)


def _enum(id: str, node: MapNode) -> Enum:
    items = []
    seen: set[object] = set()
    for key in node.keys():  # noqa: SIM118 - MapNode is no dict
        place = node.place_of(key)
        if isinstance(node.node(key), yaml.ScalarNode):
            item = EnumItem(_number(key, place), node.text(key))
        else:
            entry = node.map(key)
            assert entry is not None
            item = EnumItem(_number(key, place), entry.text("id"), entry.text("doc"))
            item.extras = entry.extras(_ENUM_EXTRAS)
            entry.finish()
        if not _ID.match(item.id):
            raise SchemaError(place, f"{item.id!r} is not an id of an enum member")
        for one, what in ((item.id, "member"), (item.value, "value")):
            if one in seen:
                raise SchemaError(place, f"enum {what} {one!r} occurs twice")
            seen.add(one)
        items.append(item)
    return Enum(id, node.place, items)


def _expr(node: MapNode, key: str) -> Expr:
    if key not in node:
        raise SchemaError(node.place, f"{key!r} is missing")
    return _parse(node.text(key), node.place_of(key))


def _parse(text: str, place: Place) -> Expr:
    try:
        return parse_expr(text)
    except ExprError as error:
        raise SchemaError(place, str(error)) from error


def _integer(node: MapNode, key: str) -> int:
    return _number(node.text(key), node.place_of(key) if key in node else node.place)


def _number(text: str, place: Place) -> int:
    try:
        return int(text, 0)
    except ValueError as error:
        raise SchemaError(place, f"{text[:40]!r} is not a number") from error
