"""The built-in conversations: such as templates meet."""

from __future__ import annotations

import json

import pytest

from gguf_construct.templates.conversations import CONVERSATIONS, Conversation


@pytest.mark.parametrize("name", CONVERSATIONS)
def test_messages_are_of_the_usual_format(name: str) -> None:
    one = CONVERSATIONS[name]
    assert one.messages
    json.dumps([one.messages, one.tools])
    for message in one.messages:
        assert message["role"] in {"system", "developer", "user", "assistant", "tool"}
        assert isinstance(message.get("content"), (str, list, type(None)))
    # A prompt is asked for unless the assistant spoke last.
    assert one.add_generation_prompt is (one.messages[-1]["role"] != "assistant")


def test_each_says_something_that_the_others_do_not() -> None:
    assert CONVERSATIONS["single"].messages[0]["role"] == "user"
    assert CONVERSATIONS["system"].messages[0]["role"] == "system"
    assert CONVERSATIONS["empty_system"].messages[0]["content"] == ""
    assert {"tools", "tool_results"} <= {one for one, it in CONVERSATIONS.items() if it.tools}
    calls = [it.get("tool_calls") for it in CONVERSATIONS["tool_results"].messages]
    (call,) = next(filter(None, calls))
    answer = CONVERSATIONS["tool_results"].messages[2]
    assert answer["tool_call_id"] == call["id"]
    assert isinstance(CONVERSATIONS["typed_content"].messages[0]["content"], list)
    assert Conversation(()).add_generation_prompt
