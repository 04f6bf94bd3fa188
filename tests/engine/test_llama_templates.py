"""llama.cpp's own template engine: asked, and our rules about it held against it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gguf_construct.engine import llama_templates
from gguf_construct.engine.llama_templates import LlamaRun, ask_llama, render_with_llama
from gguf_construct.errors import TemplateError
from gguf_construct.templates.conversations import CONVERSATIONS, Conversation
from gguf_construct.templates.llama_limits import llama_limits
from gguf_construct.templates.rendering import render_conversations, render_many
from gguf_construct.templates.syntax import parse_tree
from tests.support.require import need_engine
from tests.templates.llama_limit_cases import (
    DIFFERS,
    FINE,
    OPERANDS,
    OPERATORS,
    PARSED,
    REACHED,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

pytestmark = pytest.mark.engine

EACH = "{{ bos_token }}{% for m in messages %}[{{ m.role }}]{{ m.content }}{% endfor %}"


@pytest.fixture(scope="module", autouse=True)
def _engine() -> None:
    need_engine()


def reached(sources: Sequence[str]) -> dict[str, str | TemplateError]:
    """What llama.cpp makes of each, in one template where a message chooses the branch."""
    head = "{% set c = messages[0].content %}"
    branches = "".join(
        f"{{% {'elif' if at else 'if'} c == 'N{at}' %}}{source}"
        for at, source in enumerate(sources)
    )
    conversations = {
        source: Conversation(({"role": "user", "content": f"N{at}"},))
        for at, source in enumerate(sources)
    }
    run = render_with_llama(f"{head}{branches}{{% else %}}{{{{ c }}}}{{% endif %}}", conversations)
    assert run.error is None
    return run.results


def test_what_it_cannot_parse_does_not_load() -> None:
    for source in PARSED:
        run = render_with_llama(source + EACH, {})
        assert not run.loads, source
        assert run.error is not None
        assert "ended with" not in run.error.message, source


def test_what_it_cannot_do_fails_when_it_is_reached() -> None:
    results = reached(REACHED)
    assert [source for source, one in results.items() if isinstance(one, str)] == []


def test_what_it_can_do_comes_out_as_in_transformers() -> None:
    results = reached(FINE)
    for source, result in results.items():
        assert [result] == render_many(source, [{}]), source


def test_other_results() -> None:
    for source, result in reached(DIFFERS).items():
        assert isinstance(result, str), source
        assert [result] != render_many(source, [{}]), source


def test_operators_on_every_pair_of_kinds() -> None:
    """Where Python has a result, our rule says what llama.cpp says."""
    sources = [
        f"{{{{ {one} {operator} {other} }}}}"
        for operator in OPERATORS
        for one in OPERANDS.values()
        for other in OPERANDS.values()
        # After a brace, llama.cpp takes these signs for those of a number.
        if not (one.endswith("}") and operator in "+-")
    ]
    wrong = []
    for start in range(0, len(sources), 144):
        for source, result in reached(sources[start : start + 144]).items():
            python = render_many(source, [{}])[0]
            limited = bool(llama_limits(source, parse_tree(source)))
            if isinstance(python, str) and limited == isinstance(result, str):
                wrong.append((source, str(result)))
    assert wrong == []


def test_conversations_come_out_as_in_transformers() -> None:
    run = render_with_llama(EACH, CONVERSATIONS, special_tokens={"bos_token": "<bos>"})
    assert run.loads
    assert run.version
    expected = render_conversations(EACH, CONVERSATIONS, special_tokens={"bos_token": "<bos>"})
    for name in ("single", "system", "multi_turn", "finished", "turns"):
        assert run.results[name] == expected[name]


@pytest.mark.parametrize(
    ("tokens", "text"),
    [
        ({}, "|"),
        ({"bos_token": "<b>"}, "<b>|"),
        ({"bos_token": "</s>", "eos_token": "</s>"}, "</s>|</s>"),
        ({"eos_token": "<s>"}, "|<s>"),
    ],
)
def test_it_sees_the_special_tokens(tokens: dict[str, str], text: str) -> None:
    source = "{{ bos_token }}|{{ eos_token }}{% if 0 %}{{ messages }}{% endif %}"
    one = {"single": CONVERSATIONS["single"]}
    assert render_with_llama(source, one, special_tokens=tokens).results == {"single": text}


def test_variables_reach_it() -> None:
    source = "{{ messages[0].content }}{{ a }}{{ documents[0].title }}{{ tools | length }}"
    one = {
        "x": Conversation(
            ({"role": "user", "content": "hi"},),
            tools=CONVERSATIONS["tools"].tools,
            documents=({"title": "T"},),
        )
    }
    assert render_with_llama(source, one, extra={"a": 5}).results == {"x": "hi5T1"}


def test_errors_have_reason_and_line() -> None:
    source = EACH + "\n{% if tools %}{{ raise_exception('no tools') }}{% endif %}"
    answer = ask_llama(source, {"tools": CONVERSATIONS["tools"]}, {})
    assert not isinstance(answer, TemplateError)
    refused = answer["tools"]
    assert isinstance(refused, TemplateError)
    assert (refused.message, refused.line, refused.reason) == ("no tools", 2, "raised")
    broken = ask_llama(EACH + "\n{{ 'b' > 'a' }}", {}, {})
    assert isinstance(broken, TemplateError)
    assert broken.line == 2
    assert broken.message == 'Unknown operator ">" between String and String'


def test_a_template_without_end_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(llama_templates, "_STARTUP", 3.0)
    source = "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}"
    run = render_with_llama(source, {"single": CONVERSATIONS["single"]}, seconds=0.1)
    assert not run.loads
    assert run.error is not None
    assert run.error.reason == "crash"


def test_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(llama_templates, "_PACKAGE", "no_such_package_here")
    assert not llama_templates.is_installed()
    with pytest.raises(TemplateError, match="not installed"):
        render_with_llama(EACH, {})
    assert isinstance(LlamaRun(False), LlamaRun)
