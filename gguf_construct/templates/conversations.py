"""Built-in conversations: what chat templates are tried on when the user brings none."""

from __future__ import annotations

from typing import Any, NamedTuple


class Conversation(NamedTuple):
    """Messages in the usual format, with the tools and documents that the model may use."""

    messages: tuple[dict[str, Any], ...]
    tools: tuple[dict[str, Any], ...] | None = None
    add_generation_prompt: bool = True
    documents: tuple[dict[str, Any], ...] | None = None


_WEATHER = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "Weather of a city: temperature & <sky>, in the user's units.",
        "parameters": {
            "type": "object",
            "properties": {
                "city": {"type": "string", "description": "City, e.g. Zürich"},
                "unit": {"type": "string", "enum": ["celsius", "fahrenheit"]},
            },
            "required": ["city"],
        },
    },
}

_CALL = {
    "id": "call00001",
    "type": "function",
    "function": {"name": "get_weather", "arguments": {"city": "Zürich", "unit": "celsius"}},
}

_SECOND_CALL = {
    "id": "call00002",
    "type": "function",
    "function": {"name": "get_weather", "arguments": {"city": "Bern"}},
}

_SYSTEM = {"role": "system", "content": "You are a terse assistant."}
_HELLO = {"role": "user", "content": "Hello, who are you?"}

CONVERSATIONS: dict[str, Conversation] = {
    "single": Conversation((_HELLO,)),
    "system": Conversation((_SYSTEM, _HELLO)),
    "multi_turn": Conversation(
        (
            _SYSTEM,
            _HELLO,
            {"role": "assistant", "content": "A language model."},
            {"role": "user", "content": "  Count to three,\n\none per line.  "},
            {"role": "assistant", "content": "1\n2\n3"},
            {"role": "user", "content": "Merci – 谢谢 🙂"},
        )
    ),
    "finished": Conversation(
        (_HELLO, {"role": "assistant", "content": "A language model."}),
        add_generation_prompt=False,
    ),
    "empty_system": Conversation(({"role": "system", "content": ""}, _HELLO)),
    "tools": Conversation(
        (_SYSTEM, {"role": "user", "content": "How is the weather in Zürich?"}),
        tools=(_WEATHER,),
    ),
    "tool_results": Conversation(
        (
            {"role": "user", "content": "How is the weather in Zürich?"},
            {"role": "assistant", "content": "", "tool_calls": [_CALL]},
            {
                "role": "tool",
                "tool_call_id": "call00001",
                "name": "get_weather",
                "content": '{"temperature": 21, "sky": "clear"}',
            },
            {"role": "assistant", "content": "21 °C and clear."},
            {"role": "user", "content": "And tomorrow?"},
        ),
        tools=(_WEATHER,),
    ),
    "typed_content": Conversation(
        (
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "Two parts:"},
                    {"type": "text", "text": "this is the second."},
                ],
            },
        )
    ),
    "turns": Conversation(
        (
            _HELLO,
            {"role": "assistant", "content": "A language model."},
            {"role": "user", "content": "Name a colour."},
        )
    ),
    "call_without_content": Conversation(
        (
            {"role": "user", "content": "How is the weather in Zürich?"},
            {"role": "assistant", "content": None, "tool_calls": [_CALL]},
            {"role": "tool", "tool_call_id": "call00001", "name": "get_weather", "content": "21"},
        ),
        tools=(_WEATHER,),
    ),
    "two_calls": Conversation(
        (
            {"role": "user", "content": "Zürich or Bern?"},
            {"role": "assistant", "content": "I look.", "tool_calls": [_CALL, _SECOND_CALL]},
            {"role": "tool", "tool_call_id": "call00001", "name": "get_weather", "content": "21"},
            {"role": "tool", "tool_call_id": "call00002", "name": "get_weather", "content": "19"},
        ),
        tools=(_WEATHER,),
    ),
    "arguments_as_text": Conversation(
        (
            {"role": "user", "content": "How is the weather in Bern?"},
            {
                "role": "assistant",
                "content": "",
                "tool_calls": [
                    {
                        "id": "call00003",
                        "type": "function",
                        "function": {"name": "get_weather", "arguments": '{"city": "Bern"}'},
                    }
                ],
            },
            {"role": "tool", "tool_call_id": "call00003", "name": "get_weather", "content": "19"},
        ),
        tools=(_WEATHER,),
    ),
    "reasoning": Conversation(
        (
            _HELLO,
            {
                "role": "assistant",
                "content": "A language model.",
                "reasoning_content": "They ask who I am.",
            },
            {"role": "user", "content": "Are you sure?"},
        )
    ),
    "documents": Conversation(
        ({"role": "user", "content": "What is the capital?"},),
        documents=({"title": "Bern", "text": "The federal city is Bern.", "doc_id": 1},),
    ),
    "developer": Conversation(
        ({"role": "developer", "content": "Be brief."}, _HELLO),
    ),
}
