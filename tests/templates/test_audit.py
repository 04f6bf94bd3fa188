"""The full check of a template: what transformers and llama.cpp make of it, and its faults."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gguf_construct.errors import TemplateError
from gguf_construct.templates.audit import Audit, audit_template
from gguf_construct.templates.conversations import CONVERSATIONS
from gguf_construct.templates.rendering import RenderLimits
from gguf_construct.templates.turn_ends import Tokens
from tests.templates.hostile_templates import HOSTILE
from tests.templates.template_data import SPECIAL_TOKENS, STYLES, template_source

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gguf_construct.templates.finding import EngineAnswer

EACH = "{% for m in messages %}{{ m.role }}: {{ m.content }}</s>{% endfor %}"
CHATML = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def codes(audit: Audit) -> set[tuple[str, str]]:
    return {(finding.code, finding.severity) for finding in audit.findings}


@pytest.mark.parametrize("style", STYLES)
def test_real_styles_have_no_errors(style: str) -> None:
    tokens = SPECIAL_TOKENS[style]
    stops = {tokens["eos_token"]} | ({"<|end|>"} if style == "phi-3" else set())
    audit = audit_template(
        template_source(style), special_tokens=tokens, tokens=Tokens(stops=stops)
    )
    assert {finding.severity for finding in audit.findings} <= {"info"}
    assert set(audit.rendered) == set(CONVERSATIONS)


LIMITS = RenderLimits(seconds=0.5)
USED = EACH + "{% if tools %}{{ tools }}{% endif %}"


@pytest.mark.parametrize(
    ("source", "code", "severity"),
    [
        ("{% if %}", "template-syntax", "error"),
        (EACH + "{{ messages | nofilter }}", "template-syntax", "error"),
        (EACH + "{% if tools[5] %}{{ tools | nofilter }}{% endif %}", "template-filter", "info"),
        ("{{ ''.__class__ }}", "template-security", "error"),
        (EACH + "{{ messages.append(1) }}", "template-private", "error"),
        (EACH + "{% if tools %}{{ tools.append(1) }}{% endif %}", "template-private", "warning"),
        (EACH + "{{ messages[9].content.x }}", "template-render", "warning"),
        (EACH + "{{ 1 / 0 }}", "template-render", "error"),
        (EACH + "{% if tools %}{{ 1 / 0 }}{% endif %}", "template-render", "warning"),
        ("{{ raise_exception('no') }}", "template-refuses", "error"),
        (EACH + "{% if tools %}{{ raise_exception('no') }}{% endif %}", "template-refuses", "info"),
        (EACH + "{{ messages | unique | list }}", "template-llama-filter", "warning"),
        (EACH + "{{ messages is filter }}", "template-llama-test", "warning"),
        (EACH + "{% with a = 1 %}{{ a }}{% endwith %}", "template-llama-tag", "warning"),
        (EACH + "{{ [1, 2] | select('odd') | list }}", "template-llama-differs", "info"),
        (EACH + "{{ my_own }}", "template-name", "info"),
        (EACH + "{{ 'x' * 10**12 }}", "template-limit", "error"),
        ("fixed text", "template-drops-user", "error"),
        ("{{ messages[0].content }}", "template-drops-user", "warning"),
        ("{{ messages[-1].content }}", "template-drops-user", "warning"),
        (
            "{% for m in messages if m.role == 'user' %}{{ m.content }}{% endfor %}",
            "template-answer",
            "warning",
        ),
        (
            "{% for m in messages if m.role != 'system' %}{{ m.content }}{% endfor %}",
            "template-drops-system",
            "warning",
        ),
        (EACH, "template-drops-tools", "info"),
        (CHATML.partition("{% if add")[0], "template-no-generation-prompt", "warning"),
        (
            "{% for m in messages %}{{ {'user': 'assistant', 'assistant': 'user'}[m.role] }}: "
            "{{ m.content }}\n{% endfor %}",
            "template-swaps-roles",
            "error",
        ),
        (
            "{% if messages[0].role == 'system' %}{{ raise_exception('no system') }}{% endif %}"
            + EACH,
            "template-no-system",
            "info",
        ),
        (
            "{% for m in messages %}{{ m.role + m.content }}{% endfor %}{{ tools }}",
            "template-null-content",
            "warning",
        ),
    ],
)
def test_findings(source: str, code: str, severity: str) -> None:
    audit = audit_template(source, tokens=Tokens(stops=["</s>"]), limits=LIMITS)
    assert (code, severity) in codes(audit), audit.findings


@pytest.mark.parametrize(
    "source",
    [
        CHATML,
        "{% for m in messages %}{% if m.role == 'user' %}[INST] {{ m.content }} [/INST]"
        "{% else %}{{ m.content }}</s>{% endif %}{% endfor %}",
        "{% for m in messages %}<{{ m.role }}>{{ m.content }}</{{ m.role }}>{% endfor %}"
        "<assistant>",
    ],
)
def test_what_is_not_lost_is_not_reported(source: str) -> None:
    found = {code for code, _ in codes(audit_template(source))}
    assert not found & {"template-drops-user", "template-swaps-roles", "template-answer"}
    assert not found & {"template-no-generation-prompt", "template-drops-system"}


@pytest.mark.parametrize("name", ["class walk", "a trigger word", "zero width"])
def test_what_no_template_needs_is_found(name: str) -> None:
    (finding,) = {
        one.line
        for one in audit_template(HOSTILE[name]).findings
        if one.code == "template-security"
    }
    assert finding == 2


def test_a_template_for_tools_is_judged_with_tools() -> None:
    source = "{% for t in tools %}{{ t.function.name }}{% endfor %}" + EACH
    found = audit_template(source)
    assert ("template-render", "info") in codes(found)
    assert not {severity for _, severity in codes(found)} & {"error", "warning"}


def test_an_absent_variable_is_empty_for_llama_cpp() -> None:
    audit = audit_template("{{ functions | length }}{% for f in functions.x %}{% endfor %}" + EACH)
    assert ("template-render", "warning") in codes(audit)
    assert not any(severity == "error" for _, severity in codes(audit))


def test_the_line_is_that_of_an_absent_filter() -> None:
    source = "a\nb{% if tools %}\n{{ tools | nofilter }}{% endif %}" + EACH
    (finding,) = (
        one
        for one in audit_template(source).findings
        if one.code == "template-render" and "nofilter" in one.message
    )
    assert (finding.line, finding.severity) == (3, "warning")


def engine(answer: EngineAnswer | None = None, **results: str | TemplateError) -> EngineAnswer:
    """What an engine would say: a text for each conversation, but for those given."""
    if answer is not None:
        return answer
    names = [*CONVERSATIONS, "probe", "probe_turns"]
    return {name: results.get(name, "text of the engine") for name in names}


class TestEngine:
    def test_what_it_does_not_load_is_a_warning(self) -> None:
        error = TemplateError("no raw", line=3, reason="error")
        audit = audit_template(EACH, engine=lambda *_: error)
        assert audit.llama is error
        assert ("template-llama-load", "warning") in codes(audit)

    def test_what_only_the_engine_renders_is_no_error(self) -> None:
        source = "{{ 1 / 0 }}" + EACH
        assert ("template-render", "error") in codes(audit_template(source))
        audit = audit_template(source, engine=lambda *_: engine())
        assert ("template-render", "warning") in codes(audit)
        source = "{{ messages | strip }}" + EACH
        assert ("template-syntax", "error") in codes(audit_template(source))
        audit = audit_template(source, engine=lambda *_: engine())
        assert ("template-syntax", "warning") in codes(audit)

    def test_differences_and_failures_are_named(self) -> None:
        refused = TemplateError("no", line=1, reason="raised")
        audit = audit_template(EACH, engine=lambda *_: engine(system=refused))
        found = {one.code: one.message for one in audit.findings}
        assert "conversation 'system' fails in llama.cpp: no" in found["template-llama-render"]
        assert "14 conversations" in found["template-engines"]

    def test_it_gets_every_conversation_and_the_tokens(self) -> None:
        asked: list[Mapping[str, object]] = []

        def ask(source: str, conversations: Mapping[str, object], tokens: object) -> EngineAnswer:
            assert (source, tokens) == (EACH, {"bos_token": "<s>"})
            asked.append(conversations)
            return engine()

        audit_template(EACH, special_tokens={"bos_token": "<s>"}, engine=ask)
        assert set(CONVERSATIONS) < set(asked[0])

    @pytest.mark.parametrize("source", [HOSTILE["class walk"], EACH + "{{ 'x' * 10**12 }}"])
    def test_it_is_not_given_what_is_hostile(self, source: str) -> None:
        def never(*_: object) -> EngineAnswer:
            raise AssertionError("asked")

        assert audit_template(source, engine=never, limits=LIMITS).llama is None
