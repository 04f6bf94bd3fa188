"""What differs between two templates: the text and the prompts."""

from __future__ import annotations

import pytest

from gguf_construct.errors import TemplateError
from gguf_construct.templates.compare import compare_templates, unified_diff
from tests.templates.template_data import template_source


def test_templates_are_compared_by_what_they_render() -> None:
    old = template_source("chatml")
    assert compare_templates(old, old + "{# a comment #}") == []
    different = compare_templates(
        old, old.replace("<think>\\n\\n", "").replace("_start|>a", "_end|>a")
    )
    assert {"single", "multi_turn"} <= {found.conversation for found in different}
    assert "-<|im_start|>assistant" in different[0].diff
    assert "+<|im_end|>assistant" in different[0].diff
    tokens = compare_templates("{{ bos_token }}", "{{ bos_token }}", old_tokens={"bos_token": "a"})
    assert len(tokens) == len({found.conversation for found in tokens}) > 0
    with pytest.raises(TemplateError):
        compare_templates(old, "{% if %}")


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("a\n", "a", "+a\\ no newline at the end"),
        ("a\r\n", "a\n", "-a␍"),
        ("a\r\n", "a␍\n", "the texts differ in ways that do not show"),
        ("", "a\n", "+a"),
        ("a\n" * 5000, "b\n" * 5000, "+++ new: 5000 lines, too many to compare"),
    ],
)
def test_every_difference_of_texts_shows(old: str, new: str, line: str) -> None:
    assert line in unified_diff(old, new).split("\n")
    assert unified_diff(old, old) == ""
