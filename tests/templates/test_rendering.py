"""Rendering under limits: hostile templates end, honest ones give text."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

import pytest

from gguf_construct.errors import GGUFError, TemplateError
from gguf_construct.templates.rendering import (
    RenderLimits,
    compile_template,
    make_context,
    render_many,
    render_template,
)
from tests.support.require import EMULATED

QUICK = RenderLimits(seconds=2.0, output=1 << 20)
HELLO = make_context([{"role": "user", "content": "hi"}])


def _failure(source: str, limits: RenderLimits = QUICK) -> TemplateError:
    with pytest.raises(TemplateError) as caught:
        render_template(source, HELLO, limits=limits)
    return caught.value


@pytest.mark.parametrize(
    ("source", "reasons", "line"),
    [
        # Time.
        (
            "\n{% for i in range(99999) %}\n{% for j in range(99999) %}{% endfor %}{% endfor %}",
            {"time"},
            3,
        ),
        ("\n{% for i in range(10**9) %}{% endfor %}", {"memory"}, 2),
        ("{{ lipsum(n=1000000) }}", {"time", "memory"}, 1),
        # Memory.
        ("\n\n{{ 'a' * 10**12 }}", {"memory"}, 3),
        ("{{ [0] * 10**12 }}", {"memory"}, 1),
        ("{{ 10**12 * 'a' }}", {"memory"}, 1),
        ("{{ 10 ** (10 ** 9) }}", {"memory"}, 1),
        ("{{ 'a' | center(10**12) }}", {"memory", "error"}, 1),
        ("{{ '%999999999999d' % 1 }}", {"memory", "error"}, 1),
        ("{{ '{:>999999999999}'.format(1) }}", {"memory", "error"}, 1),
        ("{{ [1] | tojson(indent=10**12) }}", {"memory", "error"}, 1),
        (
            "{% set n = namespace(x='a') %}\n"
            "{% for i in range(99) %}{% set n.x = n.x ~ n.x %}{% endfor %}",
            {"memory"},
            2,
        ),
        (
            "{% set n = namespace(x=3) %}\n"
            "{% for i in range(99) %}{% set n.x = n.x * n.x %}{% endfor %}",
            {"memory"},
            2,
        ),
        # Output.
        ("\n{% for i in range(99999) %}{{ 'x' * 1000 }}{% endfor %}", {"output"}, 2),
        # Recursion.
        ("{% macro f() %}\n{{ f() }}{% endmacro %}{{ f() }}", {"recursion"}, 2),
        ("{{ " + "(" * 5000, {"recursion"}, 1),
        ("{{ " + "-" * 5000 + "1 }}", {"recursion"}, 1),
        ("{{ 1" + "+1" * 9000 + " }}", {"recursion", "time"}, None),
        # Walks to Python's internals.
        ("\n{{ ''.__class__.__mro__ }}", {"security"}, 2),
        ("{{ cycler.__init__.__globals__ }}", {"security"}, 1),
        ("{{ namespace.__init__.__globals__ }}", {"security"}, 1),
        ("{{ (messages | first).__class__.__base__ }}", {"security"}, 1),
        ("{{ (''| attr('__class__')).x }}", {"security", "undefined"}, 1),
        ("{{ '{0.__class__.__mro__}'.format(1) }}", {"security"}, 1),
        ("{{ messages.append(1) }}", {"security"}, 1),
        ("{{ namespace(_x=1) }}", {"security"}, 1),
        ("{% set n = namespace() %}\n{% set n._x = 1 %}", {"security"}, 2),
        ("{{ self._TemplateReference__context.environment }}", {"security", "undefined"}, 1),
        ("{% include '/etc/passwd' %}", {"error"}, 1),
        ("{% import 'os' as os %}", {"error"}, 1),
        # Mistakes.
        ("{% if %}", {"syntax"}, 1),
        ("a\nb\n{% endif %}", {"syntax"}, 3),
        ("\n{{ 1 | nofilter }}", {"syntax"}, 2),
        ("{{ 1 is notest }}", {"syntax"}, 1),
        ("{% break %}", {"syntax"}, 1),
        ("\n" + "{% for a in [1] %}" * 25 + "{% endfor %}" * 25, {"syntax"}, 2),
        ("\n{{ nothing.at.all }}", {"undefined"}, 2),
        ("a\n{{ raise_exception('no tools') }}", {"raised"}, 2),
        ("{{ raise_exception(none) }}", {"raised"}, 1),
        ("{{ 1 / 0 }}", {"error"}, 1),
        ("{{ " + "1" * 9000 + " }}", {"error"}, 1),
    ],
)
def test_hostile_and_wrong_templates(source: str, reasons: set[str], line: int | None) -> None:
    error = _failure(source)
    assert error.reason in reasons | ({"time"} if EMULATED else set()), error
    assert error.line == line
    assert len(str(error)) < 3000
    assert isinstance(error, GGUFError)


def test_the_message_names_the_line_and_nothing_of_this_machine() -> None:
    error = _failure("a\nb\n{% break %}x{{ raise_exception('x') }}")
    assert "<template>" not in str(error)
    assert str(_failure("\n\n{{ raise_exception('no tools') }}")) == (
        "line 3: the template refuses: no tools"
    )


def test_a_call_that_holds_the_interpreter_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    # Sorting calls no Python code, so only the kernel's timer or the parent can end it.
    source = "{{ (range(99999) | list * 90) | map('string') | list | sort | length }}"
    assert _failure(source, RenderLimits(seconds=0.3, memory=4 << 30)).reason == "time"


def test_too_long_a_source_is_not_even_sent() -> None:
    assert _failure("x" * 11, RenderLimits(source=10)).reason == "memory"


def test_what_was_rendered_before_a_limit_struck_is_kept() -> None:
    loops = "{% for i in range(n) %}{% for j in range(n) %}{% endfor %}{% endfor %}"
    source = loops + "ok"
    results = render_many(source, [{"n": 0}, {"n": 99999}, {"n": 0}], limits=QUICK)
    assert results[0] == "ok"
    assert [isinstance(result, TemplateError) for result in results] == [False, True, True]
    assert "not rendered" in str(results[2])


def test_one_failure_does_not_hide_the_next_rendering() -> None:
    results = render_many("{{ x.y }}", [{}, {"x": {"y": "é"}}, {"x": 1}])
    assert isinstance(results[0], TemplateError)
    assert results[1:] == ["é", ""]


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("{{ messages[0].content }}\n", "hi"),
        ("a\r\n{% if true %}\r\nb\r\n{% endif %}\r\n", "a\nb\n"),
        ("  {% if true %}x{% endif %}", "x"),
        ("{% for i in range(5) %}{% if i == 3 %}{% break %}{% endif %}{{ i }}{% endfor %}", "012"),
        ("{% generation %}a{% endgeneration %}b", "ab"),
        ("{{ strftime_now('%d %b %Y') }}", "26 Jul 2024"),
        ("{{ {'a': '<ü>'} | tojson }}", '{"a": "<ü>"}'),
        ("{{ {'a': 'ü'} | tojson(ensure_ascii=true) }}", '{"a": "\\u00fc"}'),
        ("{{ dict(a=1).a }}{{ dict.fromkeys('b', 2).b }}", "12"),
        ("{{ 2 ** 10 }}{{ 'ab' * 2 }}{{ 3 * 4 }}", "1024abab12"),
        ("{{ tools is none }}{{ documents is none }}{{ bos_token is defined }}", "TrueTrueFalse"),
        ("\0\N{GRINNING FACE}{{ '\\0' }}", "\0\N{GRINNING FACE}\0"),
        ("", ""),
    ],
)
def test_rendering(source: str, text: str) -> None:
    now = datetime(2024, 7, 26, tzinfo=timezone.utc)
    assert render_template(source, HELLO, now=now) == text


def test_bytes_that_are_no_text_survive() -> None:
    raw = b"\xff\xfe".decode("utf-8", "surrogateescape")
    context = make_context([{"role": "user", "content": raw}])
    assert render_template(raw + "{{ messages[0].content }}", context) == raw + raw


def test_compile_finds_what_parsing_does_not() -> None:
    compile_template("{{ 1 | upper }}")
    with pytest.raises(TemplateError, match="nofilter"):
        compile_template("{{ 1 | nofilter }}")


@pytest.mark.parametrize("messages", [["text"], [None], [1]])
def test_messages_must_be_mappings(messages: list[Any]) -> None:
    with pytest.raises(TemplateError, match="mapping"):
        make_context(messages)


def test_what_json_cannot_hold_is_refused() -> None:
    with pytest.raises(TemplateError, match="JSON"):
        render_template("", make_context([{"role": "user", "content": object()}]))


def test_many_slow_conversations_share_a_limit() -> None:
    slow = "{% for n in range(3000) %}{{ lipsum(n=5) | length }}{% endfor %}"
    limits = RenderLimits(seconds=0.5)
    results = render_many(slow, [make_context([])] * 20, limits=limits)
    assert len(results) == 20
    assert isinstance(results[-1], TemplateError)
    assert "not rendered" in str(results[-1])
