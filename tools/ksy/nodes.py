"""The nodes of a loaded schema.

`load` fills them from YAML; `resolve` then sets the cross references (the fields that start
out as None).  Every node knows its place, so that each later error can name file and line.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .errors import Place
    from .expr import Expr


@dataclass
class Builtin:
    """A number: `kind` u, s or f, `width` in bytes; `endian` only where it is spelled out."""

    name: str
    kind: str
    width: int
    endian: str | None = None


@dataclass
class ByteRun:
    """Raw bytes; a `size` of None means up to the end of the stream."""

    size: Expr | None


@dataclass
class Constant:
    """Bytes that must be exactly these."""

    data: bytes


@dataclass
class UserType:
    """A reference to a type of the schema, with arguments for its parameters."""

    name: str
    args: tuple[Expr, ...]
    target: Type | None = None

    @property
    def type(self) -> Type:
        """The type itself, once resolved."""
        assert self.target is not None, self.name
        return self.target


@dataclass
class Switch:
    """One of several types, by the value of `on`; the key None is the default case."""

    on: Expr
    cases: list[tuple[Expr | None, TypeRef]]


TypeRef = Builtin | ByteRun | Constant | UserType | Switch


@dataclass
class Field:
    """An entry of `seq`."""

    id: str
    type: TypeRef
    place: Place
    doc: str = ""
    enum: str | None = None
    repeat: Expr | None = None
    condition: Expr | None = None
    any_of: tuple[int, ...] = ()
    in_enum: bool = False
    extras: dict[str, object] = field(default_factory=dict)
    enum_target: Enum | None = None


@dataclass
class Instance:
    """A calculated `value`, or a `type` read at the position `pos`."""

    id: str
    place: Place
    doc: str = ""
    value: Expr | None = None
    pos: Expr | None = None
    type: TypeRef | None = None
    condition: Expr | None = None
    extras: dict[str, object] = field(default_factory=dict)


@dataclass
class Param:
    """A parameter of a type."""

    id: str
    type: str
    place: Place
    doc: str = ""
    enum: str | None = None


@dataclass
class EnumItem:
    """A member of an enum."""

    value: int
    id: str
    doc: str = ""
    extras: dict[str, object] = field(default_factory=dict)


@dataclass
class Enum:
    """An enum; `items` in the order of the schema."""

    id: str
    place: Place
    items: list[EnumItem]


@dataclass
class Fact:
    """A decision that hand-written code needs by name: a version, or a byte order."""

    id: str
    value: int | str
    doc: str
    place: Place


@dataclass
class Limit:
    """A safety limit of the generated reader."""

    id: str
    value: int
    doc: str


@dataclass
class Type:
    """A type; the root of a file is one too."""

    id: str
    place: Place
    parent: Type | None = None
    doc: str = ""
    endian: str | Switch | None = None
    params: list[Param] = field(default_factory=list)
    seq: list[Field] = field(default_factory=list)
    instances: list[Instance] = field(default_factory=list)
    types: dict[str, Type] = field(default_factory=dict)
    enums: dict[str, Enum] = field(default_factory=dict)
    extras: dict[str, object] = field(default_factory=dict)

    def walk(self) -> list[Type]:
        """This type and all nested ones, outermost first."""
        return [self, *(inner for child in self.types.values() for inner in child.walk())]

    def instance(self, id: str) -> Instance | None:
        """The instance of that name, if any."""
        return next((one for one in self.instances if one.id == id), None)


@dataclass
class Schema:
    """A loaded file with everything that it imports."""

    root: Type
    imports: dict[str, Type]
    limits: list[Limit]
    facts: list[Fact] = field(default_factory=list)
