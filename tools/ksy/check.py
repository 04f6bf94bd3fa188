"""Checks of a resolved schema: each name in an expression leads somewhere, each type ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .errors import Place, SchemaError
from .expr import Attribute, Cast, EnumMember, Expr, Index, Integer, Name, walk
from .lookup import find_enum, find_type
from .nodes import ByteRun, Field, Instance, Param, Schema, Switch, Type, TypeRef, UserType

if TYPE_CHECKING:
    from collections.abc import Iterator

_SPECIAL = frozenset(("_root", "_io", "_index"))
_OF_STREAM = frozenset(("pos", "size"))


def check(schema: Schema) -> None:
    """Raises SchemaError for an expression with an unknown name, and for an endless type."""
    for root in (schema.root, *schema.imports.values()):
        for type in root.walk():
            scope = _Scope(schema, root, type)
            for place, tree in _expressions(type):
                scope.check(tree, place)
            _check_ends(type)


def _expressions(type: Type) -> Iterator[tuple[Place, Expr]]:
    """Every expression of a type, with the place that it belongs to."""
    if isinstance(type.endian, Switch):
        yield type.place, type.endian.on
    nodes: list[Field | Instance] = [*type.seq, *type.instances]
    for node in nodes:
        found = [node.condition]
        found += [node.repeat] if isinstance(node, Field) else [node.value, node.pos]
        yield from ((node.place, tree) for tree in found if tree is not None)
        if node.type is not None:
            yield from ((node.place, tree) for tree in _of_ref(node.type))


def _of_ref(ref: TypeRef) -> Iterator[Expr]:
    if isinstance(ref, ByteRun) and ref.size is not None:
        yield ref.size
    if isinstance(ref, UserType):
        yield from ref.args
    if isinstance(ref, Switch):
        yield ref.on
        for _, target in ref.cases:
            yield from _of_ref(target)


class _Scope(NamedTuple):
    """Where an expression stands."""

    schema: Schema
    root: Type
    type: Type

    def check(self, tree: Expr, place: Place) -> None:
        for node in walk(tree):
            match node:
                case EnumMember(enum=path, member=member):
                    enum = find_enum(path, self.type, self.schema, place)
                    if member not in {item.id for item in enum.items}:
                        raise SchemaError(place, f"enum {enum.id!r} has no member {member!r}")
                case Cast(type=name):
                    find_type(name, self.type, self.schema, place)
                case Name(id=id) if id not in _SPECIAL and _member(self.type, id) is None:
                    raise SchemaError(place, f"type {self.type.id!r} has no {id!r}")
                case Attribute(of=Name(id="_io"), id=id) if id not in _OF_STREAM:
                    raise SchemaError(place, f"{id!r} of a stream is not supported")
                case Attribute(of=of, id=id):
                    self._check_attribute(of, id, place)
                case _:
                    pass

    def _check_attribute(self, of: Expr, id: str, place: Place) -> None:
        owner = self._type_of(of, place)
        if owner is not None and _member(owner, id) is None:
            raise SchemaError(place, f"type {owner.id!r} has no {id!r}")
        if owner is None and of != Name("_io"):
            raise SchemaError(place, f"{id!r} of what is not one value of a type of the schema")

    def _type_of(self, tree: Expr, place: Place) -> Type | None:
        """The type of one value; None for numbers, bytes, lists and the stream."""
        match tree:
            case Name(id="_root"):
                return self.root
            case Name(id=id):
                return _one(_member(self.type, id))
            case Attribute(of=of, id=id):
                owner = self._type_of(of, place)
                return None if owner is None else _one(_member(owner, id))
            case Index(of=Name(id=id)):
                return _one(_member(self.type, id), of_list=True)
            case Cast(type=name):
                return find_type(name, self.type, self.schema, place)
            case _:
                return None


def _member(type: Type, id: str) -> Param | Field | Instance | None:
    members: list[Param | Field | Instance] = [*type.params, *type.seq, *type.instances]
    return next((one for one in members if one.id == id), None)


def _one(node: Param | Field | Instance | None, of_list: bool = False) -> Type | None:
    """The type of the schema that a member, or an item of it, is a value of."""
    if node is None or isinstance(node, Param) or not isinstance(node.type, UserType):
        return None
    is_list = isinstance(node, Field) and node.repeat is not None
    return node.type.type if is_list is of_list else None


def _check_ends(type: Type) -> None:
    """A type that always holds itself has no end; lists and switches may be empty or choose."""
    waiting = [(field, field.place) for field in type.seq]
    seen: set[int] = set()
    while waiting:
        field, place = waiting.pop()
        repeated = field.repeat is not None and not isinstance(field.repeat, Integer)
        if repeated or not isinstance(field.type, UserType):
            continue
        inner = field.type.type
        if inner is type:
            raise SchemaError(place, f"type {type.id!r} holds itself")
        if id(inner) not in seen:
            seen.add(id(inner))
            waiting += [(one, place) for one in inner.seq]
