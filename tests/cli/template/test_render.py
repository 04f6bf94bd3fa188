"""``template render``: prompts byte for byte, and when a run has failed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from gguf_construct.templates.conversations import CONVERSATIONS
from tests.cli.template.template_files import template

if TYPE_CHECKING:
    from pathlib import Path

REFUSING = "{% if tools %}{{ raise_exception('no tools') }}{% endif %}x"
WITH_TOOLS = sum(bool(one.tools) for one in CONVERSATIONS.values())
OF_SIX = sum(len(one.messages) == 6 for one in CONVERSATIONS.values())
SOURCES = [
    # The template may refuse some conversations, but not all of them.
    ("x{{ '' }}", 0, 0),
    (REFUSING, 0, WITH_TOOLS),
    ("{{ raise_exception('never') }}", 1, len(CONVERSATIONS)),
    # Whatever else goes wrong in any of them is a fault.
    ("{% if tools %}{{ nothing.at.all }}{% endif %}x", 1, WITH_TOOLS),
    ("{{ messages[0].nothing.at }}", 1, len(CONVERSATIONS)),
    ("{% if messages | length == 6 %}{{ 1 / 0 }}{% endif %}x", 1, OF_SIX),
]


@pytest.mark.parametrize(("source", "code", "num_failed"), SOURCES)
@pytest.mark.parametrize("as_json", [False, True])
def test_when_a_run_over_all_conversations_has_failed(
    source: str,
    code: int,
    num_failed: int,
    as_json: bool,
    path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    arguments = ("--source", source, *(["--json"] if as_json else []))
    found, out, err = template(capsys, "render", path, *arguments)
    assert found == code
    if as_json:
        rows = json.loads(out)["rendered"]
        assert [row["conversation"] for row in rows] == [*CONVERSATIONS]
        failed = [row for row in rows if row["text"] is None]
        assert len(failed) == num_failed
        assert all((row["error"] is None) != (row["text"] is None) for row in rows)
    else:
        assert out.count("===") == 2 * len(CONVERSATIONS)
        assert err.count("line 1: ") == num_failed


@pytest.mark.parametrize(
    ("conversation", "code"), [("single", 0), ("tools", 1), ("tool_results", 1), ("finished", 0)]
)
def test_a_single_conversation_that_is_refused_is_a_failure(
    conversation: str, code: int, path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ("--source", REFUSING, "--conversation", conversation)
    found, out, _ = template(capsys, "render", path, *arguments)
    assert (found, out) == (code, "" if code else "x")
    assert template(capsys, "render", path, *arguments, "--json")[0] == code


def test_whether_the_turn_of_the_assistant_is_opened(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = "{{ add_generation_prompt }}"
    for options, text in [
        (["--conversation", "single"], "True"),
        (["--conversation", "finished"], "False"),
        (["--conversation", "finished", "--add-generation-prompt"], "True"),
        (["--conversation", "single", "--no-add-generation-prompt"], "False"),
        (["--messages", "[]"], "False"),
        (["--messages", "[]", "--add-generation-prompt"], "True"),
    ]:
        assert template(capsys, "render", path, "--source", source, *options) == (0, text, "")


def test_where_tools_come_from(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = "{{ tools | tojson }}"
    both = '{"messages": [], "tools": [1]}'
    for options, text in [
        (["--messages", both], "[1]"),
        (["--messages", both, "--tools", "[2]"], "[2]"),
        (["--messages", "[]"], "null"),
        (["--conversation", "single"], "null"),
        (["--conversation", "tools", "--tools", "[3]"], "[3]"),
    ]:
        assert template(capsys, "render", path, "--source", source, *options) == (0, text, "")


def test_variables_are_json_or_text(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = "{{ x }}|{{ y }}"
    options = ("--set", "x=[1]", "--set", "y=plain=text", "--conversation", "single")
    assert template(capsys, "render", path, "--source", source, *options)[1] == "[1]|plain=text"
    code, _, err = template(capsys, "render", path, "--set", "1x=2")
    assert (code, "--set takes VAR=JSON, not '1x=2'" in err) == (2, True)
