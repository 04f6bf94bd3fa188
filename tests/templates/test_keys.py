"""Where templates are kept."""

from __future__ import annotations

import pytest

from gguf_construct.errors import TemplateError
from gguf_construct.templates.keys import (
    changes_to_set,
    changes_to_unset,
    numbered,
    template_key,
    templates_of,
)

PLAIN = "tokenizer.chat_template"
NAMES = "tokenizer.chat_templates"


def test_templates_of_a_model() -> None:
    metadata = {PLAIN: "p", f"{PLAIN}.rag": "r", NAMES: ["rag"], "general.name": "x"}
    assert templates_of(metadata) == {"default": "p", "rag": "r"}
    assert templates_of({"general.name": "x", PLAIN: 3}) == {}


def test_every_occurrence_has_a_name() -> None:
    pairs = [(f"{PLAIN}.a", "1"), (PLAIN, "2"), (PLAIN, "3"), (f"{PLAIN}.a", "4"), (PLAIN, 5)]
    assert numbered([*pairs, ("general.name", "x")]) == {
        "default": "2",
        "default#2": "3",
        "a": "1",
        "a#2": "4",
    }
    assert next(iter(numbered(pairs))) == "default"


def test_keys() -> None:
    assert template_key() == PLAIN
    assert template_key("tool-use 2") == f"{PLAIN}.tool_use_2"
    with pytest.raises(TemplateError):
        template_key("")


def test_setting_keeps_the_list_of_names() -> None:
    assert changes_to_set({}, "x") == {PLAIN: "x"}
    assert changes_to_set({NAMES: ["a"]}, "x", "b-1") == {
        f"{PLAIN}.b_1": "x",
        NAMES: ["a", "b-1"],
    }
    assert changes_to_set({NAMES: ["a", "b-1"]}, "x", "b_1") == {f"{PLAIN}.b_1": "x"}


def test_unsetting_keeps_the_list_of_names() -> None:
    metadata = {PLAIN: "p", f"{PLAIN}.a": "x", f"{PLAIN}.b": "y", NAMES: ["a", "b"]}
    assert changes_to_unset(metadata) == {PLAIN: None}
    assert changes_to_unset(metadata, "b") == {f"{PLAIN}.b": None, NAMES: ["a"]}
    only = {f"{PLAIN}.a": "x", NAMES: ["a"]}
    assert changes_to_unset(only, "a") == {f"{PLAIN}.a": None, NAMES: None}
    with pytest.raises(TemplateError) as caught:
        changes_to_unset(only, "c")
    assert caught.value.hint == "it has: a"
