"""What the functions of one codec share: names of functions, struct formats, number tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .layout import FORMATS, switch_cases
from .versions import suffix

if TYPE_CHECKING:
    from tools.ksy.nodes import Field, Schema, Type

    from .shapes import Number


class Coders:
    """The codec of one byte order and version; collects the formats and tables that it needs."""

    def __init__(self, schema: Schema, order: str, version: int) -> None:
        self.schema = schema
        self.order = order
        self.version = version
        self.formats: set[str] = set()
        self.tables: dict[str, str] = {}

    def name(self, verb: str, type: Type, plural: str = "") -> str:
        """The function that does something with a type: read_string_v2."""
        return f"{verb}_{type.id}{plural}{suffix(self.schema, type, self.version)}"

    def number(self, shape: Number) -> tuple[str, int]:
        """The name of the Struct that reads a number, and its width."""
        kind, width = shape.of(self.version)
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
            kind = shape.of(self.version)[0]
            rows.append(f"    {value}: ({coder}, {kind!r}, {width}),")
        text = "\n".join(rows)
        for name, known in self.tables.items():
            if known == text:
                return name
        name = f"_{cases.on.upper()}_NUMBERS"
        self.tables[name] = text
        return name
