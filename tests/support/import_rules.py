"""Rules about imports: which folder may import which, and that no files import each other.

The table is read from docs/architecture.md.  Every import counts: those in functions and those for
type checkers too.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

__all__ = ["EVERYTHING", "Table", "circles", "forbidden", "imported_modules", "parse_table"]

ROOT = "gguf_construct"
EVERYTHING = "everything"
_HEAD = "| folder | may import |"
_EVERY = "every folder"
_QUOTED = re.compile(r"`([^`]+)`")


class Table:
    """Which folder (or file) of the package may import which."""

    def __init__(self, rows: Mapping[str, frozenset[str]]) -> None:
        self.rows = dict(rows)

    def row_of(self, module: str) -> str | None:
        """The row for a dotted module name: the one that names most of its path."""
        parts = module.split(".")[1:]
        for length in range(len(parts), 0, -1):
            name = "/".join(parts[:length])
            if name in self.rows:
                return name
        return None

    def allows(self, row: str, other: str) -> bool:
        """Whether modules of `row` may import those of `other`."""
        allowed = self.rows[row] | self.rows.get(_EVERY, frozenset())
        places = {other, other.split("/")[0]}
        return row == other or EVERYTHING in allowed or bool(places & allowed)


def parse_table(text: str) -> Table:
    """The table in a Markdown text."""
    rows: dict[str, frozenset[str]] = {}
    lines = iter(text.splitlines())
    for line in lines:
        if line.startswith(_HEAD):
            break
    next(lines)
    for line in lines:
        if not line.startswith("|"):
            break
        folders, allowed = line.strip("|").split("|")[:2]
        names = _QUOTED.findall(folders) or [folders.strip()]
        may = _QUOTED.findall(allowed) or ([EVERYTHING] if EVERYTHING in allowed else [])
        for name in names:
            assert name not in rows, f"two rows for {name}"
            rows[name] = frozenset(may)
    return Table(rows)


def imported_modules(tree: ast.AST, package: tuple[str, ...]) -> Iterator[tuple[int, str]]:
    """Line and full dotted name of everything that is imported anywhere in a file.

    `package` is the package of the file, for relative imports.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(package[: len(package) - node.level + 1]) if node.level else ""
            module = ".".join(part for part in (base, node.module or "") if part)
            for alias in node.names:
                yield node.lineno, f"{module}.{alias.name}"


def forbidden(tree: ast.AST, package: tuple[str, ...], module: str, table: Table) -> Iterator[str]:
    """Imports that the table does not allow to `module`, a dotted name."""
    row = table.row_of(module)
    if row is None:
        yield f"1: {module} is in no row of the table"
        return
    for line, name in imported_modules(tree, package):
        if name.split(".")[0] != ROOT:
            continue
        other = table.row_of(name)
        if other is None:
            yield f"{line}: {module} imports {name}, which is in no row of the table"
        elif not table.allows(row, other):
            yield f"{line}: {row} imports {name}"


def circles(imports: Mapping[str, Iterable[str]]) -> list[list[str]]:
    """The groups of modules that import each other, by Tarjan's algorithm; names sorted."""
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(module: str) -> None:
        number[module] = lowest[module] = len(number)
        stack.append(module)
        for other in imports[module]:
            if other not in number:
                visit(other)
                lowest[module] = min(lowest[module], lowest[other])
            elif other in stack:
                lowest[module] = min(lowest[module], number[other])
        if lowest[module] == number[module]:
            at = stack.index(module)
            if len(stack) - at > 1 or module in imports[module]:
                found.append(sorted(stack[at:]))
            del stack[at:]

    for module in imports:
        if module not in number:
            visit(module)
    return found
