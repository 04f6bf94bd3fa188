"""One setting on both sides: the same value, however each side stores it."""

from __future__ import annotations

from typing import Any

import pytest

from gguf_construct.core.registry import find
from gguf_construct.upstream.values import equal, is_same


def info_of(suffix: str) -> Any:
    found = find(f"llama.{suffix}", "llama")
    assert found is not None, suffix
    return found


EQUAL: list[tuple[Any, Any, bool]] = [
    (5, 5, True),
    (5, 6, False),
    (5, 5.0, True),
    (True, 1, True),
    (True, 0, False),
    (True, "x", False),
    (1, True, True),
    (0.10000000149011612, 0.1, True),
    (0.1, 0.1, True),
    (0.10000001, 0.1, False),
    (0.5, 1e39, False),
    (float("inf"), 1e39, False),
    ("a", "a", True),
    ("a", "b", False),
    ([1, 2], [1, 2], True),
    ((1, 2), [1, 2], True),
    ([1, 2], [1, 3], False),
    ([1, 2], [1], False),
]


@pytest.mark.parametrize(("ours", "theirs", "wanted"), EQUAL)
def test_values_as_they_are_stored(ours: Any, theirs: Any, wanted: bool) -> None:
    assert equal(ours, theirs) is wanted
    assert is_same(info_of("context_length"), ours, theirs) is wanted


LAYERS: list[tuple[Any, Any, bool]] = [
    ([8, 8], 8, True),
    ([8, 0], 8, True),
    ([0, 0], 8, False),
    ([0, 0], 0, False),
    ([8, 9], 8, False),
    (8, [8, 8], True),
    (8, [8, 9], False),
    (8, [], False),
    (8, {"a": 8, "b": 8}, True),
]


@pytest.mark.parametrize(("ours", "theirs", "wanted"), LAYERS)
def test_one_number_for_all_layers(ours: Any, theirs: Any, wanted: bool) -> None:
    assert is_same(info_of("feed_forward_length"), ours, theirs) is wanted


def test_a_list_of_a_key_without_layers_is_no_number() -> None:
    assert not is_same(info_of("context_length"), [8, 8], 8)


def test_numbers_with_names_are_compared_by_name() -> None:
    info = info_of("expert_gating_func")
    number, name = next((number, name) for number, name in info.values if name)
    assert is_same(info, number, name.upper().replace("_", ""))
    assert not is_same(info, number, name + "x")
    assert is_same(info, number, number)
    assert is_same(info, 999, "999")
