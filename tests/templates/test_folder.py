"""The chat templates of a Hugging Face folder: precedence, contradictions, broken files."""

from __future__ import annotations

import json

import pytest

from gguf_construct.errors import TemplateError
from gguf_construct.templates.folder import (
    OtherTemplate,
    file_templates,
    folder_templates,
    json_object,
)

CONFIG = {
    "chat_template": "from config",
    "eos_token": {"content": "</s>", "lstrip": False},
    "bos_token": "<s>",
    "pad_token": None,
}
TOKENS = {"eos_token": "</s>", "bos_token": "<s>"}
IN_CONFIG = {"tokenizer_config.json": json.dumps(CONFIG).encode()}
POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:06\nsize 27868174\n"


def test_a_configuration_has_templates_and_tokens() -> None:
    found = folder_templates(IN_CONFIG)
    assert found == ({"default": "from config"}, TOKENS, {"default": "tokenizer_config.json"}, ())


def test_template_files_replace_the_configuration() -> None:
    found = folder_templates(
        {
            **IN_CONFIG,
            "chat_template.jinja": b"from jinja",
            "additional_chat_templates/rag.jinja": b"from rag",
        }
    )
    assert found.templates == {"default": "from jinja", "rag": "from rag"}
    assert found.special_tokens == TOKENS
    assert found.files["rag"] == "additional_chat_templates/rag.jinja"
    assert found.others == (OtherTemplate("default", "tokenizer_config.json", "from config"),)


@pytest.mark.parametrize(
    ("names", "text", "others"),
    [
        (("chat_template.jinja", "tokenizer_config.json", "chat_template.json"), "j", 2),
        (("tokenizer_config.json", "chat_template.json"), "t", 1),
        (("chat_template.json",), "c", 0),
        (("chat_template.jinja", "chat_template.json"), "j", 1),
    ],
)
def test_the_tokenizer_counts_before_the_processor(
    names: tuple[str, ...], text: str, others: int
) -> None:
    contents = {
        "chat_template.jinja": b"j",
        "tokenizer_config.json": b'{"chat_template": "t"}',
        "chat_template.json": b'{"chat_template": "c"}',
    }
    for order in (names, names[::-1]):
        found = folder_templates({name: contents[name] for name in order})
        assert (found.templates, len(found.others)) == ({"default": text}, others)


def test_the_same_text_twice_is_no_contradiction() -> None:
    files = {**IN_CONFIG, "chat_template.jinja": b"from config"}
    assert folder_templates(files).others == ()


def test_named_templates_of_a_configuration() -> None:
    entries = [{"name": "default", "template": "d"}, {"name": "tool_use", "template": "t"}]
    data = json.dumps({"chat_template": entries}).encode()
    assert file_templates("tokenizer_config.json", data).templates == {
        "default": "d",
        "tool_use": "t",
    }


def test_template_files_are_kept_as_they_are() -> None:
    data = b"\xef\xbb\xbfa\r\n\xff\n"
    assert file_templates("x.jinja", data)[:2] == ({"default": "\ufeffa\r\n\udcff\n"}, {})


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_a_byte_order_mark_before_json_is_passed_over(mark: bytes) -> None:
    data = mark + json.dumps(CONFIG).encode()
    assert file_templates("X.JSON", data)[:2] == ({"default": "from config"}, TOKENS)
    assert folder_templates({"tokenizer_config.json": data}).special_tokens == TOKENS


@pytest.mark.parametrize(
    "text",
    [
        *("", "{", "[]", '"x"', "{}", "[" * 100_000, '{"chat_template": [1]}'),
        *('{"chat_template": 3}', '{"chat_template": [{"name": "a"}]}'),
        '{"chat_template": [{"name": "", "template": "a"}]}',
    ],
)
def test_wrong_configurations_are_refused(text: str) -> None:
    with pytest.raises(TemplateError, match=r"tokenizer_config\.json"):
        file_templates("tokenizer_config.json", text.encode())


def test_a_configuration_without_template_says_where_to_look() -> None:
    with pytest.raises(TemplateError, match="has no chat_template") as caught:
        file_templates("tokenizer_config.json", b"{}")
    assert "chat_template.jinja" in (caught.value.hint or "")


@pytest.mark.parametrize("name", ["chat_template.jinja", "tokenizer_config.json"])
def test_a_pointer_is_not_the_file(name: str) -> None:
    with pytest.raises(TemplateError, match="git-lfs pointer") as caught:
        folder_templates({name: POINTER})
    assert "git lfs pull" in (caught.value.hint or "")
    with pytest.raises(TemplateError, match="git-lfs pointer"):
        file_templates(name, POINTER)


def test_a_template_that_speaks_of_pointers_is_one() -> None:
    text = POINTER + b"x" * 2000
    assert file_templates("a.jinja", text).templates["default"].startswith("version")


def test_errors_in_json_have_their_line() -> None:
    with pytest.raises(TemplateError, match="not JSON") as caught:
        json_object("config.json", b'{\n"a": }')
    assert caught.value.line == 2
