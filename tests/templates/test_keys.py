"""Where templates are kept and where they come from."""

from __future__ import annotations

import json

import pytest

from gguf_construct.errors import TemplateError
from gguf_construct.templates.keys import (
    changes_to_set,
    changes_to_unset,
    read_tokenizer_config,
    template_key,
    templates_of,
    templates_of_file,
)

PLAIN = "tokenizer.chat_template"
NAMES = "tokenizer.chat_templates"


def test_templates_of_a_model() -> None:
    metadata = {PLAIN: "p", f"{PLAIN}.rag": "r", NAMES: ["rag"], "general.name": "x"}
    assert templates_of(metadata) == {"default": "p", "rag": "r"}
    assert templates_of({"general.name": "x", PLAIN: 3}) == {}


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


def test_tokenizer_config() -> None:
    text = json.dumps(
        {
            "chat_template": [
                {"name": "default", "template": "d"},
                {"name": "tool_use", "template": "t"},
            ],
            "bos_token": {"content": "<s>", "lstrip": False},
            "eos_token": "</s>",
            "pad_token": None,
        }
    )
    config = read_tokenizer_config(text)
    assert config.templates == {"default": "d", "tool_use": "t"}
    assert config.special_tokens == {"bos_token": "<s>", "eos_token": "</s>"}
    assert templates_of_file("tokenizer_config.json", text) == config.templates


def test_template_files_are_kept_as_they_are() -> None:
    assert templates_of_file("chat_template.jinja", "a\r\nb\n") == {"default": "a\r\nb\n"}
    assert templates_of_file("X.JSON", '{"chat_template": "t"}') == {"default": "t"}


@pytest.mark.parametrize(
    "text",
    [
        *("", "{", "[]", '"x"', "{}", "[" * 100_000, '{"chat_template": [1]}'),
        *('{"chat_template": 3}', '{"chat_template": [{"name": "a"}]}'),
    ],
)
def test_wrong_configurations_are_refused(text: str) -> None:
    with pytest.raises(TemplateError):
        templates_of_file("tokenizer_config.json", text)
