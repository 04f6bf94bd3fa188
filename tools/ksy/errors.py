"""The one error of the generator: what is wrong in which schema file, on which line."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Place", "SchemaError"]


class Place(NamedTuple):
    """A line of a schema file, counted from 1."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


class SchemaError(Exception):
    """The schema says something that the generator does not know, or contradicts itself."""

    def __init__(self, place: Place, message: str) -> None:
        super().__init__(f"{place}: {message}")
        self.place = place
        self.message = message
