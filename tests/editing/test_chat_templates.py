"""The chat templates of a document, with its special tokens."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import pytest

import gguf_construct as gc
from gguf_construct.editing.chat_templates import TemplateSet, diff_chat_templates, template_set
from gguf_construct.errors import KeyNotFoundError, RefusedError, TemplateError
from gguf_construct.templates.conversations import CONVERSATIONS
from tests.support import builders as b
from tests.support.builders import Pair
from tests.templates.template_data import template_source
from tests.tokens.token_data import open_vocabulary, token_id

if TYPE_CHECKING:
    from gguf_construct.model import Model

KEY = "tokenizer.chat_template"
HELLO = [{"role": "user", "content": "Hello"}]


def chatml(*more: Pair) -> Model:
    source = Pair(KEY.encode(), b.text(template_source("chatml")))
    return open_vocabulary("llama", source, *more)


@pytest.mark.parametrize("source", ["{{ messages }}", "{{ x }}\r\n\r\n", "", "\udcff{{ x }}"])
def test_a_template_comes_back_as_it_was_given(source: str) -> None:
    model = open_vocabulary()
    gc.set_chat_template(model, source)
    assert gc.chat_template(model) == source
    with gc.open(model.to_bytes()) as again:
        assert gc.chat_template(again) == source


def test_named_templates_are_listed() -> None:
    model = chatml()
    changes = gc.set_chat_template(model, "{{ tools }}", "tool-use")
    assert [one.key for one in changes] == [f"{KEY}.tool_use", "tokenizer.chat_templates"]
    assert list(model.metadata["tokenizer.chat_templates"]) == ["tool-use"]
    assert gc.chat_template(model, "tool-use") == gc.chat_template(model, "tool_use")
    gc.unset_chat_template(model, "tool-use")
    assert "tokenizer.chat_templates" not in model.metadata
    assert gc.chat_template(model) == template_source("chatml")


def test_an_absent_template_lists_those_there_are() -> None:
    for action in (gc.chat_template, gc.unset_chat_template):
        with pytest.raises(KeyNotFoundError, match="no chat template 'rag'") as caught:
            action(chatml(), "rag")
        assert caught.value.matches == ("default",)


def test_a_broken_template_is_refused_whole() -> None:
    model = chatml()
    with pytest.raises(RefusedError, match="line 2"):
        gc.set_chat_template(model, "a\n{% if %}", "rag")
    assert not model.metadata.is_changed
    gc.set_chat_template(model, "a\n{% if %}", "rag", force=True)
    assert gc.chat_template(model, "rag") == "a\n{% if %}"


def test_rendering_sees_the_special_tokens_and_the_date() -> None:
    model = chatml(token_id(b"eos", 7))
    source = "{{ bos_token }}|{{ eos_token }}|{{ strftime_now('%Y-%m-%d') }}|{{ thinking }}"
    text = gc.render_chat(
        model, HELLO, source=source, now=datetime(2026, 11, 30), extra={"thinking": "no"}
    )
    assert text == "<s>|<|im_end|>|2026-11-30|no"


def test_rendering_takes_the_template_of_that_name() -> None:
    model = chatml()
    gc.set_chat_template(model, "{{ tools[0] }}{{ add_generation_prompt }}", "tool_use")
    tools = [{"name": "x"}]
    text = gc.render_chat(model, HELLO, name="tool_use", tools=tools, add_generation_prompt=True)
    assert text == "{'name': 'x'}True"
    assert gc.render_chat(model, HELLO).startswith("<|im_start|>user\nHello<|im_end|>")


def test_a_template_that_refuses_says_where() -> None:
    with pytest.raises(TemplateError, match="line 2: the template refuses: no") as caught:
        gc.render_chat(chatml(), HELLO, source="\n{{ raise_exception('no') }}")
    assert (caught.value.line, caught.value.reason) == (2, "raised")


def test_a_check_knows_the_end_of_generation() -> None:
    """llama.cpp stops at <|im_end|> by its text; other engines need EOS or EOT."""
    codes = [one.code for one in gc.check_chat_template(chatml())]
    assert "template-turn-end" in codes
    for role in (b"eos", b"eot"):
        codes = [one.code for one in gc.check_chat_template(chatml(token_id(role, 7)))]
        assert "template-turn-end" not in codes


def test_a_check_knows_the_vocabulary() -> None:
    findings = gc.check_chat_template(chatml(), source="{{ '<|im_start|><|nope|>' }}")
    assert [one.message for one in findings if one.code == "template-token"] == [
        "'<|nope|>' is not a token of the vocabulary"
    ]


def test_a_check_without_vocabulary_looks_at_the_rest() -> None:
    from tests.support.builders import Model, build

    model = gc.open(build(Model((Pair(KEY.encode(), b.text("{% endif %}")),))).data)
    assert [one.code for one in gc.check_chat_template(model)] == ["template-syntax"]


class TestDiff:
    def test_the_same(self) -> None:
        assert diff_chat_templates(template_set(chatml()), template_set(chatml())) == []

    def test_text_and_prompts(self) -> None:
        new = TemplateSet({"default": template_source("chatml") + "x"}, {})
        (one,) = diff_chat_templates(TemplateSet({"default": template_source("chatml")}, {}), new)
        assert "+x\\ no newline at the end" in one.text
        assert len(one.rendered) >= 8

    def test_text_only(self) -> None:
        old = TemplateSet({"default": "{{ messages }}"}, {})
        (one,) = diff_chat_templates(old, TemplateSet({"default": "{{messages}}"}, {}))
        assert (bool(one.text), one.rendered) == (True, ())

    def test_tokens_only(self) -> None:
        source = {"default": "{{ eos_token }}"}
        (one,) = diff_chat_templates(
            TemplateSet(source, {"eos_token": "</s>"}), TemplateSet(source, {"eos_token": "<eos>"})
        )
        assert (one.text, len(one.rendered)) == ("", len(CONVERSATIONS))

    def test_tokens_that_no_prompt_shows(self) -> None:
        source = {"default": "{{ messages }}"}
        old, new = TemplateSet(source, {"eos_token": "a"}), TemplateSet(source, {})
        assert diff_chat_templates(old, new) == []

    def test_missing_ones(self) -> None:
        old, new = TemplateSet({"a-b": "x", "c": "y"}, {}), TemplateSet({"a_b": "x", "d": "z"}, {})
        found = diff_chat_templates(old, new)
        assert [(one.name, one.missing) for one in found] == [("c", "new"), ("d", "old")]
        assert diff_chat_templates(old, new, names=["a_b"]) == []
        with pytest.raises(KeyNotFoundError, match="neither side"):
            diff_chat_templates(old, new, names=["e"])

    def test_a_broken_side_says_where(self) -> None:
        old, new = TemplateSet({"default": "x"}, {}), TemplateSet({"default": "\n{% if %}"}, {})
        with pytest.raises(TemplateError, match="line 2"):
            diff_chat_templates(old, new)


def test_markers_that_are_normal_tokens_are_named_with_the_command_that_mends_them() -> None:
    source = "{% for m in messages %}<|im_start|>{{ m.content }}<|im_end|>{% endfor %}"
    with open_vocabulary() as model:
        found = list(gc.check_chat_template(model, source=source))
        (one,) = [one for one in found if one.code == "template-token-normal"]
        assert one.severity == "warning"
        assert one.message.startswith("'<|im_end|>' is a token of type normal")
        assert one.hint == "mark them: gguf-construct token mark FILE '<|im_end|>' control -i"
        gc.set_token_type(model, "<|im_end|>", "control")
        found = gc.check_chat_template(model, source=source)
        assert "template-token-normal" not in {one.code for one in found}
