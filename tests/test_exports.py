"""What the package offers by name is whole, documented and called by its public name."""

from __future__ import annotations

import ast
import inspect
import pickle
from pathlib import Path

import pytest

import gguf_construct as gc

KEPT = sorted(set(gc.__all__) - {"__version__", "errors"})


def test_the_list_is_sorted_and_complete() -> None:
    assert gc.__all__ == sorted(gc.__all__)
    assert dir(gc) == gc.__all__
    assert set(gc._HOMES) == set(KEPT)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        gc.nothing  # type: ignore[attr-defined]  # noqa: B018  (type checkers see it, too)


def test_type_checkers_see_the_same_names() -> None:
    tree = ast.parse(Path(gc.__file__).read_text(encoding="utf-8"))
    found = {}
    for block in tree.body:
        if isinstance(block, ast.If) and isinstance(block.test, ast.Name):
            for node in block.body:
                assert isinstance(node, ast.ImportFrom)
                for alias in node.names:
                    found[alias.asname or alias.name] = node.module
    assert found.pop("errors") is None  # from the package itself
    assert found == gc._HOMES


@pytest.mark.parametrize("name", KEPT)
def test_each_name_is_what_help_and_pickles_say(name: str) -> None:
    value = getattr(gc, name)
    assert (value.__module__, value.__qualname__) == ("gguf_construct", name)
    assert pickle.loads(pickle.dumps(value)) is value
    assert inspect.getdoc(value)


@pytest.mark.parametrize("name", gc.errors.__all__)
def test_each_error_is_documented(name: str) -> None:
    value = getattr(gc.errors, name)
    assert value.__doc__
    assert value.__module__ in ("gguf_construct", "gguf_construct.errors")
