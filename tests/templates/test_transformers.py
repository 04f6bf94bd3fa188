"""Prompts equal those of transformers' apply_chat_template, character for character."""

from __future__ import annotations

import importlib.util
import warnings
from datetime import datetime
from typing import Any

import pytest

from gguf_construct.errors import TemplateError
from gguf_construct.templates.conversations import CONVERSATIONS
from gguf_construct.templates.rendering import make_context, render_many
from tests.templates.template_data import SPECIAL_TOKENS, STYLES, template_source

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("transformers") is None, reason="transformers is not installed"
)


@pytest.fixture(scope="module")
def tokenizers() -> dict[str, Any]:
    """One tokenizer of transformers for each style, with a vocabulary of its special tokens."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from tokenizers import Tokenizer, models
        from transformers import PreTrainedTokenizerFast

        make: Any = PreTrainedTokenizerFast  # typed differently from release to release
        return {
            style: make(
                tokenizer_object=Tokenizer(models.WordLevel({"a": 0}, unk_token="a")),
                chat_template=template_source(style),
                **SPECIAL_TOKENS[style],
            )
            for style in STYLES
        }


def _expected(tokenizer: Any, name: str, **extra: Any) -> str | None:
    """What transformers renders, None where the template refuses or fails."""
    import jinja2

    conversation = CONVERSATIONS[name]
    try:
        return str(
            tokenizer.apply_chat_template(
                list(conversation.messages),
                tools=list(conversation.tools) if conversation.tools else None,
                add_generation_prompt=conversation.add_generation_prompt,
                tokenize=False,
                **extra,
            )
        )
    except (jinja2.exceptions.TemplateError, TypeError):
        return None


def _contexts(style: str, **extra: Any) -> list[dict[str, Any]]:
    return [
        make_context(
            conversation.messages,
            tools=conversation.tools,
            add_generation_prompt=conversation.add_generation_prompt,
            special_tokens=SPECIAL_TOKENS[style],
            extra=extra,
        )
        for conversation in CONVERSATIONS.values()
    ]


@pytest.mark.parametrize("style", STYLES)
def test_prompts_equal_those_of_transformers(style: str, tokenizers: dict[str, Any]) -> None:
    day = "26 Jul 2024"
    results = render_many(template_source(style), _contexts(style, date_string=day))
    rendered = 0
    for name, result in zip(CONVERSATIONS, results, strict=True):
        expected = _expected(tokenizers[style], name, date_string=day)
        if isinstance(result, TemplateError):
            assert expected is None, (name, str(result))
        else:
            assert result == expected, name
            rendered += 1
    assert rendered >= 5


def test_the_clock_and_reasoning_are_those_of_transformers(tokenizers: dict[str, Any]) -> None:
    tokenizer = tokenizers["chatml"]
    source = (
        "{{ strftime_now('%Y') }}|{% for m in messages %}{{ m.reasoning_content }}/{{ m.thinking }}"
        "/{{ m.name is defined }}|{% endfor %}{{ documents }}{{ x | tojson(indent=2) }}"
        "{{ {'b': 'ü<', 'a': 1} | tojson(sort_keys=true, separators=(',', ':')) }}\n"
    )
    messages: list[dict[str, Any]] = [
        {"role": "assistant", "content": "a", "reasoning": "r", "name": None},
        {"role": "assistant", "content": "a", "thinking": "t"},
        {"role": "assistant", "content": "a", "reasoning_content": "c", "thinking": "t"},
    ]
    now = datetime.now()
    context = make_context(
        messages, special_tokens=SPECIAL_TOKENS["chatml"], extra={"x": [1, {"k": "é"}]}
    )
    (result,) = render_many(source, [context], now=now)
    assert result == tokenizer.apply_chat_template(
        messages, chat_template=source, tokenize=False, x=[1, {"k": "é"}]
    )
