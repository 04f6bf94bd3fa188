"""Variables on the command line: each reaches the template, or is refused."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.cli.template.test_template import MESSAGES, bare, path, template

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["bare", "path"]

EACH = "{% for m in messages %}{{ m.content }}{% endfor %}"
WORDS = "{{ a is true }}{{ b is false }}{{ c is none }}"


def chat(**more: object) -> str:
    return json.dumps({"messages": json.loads(MESSAGES), **more})


@pytest.mark.parametrize(
    ("source", "arguments", "text"),
    [
        ("{{ documents[0].t }}", ("--documents", '[{"t": "D"}]'), "D"),
        ("{{ documents[0].t }}", ("--set", 'documents=[{"t": "D"}]'), "D"),
        ("{{ tools[0] }}", ("--set", "tools=[7]"), "7"),
        ("{{ add_generation_prompt }}", ("--set", "add_generation_prompt=true"), "True"),
        ("{{ add_generation_prompt }}", ("--add-generation-prompt",), "True"),
        ("{{ a }}{{ b }}", ("--set", 'chat_template_kwargs={"a": 1, "b": 2}'), "12"),
        (WORDS, ("--set", "a=true", "--set", "b=false", "--set", "c=null"), "TrueTrueTrue"),
        (WORDS, ("--set", "a=True", "--set", "b=False", "--set", "c=None"), "TrueTrueTrue"),
        ("{{ bos_token }}", ("--set", "bos_token=<B>"), "<B>"),
    ],
)
def test_options_reach_the_template(
    source: str,
    arguments: tuple[str, ...],
    text: str,
    path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    how = ("--source", source, "--messages", MESSAGES)
    assert template(capsys, "render", path, *how, *arguments) == (0, text, "")


def test_an_object_reaches_the_template(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = "{{ documents }}{{ tools }}{{ add_generation_prompt }}{{ a }}"
    given = chat(
        documents=[1], tools=[2], add_generation_prompt=True, chat_template_kwargs={"a": 3}
    )
    how = ("--source", source, "--messages", given)
    assert template(capsys, "render", path, *how) == (0, "[1][2]True3", "")
    # An option is nearer.
    more = ("--tools", "[4]", "--set", "a=5", "--no-add-generation-prompt")
    assert template(capsys, "render", path, *how, *more)[1] == "[1][4]False5"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--messages", chat(modle="x")), "'modle' would not reach the template"),
        (("--messages", chat(chat_template_kwargs=[])), "chat_template_kwargs is a JSON object"),
        (("--messages", chat(add_generation_prompt="yes")), "true or false"),
        (("--messages", chat(tools={})), "tools is a JSON list"),
        (("--set", "messages=[]"), "use --messages"),
        (("--set", 'chat_template_kwargs={"messages": []}'), "use --messages"),
        (("--set", "tools=[1]", "--tools", "[2]"), "tools is given twice"),
        (("--set", "a=1", "--set", "a=2"), "a is given twice"),
        (("--set", "a=1", "--set", 'chat_template_kwargs={"a": 2}'), "a is given twice"),
        (("--set", "add_generation_prompt=1"), "true or false"),
        (("--documents", "{}"), "documents is a JSON list"),
        (("--date", "2026-11-30", "--engine", "both"), "--engine transformers alone"),
    ],
)
def test_what_would_get_lost_is_refused(
    arguments: tuple[str, ...], words: str, path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = template(capsys, "render", path, *arguments)
    assert (code, out) == (2, "")
    assert words in err


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        (("--set", "x=1"), {"x"}),
        (("--set", "x=1", "--tools", "[]", "--documents", "[]"), {"x", "tools", "documents"}),
        (("--add-generation-prompt",), {"add_generation_prompt"}),
        ((), set()),
    ],
)
def test_what_the_template_does_not_use_is_said(
    arguments: tuple[str, ...],
    names: set[str],
    path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    how = ("--source", EACH, "--messages", MESSAGES)
    code, out, err = template(capsys, "render", path, *how, *arguments)
    assert (code, out) == (0, "Hi")
    assert {line.split("'")[1] for line in err.splitlines()} == names
