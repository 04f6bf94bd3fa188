"""What no chat template needs is found, and honest templates are left alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gguf_construct.templates.security import find_dangers
from gguf_construct.templates.syntax import parse_tree
from tests.templates.hostile_templates import HOSTILE
from tests.templates.template_data import STYLES, template_source

if TYPE_CHECKING:
    from gguf_construct.templates.danger import Danger


def dangers(source: str) -> list[Danger]:
    return find_dangers(source, parse_tree(source))


def test_there_are_enough_hostile_templates() -> None:
    assert len(HOSTILE) >= 60


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_templates_are_found_with_their_line(name: str) -> None:
    found = dangers(HOSTILE[name])
    assert found
    assert {one.line for one in found} == {2}
    assert all(one.message for one in found)


@pytest.mark.parametrize("style", STYLES)
def test_real_styles_are_left_alone(style: str) -> None:
    assert dangers(template_source(style)) == []


@pytest.mark.parametrize(
    "source",
    [
        "{% if '</think>' in message.content %}{{ 'You see some words here' }}{% endif %}",
        "{% if '/no_think' in content %}Answer without thinking about it.{% endif %}",
        "{% if 'parts' in message.content %}some words of text{{ content.parts }}{% endif %}",
        "{{ '<|token{}|>'.format(x) }}{{ '%02d' % loop.index }}{{ loop.index0 % 2 }}",
        "{% for a in range(10) %}{% for b in range(10) %}{% endfor %}{% endfor %}",
        "{% macro f(x) %}{% if x.items %}{{ f(x.items) }}{% endif %}{% endmacro %}",
        "Today is {{ strftime_now('%d %B %Y') }}.",
        "{% if strftime_now is defined %}{{ strftime_now('%Y') }}{% endif %}",
        "{{ messages[loop.index0 - 1]['content'] }}{{ x[key] }}{{ x[1:][0] }}",
        "\N{HEAVY BLACK HEART}\ufe0f \U0001f468\u200d\U0001f469 \u0645\u06cc\u200c\u062e",
        "{{ tools | tojson(indent=4) }}{{ '-' * 40 }}",
        "{% set type = 1 %}{{ type }}{% macro open(x) %}{% endmacro %}{{ open(1) }}",
    ],
)
def test_what_honest_templates_do_is_no_danger(source: str) -> None:
    assert dangers(source) == []


def test_characters_are_named_by_code_point() -> None:
    (one,) = dangers("a\n\u202ex\u202c\u200b\u200b")
    assert one.line == 2
    assert "U+202E RIGHT-TO-LEFT OVERRIDE (bidirectional)" in one.message
    assert "U+200B ZERO WIDTH SPACE (invisible) x2" in one.message


def test_a_huge_tree_is_looked_at_without_recursion() -> None:
    assert dangers("{{ 1" + " * 1" * 5000 + " }}") == []
    assert (
        dangers("{{ a" + " | f" * 5000 + " }}{% for x in a" + " | f" * 5000 + " %}{% endfor %}")
        == []
    )
