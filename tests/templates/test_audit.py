"""The full check of a template, and the comparison of two."""

from __future__ import annotations

import pytest

from gguf_construct.templates.audit import TemplateFinding, audit_template
from gguf_construct.templates.rendering import RenderLimits
from tests.templates.template_data import SPECIAL_TOKENS, STYLES, template_source


def _codes(findings: list[TemplateFinding]) -> set[tuple[str, str]]:
    return {(finding.code, finding.severity) for finding in findings}


@pytest.mark.parametrize("style", STYLES)
def test_real_styles_have_no_errors(style: str) -> None:
    tokens = SPECIAL_TOKENS[style]
    stops = {tokens["eos_token"]} | ({"<|end|>"} if style == "phi-3" else set())
    findings = audit_template(template_source(style), special_tokens=tokens, stop_tokens=stops)
    assert {finding.severity for finding in findings} <= {"info"}


def test_a_turn_that_ends_with_another_token_is_found() -> None:
    findings = audit_template(
        template_source("phi-3"),
        special_tokens=SPECIAL_TOKENS["phi-3"],
        stop_tokens=["<|endoftext|>"],
    )
    assert ("template-turn-end", "info") in _codes(findings)  # llama.cpp knows it by its text
    assert any("<|end|>" in finding.message for finding in findings)
    source = template_source("phi-3").replace("<|end|>", "<|fin|>")
    assert ("template-turn-end", "warning") in _codes(audit_template(source, stop_tokens=["</s>"]))


def test_tokens_that_the_vocabulary_lacks_are_found() -> None:
    findings = audit_template(
        template_source("chatml"),
        vocabulary={"<|im_start|>", "<think>", "</think>"},
    )
    missing = {f.message.split("'")[1] for f in findings if f.code == "template-token"}
    assert "<|im_end|>" in missing
    assert "<|im_start|>" not in missing


@pytest.mark.parametrize(
    ("source", "code", "severity"),
    [
        ("{% if %}", "template-syntax", "error"),
        ("{{ messages | nofilter }}", "template-syntax", "error"),
        ("{{ ''.__class__ }}", "template-private", "error"),
        ("{{ messages.append(1) }}", "template-private", "error"),
        ("{{ messages[5].content.x }}", "template-render", "error"),
        ("{% if tools %}{{ tools[9].x }}{% endif %}", "template-render", "warning"),
        ("{{ raise_exception('no') }}", "template-refuses", "info"),
        ("{{ messages | unique | list }}", "template-llama-filter", "warning"),
        ("{{ messages is filter }}", "template-llama-test", "warning"),
        ("{% with a = 1 %}{{ a }}{% endwith %}", "template-llama-tag", "warning"),
        ("{{ my_own }}", "template-name", "info"),
        ("fixed text", "template-answer", "warning"),
        (
            "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}",
            "template-limit",
            "error",
        ),
        ("{{ 'x' * 10**12 }}", "template-limit", "error"),
    ],
)
def test_findings(source: str, code: str, severity: str) -> None:
    limits = RenderLimits(seconds=0.5)
    findings = audit_template(source, stop_tokens=["</s>"], limits=limits)
    assert (code, severity) in _codes(findings)
