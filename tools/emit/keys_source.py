"""spec/keys.yaml -> checked records.  Every mistake stops with the line it stands on."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import yaml

from tools.ksy.errors import Place, SchemaError
from tools.ksy.yaml_nodes import MapNode, compose

if TYPE_CHECKING:
    from collections.abc import Sequence

ROLES = frozenset(
    (
        *("token_id", "add_token_flag", "token_ref", "token_array", "per_layer", "count"),
        *("chat_template", "chat_template_names", "file_type", "architecture", "alignment"),
        *("block_count", "reserve"),
    )
)
FILES = frozenset(
    ("model", "vocab", "adapter", "imatrix", "mmproj", "controlvector", "other", "shard")
)
LEVELS = frozenset(("must", "should"))
ALIASES = frozenset(("misspelt", "deprecated", "variant"))
OPERATORS = ("in", "not_in", "is")
SCALARS = frozenset(
    (
        *("uint8", "int8", "uint16", "int16", "uint32", "int32", "float32", "bool", "string"),
        *("uint64", "int64", "float64"),
    )
)
PLACEHOLDERS = frozenset(("{arch}", "{id}", "{name}"))

Scalar = str | int | bool


@dataclass(frozen=True)
class Condition:
    """Holds when the value of `key` is among `values` (operators in, not_in, is)."""

    key: str
    operator: str
    values: tuple[Scalar, ...]


@dataclass(frozen=True)
class Required:
    """In which files, how strictly and on which condition a key is demanded."""

    files: tuple[str, ...]
    level: str
    when: Condition | None
    quantized: bool


@dataclass(frozen=True)
class Key:
    """One entry of the registry, as written."""

    key: str
    section: str
    place: Place
    types: tuple[str, ...]
    doc: str
    trap: str
    required: Required | None
    hf: tuple[str, ...]
    hf_note: str
    roles: tuple[str, ...]
    token: str
    alias_of: str
    alias: str
    values: tuple[tuple[Scalar, str], ...]
    tolerated: tuple[str, ...]
    indexed_by: str


@dataclass(frozen=True)
class Reader:
    """Which keys the loader of a kind of file reads: whole sections but `skips`, single keys."""

    known: str
    sections: tuple[str, ...]
    keys: tuple[str, ...]
    skips: tuple[str, ...]


@dataclass(frozen=True)
class FileType:
    """One value of general.file_type."""

    id: int
    name: str
    main: tuple[str, ...]
    mix: bool
    removed: str
    note: str


@dataclass
class Registry:
    """All of spec/keys.yaml."""

    keys: list[Key] = field(default_factory=list)
    readers: dict[str, Reader] = field(default_factory=dict)
    token_types: dict[int, str] = field(default_factory=dict)
    tokenizer_defaults: dict[str, dict[str, int]] = field(default_factory=dict)
    token_texts: dict[str, tuple[str, ...]] = field(default_factory=dict)
    end_of_generation: tuple[str, ...] = ()
    guessed_flag: int = 0
    file_types: list[FileType] = field(default_factory=list)
    architectures: dict[str, tuple[str, ...]] = field(default_factory=dict)


def load_keys(text: str, file: str = "spec/keys.yaml") -> Registry:
    """Read and check the registry.

    Raises:
        SchemaError: unknown or repeated attributes, keys defined twice, references to nothing.
    """
    top = compose(text, file)
    registry = Registry()
    sections = _need(top, "keys")
    for section in _each(sections):
        entries = _need(sections, section)
        registry.keys += [_key(entries, key, section) for key in _each(entries)]
    readers = _need(top, "readers")
    registry.readers = {kind: _reader(readers, kind, sections) for kind in _each(readers)}
    registry.token_types = _numbered(_need(top, "token_types"))
    defaults = _need(top, "tokenizer_defaults")
    registry.tokenizer_defaults = {model: _ids(_need(defaults, model)) for model in _each(defaults)}
    texts = _need(top, "token_texts")
    registry.token_texts = {name: _texts(texts, name) for name in _each(texts)}
    registry.end_of_generation = _texts(top, "end_of_generation")
    registry.guessed_flag = _integer(top, "guessed_flag")
    registry.file_types = [_file_type(item) for item in top.items("file_types")]
    architectures = _need(top, "architectures")
    registry.architectures = {name: _texts(architectures, name) for name in _each(architectures)}
    top.finish()
    _check_references(registry, architectures)
    _check_tokens(registry, texts)
    return registry


def _each(node: MapNode) -> list[str]:
    return list(node.keys())


def _need(node: MapNode, key: str) -> MapNode:
    found = node.map(key)
    if found is None:
        raise SchemaError(node.place, f"{key!r} is missing")
    return found


def _key(entries: MapNode, key: str, section: str) -> Key:
    node = _need(entries, key)
    place = entries.place_of(key)
    for placeholder in re.findall(r"\{[^}]*\}", key):
        if placeholder not in PLACEHOLDERS:
            raise SchemaError(place, f"unknown placeholder {placeholder}")
    found = Key(
        key=key,
        section=section,
        place=place,
        types=_types(node),
        doc=node.text("doc"),
        trap=node.text("trap"),
        required=_required(node),
        hf=_texts(node, "hf"),
        hf_note=node.text("hf_note"),
        roles=_among(node, "role", ROLES),
        token=node.text("token"),
        alias_of=node.text("alias_of"),
        alias=_one_of(node, "alias", ALIASES),
        values=_values(node),
        tolerated=_texts(node, "tolerated"),
        indexed_by=node.text("indexed_by"),
    )
    node.finish()
    if not found.doc:
        raise SchemaError(place, f"{key!r} has no doc")
    if bool(found.token) != bool({"token_id", "add_token_flag"} & set(found.roles)):
        raise SchemaError(place, f"{key!r}: token goes with role token_id or add_token_flag")
    if bool(found.alias) != bool(found.alias_of):
        raise SchemaError(place, f"{key!r}: alias and alias_of go together")
    return found


def _reader(readers: MapNode, kind: str, sections: MapNode) -> Reader:
    node = _need(readers, kind)
    lists = (_texts(node, name) for name in ("sections", "keys", "skips"))
    found = Reader(node.text("known"), *lists)
    node.finish()
    wrong = [section for section in found.sections if section not in sections]
    if kind not in FILES or not found.known or wrong:
        raise SchemaError(readers.place_of(kind), f"{kind!r} is no reader of known sections")
    return found


def _types(node: MapNode) -> tuple[str, ...]:
    types = _texts(node, "type")
    if not types:
        raise SchemaError(node.place, "type is missing")
    for name in types:
        inner = name.strip("[]")
        depth = name.count("[")
        if inner not in SCALARS or name != "[" * depth + inner + "]" * depth:
            raise SchemaError(node.place_of("type"), f"unknown value type {name!r}")
    return types


def _required(node: MapNode) -> Required | None:
    inner = node.map("required")
    if inner is None:
        return None
    found = Required(
        files=_among(inner, "files", FILES),
        level=_one_of(inner, "level", LEVELS),
        when=_condition(inner),
        quantized=inner.flag("quantized", False),
    )
    inner.finish()
    if not found.files or not found.level:
        raise SchemaError(inner.place, "required needs files and level")
    return found


def _condition(node: MapNode) -> Condition | None:
    inner = node.map("when")
    if inner is None:
        return None
    key = inner.text("key")
    operators = [operator for operator in OPERATORS if operator in inner]
    if len(operators) != 1 or not key:
        raise SchemaError(inner.place, "when needs key and one of in, not_in, is")
    values = _scalars(inner, operators[0])
    if operators[0] == "is" and values not in (("nonzero",), ("present",)):
        raise SchemaError(inner.place, "is: nonzero or present")
    inner.finish()
    return Condition(key, operators[0], values)


def _values(node: MapNode) -> tuple[tuple[Scalar, str], ...]:
    raw = node.node("values")
    if raw is None:
        return ()
    if isinstance(raw, yaml.MappingNode):
        named = _numbered(_need(node, "values"))
        return tuple(named.items())
    return tuple((value, "") for value in _scalars(node, "values"))


def _file_type(node: MapNode) -> FileType:
    found = FileType(
        id=_integer(node, "id"),
        name=node.text("name"),
        main=_texts(node, "main"),
        mix=node.flag("mix", False),
        removed=node.text("removed"),
        note=node.text("note"),
    )
    node.finish()
    if not found.name or not found.main:
        raise SchemaError(node.place, "a file type needs name and main")
    return found


def _check_references(registry: Registry, architectures: MapNode) -> None:
    known: dict[str, Key] = {}
    tokens: dict[tuple[str, ...], Key] = {}
    for key in registry.keys:
        if key.key in known:
            raise SchemaError(
                key.place, f"{key.key!r} is defined twice (first at {known[key.key].place})"
            )
        known[key.key] = key
        if key.token and not key.alias_of:
            other = tokens.setdefault((key.token, *key.roles), key)
            if other is not key:
                raise SchemaError(key.place, f"token {key.token!r} also names {other.key!r}")
    for key in registry.keys:
        condition = key.required.when if key.required else None
        for reference in (key.alias_of, key.indexed_by, condition.key if condition else ""):
            if reference and reference not in known:
                raise SchemaError(key.place, f"{key.key!r} refers to unknown {reference!r}")
    for name, demanded in registry.architectures.items():
        for suffix in demanded:
            if suffix not in known and f"{{arch}}.{suffix}" not in known:
                raise SchemaError(architectures.place_of(name), f"unknown key {suffix!r}")
    numbers = [file_type.id for file_type in registry.file_types]
    if len(set(numbers)) != len(numbers):
        raise SchemaError(architectures.place, "a file type id occurs twice")


def _check_tokens(registry: Registry, texts: MapNode) -> None:
    tokens = {key.token for key in registry.keys}
    for name in registry.token_texts:
        if name not in tokens:
            raise SchemaError(texts.place_of(name), f"no key holds a token {name!r}")


def _scalars(node: MapNode, key: str) -> tuple[Scalar, ...]:
    value = node.plain(key)
    if value is None:
        return ()
    items: Sequence[object] = value if isinstance(value, list) else [value]
    found: list[Scalar] = []
    for item in items:
        if not isinstance(item, (str, int, bool)):
            raise SchemaError(node.place_of(key), f"{key!r}: {item!r} is not text or a number")
        found.append(item)
    return tuple(found)


def _texts(node: MapNode, key: str) -> tuple[str, ...]:
    found = _scalars(node, key)
    texts = tuple(item for item in found if isinstance(item, str))
    if len(texts) != len(found) or len(set(texts)) != len(texts):
        raise SchemaError(node.place_of(key), f"{key!r} must hold different texts")
    return texts


def _among(node: MapNode, key: str, allowed: frozenset[str]) -> tuple[str, ...]:
    found = _texts(node, key)
    for item in found:
        if item not in allowed:
            raise SchemaError(
                node.place_of(key), f"{key!r}: {item!r} is not one of {', '.join(sorted(allowed))}"
            )
    return found


def _one_of(node: MapNode, key: str, allowed: frozenset[str]) -> str:
    found = _among(node, key, allowed)
    return found[0] if found else ""


def _integer(node: MapNode, key: str) -> int:
    value = node.plain(key)
    if isinstance(value, bool) or not isinstance(value, int):
        raise SchemaError(node.place, f"{key!r} must be an integer")
    return value


def _numbered(node: MapNode) -> dict[int, str]:
    found: dict[int, str] = {}
    for key in _each(node):
        if not re.fullmatch("0|[1-9][0-9]{0,18}", key):
            raise SchemaError(node.place_of(key), f"{key!r} is not a number")
        found[int(key)] = node.text(key)
    return found


def _ids(node: MapNode) -> dict[str, int]:
    return {key: _integer(node, key) for key in _each(node)}
