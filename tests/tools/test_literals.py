"""Literals as text: one line where it fits, else one item a line, and always the same value."""

from __future__ import annotations

import ast
from typing import Any

import pytest

from tools.emit.literals import Literal, call, mapping, quoted, render, sequence

WIDTH = 100


def lines_of(literal: Literal, head: str = "", tail: str = "", indent: int = 0) -> list[str]:
    return list(render(literal, head, tail, indent))


@pytest.mark.parametrize(
    ("literal", "text"),
    [
        ("5", "5"),
        (quoted("a"), '"a"'),
        (quoted('say "a"'), "'say \"a\"'"),
        (quoted("'\""), '"\'\\""'),
        (quoted("ä\n"), '"\\xe4\\n"'),
        (sequence([]), "()"),
        (sequence(["1"]), "(1,)"),
        (sequence(["1", "2"]), "(1, 2)"),
        (call("f", ["1"], b="2"), "f(1, b=2)"),
        (call("f", []), "f()"),
        (mapping([(quoted("k"), "1"), ("2", sequence(["3"]))]), '{"k": 1, 2: (3,)}'),
    ],
)
def test_what_fits_is_one_line(literal: Literal, text: str) -> None:
    assert lines_of(literal) == [text]


@pytest.mark.parametrize("room", [0, 1])
def test_the_width_counts_all_of_the_line(room: int) -> None:
    items = sequence(["1" * 40, "2" * (WIDTH - 40 - 4 - 4 - 1 - 2 - room)])
    shown = lines_of(items, "x = ", ",", 2)
    assert (len(shown) == 1) == (len(shown[0]) <= WIDTH)
    assert all(len(line) <= WIDTH for line in shown)


def value_of(lines: list[str]) -> Any:
    return ast.literal_eval("\n".join(lines).removeprefix("x = "))


@pytest.mark.parametrize("count", [1, 3, 40, 300])
def test_long_texts_are_split_and_stay_the_same(count: int) -> None:
    text = "word's  " * count + "\u2014end"
    shown = lines_of(quoted(text), "x = ")
    assert value_of(shown) == text
    assert all(len(line) <= WIDTH for line in shown)
    assert (len(shown) == 1) == (count < 11)


def test_long_groups_have_one_item_a_line() -> None:
    rows = [(quoted(f"key{i}"), sequence([quoted("v" * 30), quoted("w" * 40)])) for i in range(9)]
    shown = lines_of(mapping(rows), "x = ")
    assert value_of(shown) == {f"key{i}": ("v" * 30, "w" * 40) for i in range(9)}
    assert len(shown) == 11
    assert shown[1].startswith('    "key0": (')
    assert shown[1].endswith(",")
    assert shown[-1] == "}"
