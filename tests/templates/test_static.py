"""What a template's syntax tree tells."""

from __future__ import annotations

import pytest

from gguf_construct.errors import TemplateError
from gguf_construct.templates.static import MAX_IN_PROCESS, parse_template, template_report
from tests.templates.template_data import STYLES, template_source


@pytest.mark.parametrize("style", STYLES)
def test_real_styles_use_what_engines_offer(style: str) -> None:
    report = template_report(template_source(style))
    assert report.unknown_filters == ()
    assert report.unknown_tests == ()
    assert report.unknown_names == ()
    assert report.dangers == ()
    assert report.llama_limits == ()
    assert "messages" in {mention.name for mention in report.names}


@pytest.mark.parametrize(
    ("source", "line", "words"),
    [
        ("{% if %}", 1, "Expected an expression"),
        ("\n\n{{ x", 3, "unexpected end"),
        ("{% nosuch %}", 1, "nosuch"),
        ("\n{{ " + "(" * 3000, 2, "deeply"),
        ("\n" + "{% if a %}" * 2000, 2, "deeply"),
        ("\n{{ " + "9" * 5000 + " }}", 2, "template"),
        ("{# x", 1, "comment"),
    ],
)
def test_parse_errors(source: str, line: int | None, words: str) -> None:
    with pytest.raises(TemplateError, match=words) as caught:
        parse_template(source)
    assert caught.value.line == line


def test_large_templates_are_parsed_by_the_child() -> None:
    parse_template("x" * (MAX_IN_PROCESS + 1))
    with pytest.raises(TemplateError) as caught:
        parse_template("\n" * MAX_IN_PROCESS + "{% endif %}")
    assert caught.value.line == MAX_IN_PROCESS + 1
    padding = "{# " + "x" * MAX_IN_PROCESS + " #}\n"
    report = template_report(padding + "{{ ''.__class__ }}{{ messages | unique }}")
    assert [one.line for one in report.dangers] == [2]
    assert [one.line for one in report.llama_limits] == [2]
    assert report.names == ((2, "messages"),)
    with pytest.raises(TemplateError, match="endif"):
        template_report(padding + "{% endif %}")


def test_report_names_lines() -> None:
    report = template_report(
        "{% set own = 1 %}\n"
        "{% macro m(p, q=1) %}{{ p }}{{ q }}{% endmacro %}\n"
        "{% for x in messages %}{{ loop.index }}{{ x }}{{ own }}{{ m(x) }}{% endfor %}\n"
        "{{ strange | unique | nofilter }}{{ range(3) }}{{ 1 is nonesuch }}\n"
        "{{ a.__class__ }}{{ b['__mro__'] }}{{ c | attr('__x__') }}\n\n"
        "{% with z = 1 %}{{ z }}{% endwith %}"
    )
    assert [m.name for m in report.unknown_names] == ["strange", "a", "b", "c"]
    assert report.unknown_filters == ((4, "nofilter"),)
    assert report.unknown_tests == ((4, "nonesuch"),)
    assert {one.line for one in report.dangers} == {5}
    assert {(one.line, one.code) for one in report.llama_limits} >= {
        (4, "template-llama-filter"),
        (4, "template-llama-test"),
        (7, "template-llama-tag"),
    }


def test_a_deep_tree_is_walked_without_recursion() -> None:
    report = template_report("{{ a" + ".b" * 20_000 + " }}")
    assert [m.name for m in report.names] == ["a"]
