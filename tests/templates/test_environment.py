"""The sandbox: what it offers, and where its own limits are."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

import jinja2
import jinja2.exceptions
import pytest

from gguf_construct.templates import environment as module
from gguf_construct.templates.environment import make_environment, parsed_line

NOW = datetime(2024, 2, 29, 13, 5, tzinfo=timezone.utc)


def render(source: str, **context: Any) -> str:
    return make_environment(NOW).from_string(source).render(**context)


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("{{ strftime_now('%d.%m.%Y %H') }}", "29.02.2024 13"),
        ("{{ {'b': '<é>', 'a': 1} | tojson }}", '{"b": "<é>", "a": 1}'),
        ("{{ {'b': 1, 'a': 2} | tojson(sort_keys=true) }}", '{"a": 2, "b": 1}'),
        ("{{ 'é' | tojson(ensure_ascii=true) }}", '"\\u00e9"'),
        ("{{ [1] | tojson(indent=1) }}", "[\n 1\n]"),
        ("{{ [1, 2] | tojson(separators=(',', ':')) }}", "[1,2]"),
        ("{{ dict(a=1).a }}{{ dict([('b', 2)]).b }}", "12"),
        ("{{ dict.fromkeys(['a', 'b'], 0) | tojson }}", '{"a": 0, "b": 0}'),
        ("{% generation %}a{{ 1 }}{% endgeneration %}b", "a1b"),
        ("{% for i in range(9) %}{% if i == 2 %}{% break %}{% endif %}{{ i }}{% endfor %}", "01"),
        ("{% set n = namespace(x=1) %}{% set n.x = 2 %}{{ n.x }}", "2"),
        ("{% set n = namespace({'y': 1}, self=3) %}{{ n.y }}{{ n.self }}", "13"),
        ("{% if true %}\n  x\n  {% endif %}", "  x\n"),
    ],
)
def test_what_templates_are_offered(source: str, text: str) -> None:
    assert render(source) == text


@pytest.mark.parametrize(
    "source",
    [
        "{{ namespace(_x=1) }}",
        "{{ namespace({'_x': 1}) }}",
        "{% set n = namespace() %}{% set n._x = 1 %}",
        "{{ messages.append(1) }}",
    ],
)
def test_what_is_none_of_their_business(source: str) -> None:
    with pytest.raises(jinja2.exceptions.SecurityError):
        render(source, messages=[])


def test_a_template_may_refuse() -> None:
    for source, words in (("{{ raise_exception('no') }}", "no"), ("{{ raise_exception(5) }}", "5")):
        with pytest.raises(jinja2.exceptions.TemplateError, match=words):
            render(source)
    with pytest.raises(jinja2.exceptions.TemplateError) as caught:
        render("{{ raise_exception(none) }}")
    assert caught.value.message is None


@pytest.mark.parametrize(
    ("fine", "too_much", "words"),
    [
        ("{{ ('ab' * 50) | length }}", "{{ 'ab' * 51 }}", "the repeated text"),
        ("{{ (50 * 'ab') | length }}", "{{ 51 * 'ab' }}", "the repeated text"),
        ("{{ ([1] * 100) | length }}", "{{ [1] * 101 }}", "the repeated text"),
        ("{{ ((1, 2) * 50) | length }}", "{{ (1, 2) * 51 }}", "the repeated text"),
        ("{{ 2 ** 10 }}", "{{ 2 ** 11 }}", "the power"),
        ("{{ 1 ** 20 }}", "{{ 1 ** 21 }}", "the power"),
        ("{{ 1000 * 1000 }}", "{{ 1000 * 2000 }}", "the product"),
    ],
)
def test_results_have_a_largest_size(
    fine: str, too_much: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_REPEATED", 100)
    monkeypatch.setattr(module, "MAX_BITS", 20)
    assert render(fine)
    with pytest.raises(OverflowError, match=words):
        render(too_much)


def test_small_numbers_are_computed() -> None:
    assert (
        render("{{ 2 ** -1 }} {{ 3 * 1.5 }} {{ 2 ** 0.5 > 1 }} {{ 'a' * -1 }}") == "0.5 4.5 True "
    )


def test_the_line_that_the_parser_had_reached() -> None:
    with pytest.raises(RecursionError) as caught:
        make_environment().parse("\n\n{{ " + "(" * 3000)
    assert parsed_line(caught.value.__traceback__) == 3
    with pytest.raises(KeyError, match="mine") as other:
        raise KeyError("mine")
    assert parsed_line(other.value.__traceback__) is None
