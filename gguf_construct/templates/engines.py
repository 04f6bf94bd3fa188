"""What the engines that run chat templates offer besides plain Jinja, as data.

transformers runs jinja2 itself, so its filters and tests are those of `template_env`.  llama.cpp
has its own interpreter.  Source: common/jinja/{value,runtime,parser}.cpp of llama.cpp as vendored
by llama-cpp-python 0.3.36.
"""

from __future__ import annotations

__all__ = ["CONTEXT_NAMES", "LLAMA_CPP_FILTERS", "LLAMA_CPP_STATEMENTS", "LLAMA_CPP_TESTS"]

# Variables that callers give to chat templates: the first ones always, the others by the model.
CONTEXT_NAMES = frozenset(
    {
        *("messages", "tools", "documents", "add_generation_prompt"),
        *("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token"),
        *("mask_token", "additional_special_tokens", "enable_thinking", "thinking"),
        *("reasoning_effort", "thinking_budget", "date_string", "strftime_now", "json_schema"),
        *("builtin_tools", "custom_tools", "xml_tools", "python_tools", "tools_in_user_message"),
        *("add_vision_id", "model_identity", "controls", "available_tools", "citation_mode"),
        *("system_message", "preserve_thinking", "clear_thinking", "chat_template_kwargs"),
    }
)

LLAMA_CPP_FILTERS = frozenset(
    {
        *("abs", "append", "capitalize", "count", "d", "default", "dictsort", "endswith"),
        *("first", "float", "format", "get", "indent", "int", "items", "join", "keys", "last"),
        *("length", "list", "lower", "lstrip", "map", "max", "min", "pop", "reject"),
        *("rejectattr", "replace", "reverse", "rsplit", "rstrip", "safe", "select"),
        *("selectattr", "slice", "sort", "split", "startswith", "string", "strip", "title"),
        *("tojson", "trim", "upper", "values"),
    }
)

LLAMA_CPP_TESTS = frozenset(
    {
        *("boolean", "callable", "odd", "even", "false", "true", "divisibleby", "string"),
        *("integer", "float", "number", "iterable", "sequence", "mapping", "lower", "upper"),
        *("none", "defined", "undefined", "eq", "equalto", "ge", "gt", "greaterthan", "lt"),
        *("lessthan", "ne", "in", "test", "sameas"),
    }
)

# Node names of jinja2.nodes that a template may contain for llama.cpp.
LLAMA_CPP_STATEMENTS = frozenset(
    {
        *("Assign", "AssignBlock", "Break", "CallBlock", "Continue", "FilterBlock", "For", "If"),
        *("Macro", "Output"),
    }
)
