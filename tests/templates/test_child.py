"""The child that renders: one request in, one line of JSON for each piece out."""

from __future__ import annotations

import faulthandler
import io
import json
import sys
import time
from types import SimpleNamespace
from typing import Any

import jinja2.exceptions
import pytest

from gguf_construct.templates import child
from gguf_construct.templates.environment import make_environment


@pytest.fixture
def ask(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Ask without a process: no memory is limited, no clock ends us."""
    monkeypatch.setattr(child, "_limit_memory", lambda limit: None)
    monkeypatch.setattr(faulthandler, "dump_traceback_later", lambda *_, **__: None)

    def request(source: str, *contexts: dict[str, Any], **how: Any) -> list[dict[str, Any]]:
        out = io.BytesIO()
        monkeypatch.setattr(sys, "stdout", SimpleNamespace(buffer=out))
        about = {"source": source, "contexts": contexts, "now": None, "seconds": 5.0}
        child.main({**about, "memory": 0, "output": 100, **how})
        monkeypatch.undo()
        return [json.loads(line) for line in out.getvalue().splitlines()]

    return request


def test_each_context_has_its_answer(ask: Any) -> None:
    ready, first, second = ask("a\n{{ x }}", {"x": 1}, {"x": "é"})
    assert ready["ready"] is True
    assert ready["lines"]
    assert (first, second) == ({"text": "a\n1"}, {"text": "a\né"})


def test_the_clock_can_be_told(ask: Any) -> None:
    _, answer = ask("{{ strftime_now('%Y') }}", {}, now="2001-02-03T04:05:06")
    assert answer == {"text": "2001"}


def test_a_template_that_cannot_be_compiled_is_the_only_answer(ask: Any) -> None:
    (answer,) = ask("\n{% if %}", {}, {})
    assert (answer["reason"], answer["line"]) == ("syntax", 2)


def test_one_that_fails_does_not_end_the_others(ask: Any) -> None:
    _, first, second = ask("{{ 1 // x }}", {"x": 0}, {"x": 1})
    assert first["reason"] == "error"
    assert first["error"].startswith("ZeroDivisionError: ")
    assert first["line"] == 1
    assert second == {"text": "1"}


@pytest.mark.parametrize(("count", "fits"), [(50, True), (51, False)])
def test_the_text_has_a_largest_length(ask: Any, count: int, fits: bool) -> None:
    _, answer = ask("\n{% for i in range(n) %}ab{% endfor %}", {"n": count}, output=101)
    if fits:
        assert len(answer["text"]) == 101
    else:
        assert answer == {
            "error": "it renders more than 101 characters",
            "reason": "output",
            "line": 2,
        }


def test_slow_ones_share_a_limit(ask: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter([0.0, 9.9, 10.0, 10.1])
    monkeypatch.setattr(time, "monotonic", lambda: next(times))
    _, first, second, third = ask("x", {}, {}, {})
    assert (first, second) == ({"text": "x"}, {"text": "x"})
    assert third["reason"] == "time"


FAILURES: list[tuple[Exception, str, str]] = [
    (jinja2.exceptions.SecurityError("s"), "security", "s"),
    (jinja2.exceptions.UndefinedError("u"), "undefined", "u"),
    (jinja2.exceptions.TemplateError("t"), "raised", "the template refuses: t"),
    (MemoryError(), "memory", "it needs more memory than it may use"),
    (OverflowError("too large"), "memory", "too large"),
    (RecursionError("x"), "recursion", "it is nested or recurses too deeply"),
    (SyntaxError("s"), "syntax", "s"),
    (KeyError("k"), "error", "KeyError: 'k'"),
    (ValueError("v" * 3000), "error", "ValueError: " + "v" * 2000),
]


@pytest.mark.parametrize(("error", "reason", "words"), FAILURES, ids=lambda one: str(one)[:20])
def test_reasons(error: Exception, reason: str, words: str) -> None:
    answer = child._failure(error)
    assert (answer["reason"], answer["error"], answer["line"]) == (reason, words, None)


def test_what_python_does_not_take_has_the_line_of_the_template(ask: Any) -> None:
    source = "\n\n" + "{% for a in [1] %}" * 25 + "{% endfor %}" * 25
    (answer,) = ask(source, {})
    assert (answer["reason"], answer["line"]) == ("syntax", 3)
    assert child._compiled_line(make_environment(), "a\n{{ x }}", 0) is None
    assert child._compiled_line(make_environment(), "a\n{{ x }}", 10_000) == 2


@pytest.mark.skipif(sys.platform == "win32", reason="no limits there")
def test_memory_is_limited_where_it_can_be(monkeypatch: pytest.MonkeyPatch) -> None:
    import resource

    calls: list[tuple[int, tuple[int, int]]] = []
    hard = {resource.RLIMIT_AS: resource.RLIM_INFINITY, resource.RLIMIT_DATA: 500}
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (0, hard.get(kind, 9)))
    monkeypatch.setattr(resource, "setrlimit", lambda kind, pair: calls.append((kind, pair)))
    child._limit_memory(1000)
    assert calls == [(resource.RLIMIT_AS, (1000, 1000)), (resource.RLIMIT_CORE, (0, 0))]
    calls.clear()
    child._limit_memory(499)
    assert (resource.RLIMIT_DATA, (499, 499)) in calls

    def refuse(kind: int, pair: tuple[int, int]) -> None:
        calls.append((kind, pair))
        raise ValueError("no")

    calls.clear()
    monkeypatch.setattr(resource, "setrlimit", refuse)
    child._limit_memory(100)
    assert len(calls) == 3
