"""Folding changes the look of generated code, never what it does."""

from __future__ import annotations

import ast

import pytest

from tools.emit.folding import WIDTH, fold

LONG = ", ".join(f"argument_number_{n}" for n in range(8))
LINES = [
    f"value = function({LONG})",
    f"return function({LONG}) + b''.join([other(item) for item in record.items]) + another({LONG})",
    f"def function({LONG}) -> tuple[int, int]:\n    pass",
    f"alignment = metadata[(number_of_things - 1)].alignment if ({'x' * 60} > 0) else DEFAULT",
    f"offset = (((first_{'x' * 40} + second_{'y' * 40}) - 1) // third_factor) * third_factor",
    f"text = 'a, b ({'(' * 30}' + other({LONG})",
    f"items[{LONG}] = 1",
]


@pytest.mark.parametrize("line", LINES)
def test_same_program(line: str) -> None:
    folded = fold(line)
    source = line if not line.startswith("return") else f"def f():\n    {line}"
    shown = (
        folded
        if not line.startswith("return")
        else "def f():\n" + "\n".join(f"    {part}" for part in folded.split("\n"))
    )
    assert ast.dump(ast.parse(shown)) == ast.dump(ast.parse(source))


def test_width_is_kept_where_it_can_be() -> None:
    for line in LINES[:4]:
        assert max(map(len, fold(line).split("\n"))) <= WIDTH


def test_short_lines_stay() -> None:
    assert fold("a = f(1, 2)\n\n# comment") == "a = f(1, 2)\n\n# comment"
