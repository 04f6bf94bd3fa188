"""Published chat templates: rendered as transformers does, accepted, and free of alarms."""

from __future__ import annotations

import importlib.util
import warnings
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from gguf_construct.engine.llama_templates import ask_llama, render_with_llama
from gguf_construct.errors import TemplateError
from gguf_construct.templates.audit import Audit, audit_template
from gguf_construct.templates.conversations import CONVERSATIONS, Conversation
from gguf_construct.templates.rendering import make_context, render_conversations, render_many
from gguf_construct.templates.static import template_report
from tests.support.require import need_corpus, need_engine
from tools.corpus import expected_prompts, published_templates

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tools.corpus import Expected

pytestmark = pytest.mark.slow

TOKENS = {"bos_token": "<BOS>", "eos_token": "<EOS>"}


@pytest.fixture(scope="module")
def templates() -> dict[str, str]:
    return published_templates(need_corpus())


def test_there_are_many(templates: dict[str, str]) -> None:
    assert len(templates) >= 60
    assert len(CONVERSATIONS) == 15


def test_none_of_them_is_taken_for_an_attack(templates: dict[str, str]) -> None:
    reports = {name: template_report(source) for name, source in templates.items()}
    assert {name: one.dangers for name, one in reports.items() if one.dangers} == {}
    assert {name for name, one in reports.items() if one.unknown_tests} == set()


def test_prompts_are_those_of_transformers(templates: dict[str, str]) -> None:
    """Byte for byte; where transformers fails, we fail."""
    if importlib.util.find_spec("transformers") is None:
        pytest.skip("transformers is not installed")
    tokenizer = _tokenizer()
    wrong, compared = [], 0
    for name, source in templates.items():
        results = render_conversations(
            source, CONVERSATIONS, special_tokens=TOKENS, extra={"date_string": "26 Jul 2024"}
        )
        for conversation, result in results.items():
            expected = _expected(tokenizer, source, CONVERSATIONS[conversation])
            same = expected is None if isinstance(result, TemplateError) else result == expected
            compared += 1
            if not same:
                wrong.append((name, conversation))
    assert wrong == []
    assert compared == 15 * len(templates)


def _tokenizer() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from tokenizers import Tokenizer, models
        from transformers import PreTrainedTokenizerFast

        make: Any = PreTrainedTokenizerFast  # typed differently from release to release
        model = models.WordLevel({"a": 0}, unk_token="a")
        return make(tokenizer_object=Tokenizer(model), **TOKENS)


def _expected(tokenizer: Any, source: str, conversation: Conversation) -> str | None:
    """What transformers renders, None where the template refuses or fails."""
    try:
        return str(
            tokenizer.apply_chat_template(
                list(conversation.messages),
                chat_template=source,
                tools=list(conversation.tools) if conversation.tools else None,
                documents=list(conversation.documents) if conversation.documents else None,
                add_generation_prompt=conversation.add_generation_prompt,
                tokenize=False,
                date_string="26 Jul 2024",
            )
        )
    except Exception:  # whatever the template does wrong
        return None


def test_what_an_engine_renders_is_no_error(templates: dict[str, str]) -> None:
    need_engine()

    def audit(source: str) -> Audit:
        return audit_template(source, special_tokens=TOKENS, engine=ask_llama)

    with ThreadPoolExecutor(2) as pool:
        audits = dict(zip(templates, pool.map(audit, templates.values()), strict=True))
    errors = {
        name: [one for one in found.findings if one.severity == "error"]
        for name, found in audits.items()
    }
    assert {name: found for name, found in errors.items() if found} == {}
    assert [name for name, one in audits.items() if isinstance(one.llama, TemplateError)] == []


def test_without_llama_cpp_none_is_an_error_either(templates: dict[str, str]) -> None:
    """Not the one that reads a variable that no engine gives: for llama.cpp it is empty."""
    for name, source in templates.items():
        findings = audit_template(source, special_tokens=TOKENS).findings
        assert [one for one in findings if one.severity == "error"] == [], name


@pytest.fixture(scope="module")
def expected() -> list[Expected]:
    found = expected_prompts(need_corpus())
    assert len(found) >= 30
    return found


def _system_in_first_turn(messages: tuple[dict[str, Any], ...]) -> Iterator[dict[str, Any]]:
    """What llama.cpp makes of messages where a template does not take a system message."""
    system, user, *rest = messages
    yield {**user, "content": f"{system['content']}\n{user['content']}"}
    yield from rest


def test_prompts_are_those_that_llama_cpps_test_expects(expected: list[Expected]) -> None:
    merged = []
    for one in expected:
        special = {"bos_token": one.bos, "eos_token": one.eos}
        contexts = [
            make_context(list(messages), add_generation_prompt=True, special_tokens=special)
            for messages in (one.messages, [*_system_in_first_turn(one.messages)])
        ]
        plain, in_first_turn = render_many(one.source, contexts)
        if plain != one.prompt:
            assert in_first_turn == one.prompt, one.name
            merged.append(one.name)
    assert len(merged) <= 6


def test_the_engine_makes_the_prompts_that_its_test_expects(expected: list[Expected]) -> None:
    need_engine()

    def render(one: Expected) -> object:
        special = {"bos_token": one.bos, "eos_token": one.eos}
        return render_with_llama(
            one.source, {"x": Conversation(one.messages)}, special_tokens=special
        ).results.get("x")

    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(render, expected))
    wrong = [one.name for one, prompt in zip(expected, found, strict=True) if prompt != one.prompt]
    assert wrong == []
