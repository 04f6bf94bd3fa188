"""What the engines that run chat templates offer, as data.

transformers runs jinja2 itself, so its filters and tests are those of `environment`.  llama.cpp
has its own interpreter.  Source: common/jinja/{lexer,parser,runtime,value}.cpp of llama.cpp as
vendored by llama-cpp-python 0.3.36; the tests hold each row against a real llama.cpp.
"""

from __future__ import annotations

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

# Filters and methods by kind of operand: both are one table in llama.cpp.  Functions that it has
# only to say that they are not implemented are left out.
LLAMA_BUILTINS = {
    "text": frozenset(
        {
            *("default", "upper", "lower", "strip", "rstrip", "lstrip", "title", "capitalize"),
            *("length", "startswith", "endswith", "split", "rsplit", "replace", "format", "int"),
            *("float", "string", "safe", "tojson", "indent"),
        }
    ),
    "number": frozenset(("default", "abs", "int", "float", "safe", "string", "tojson")),
    "boolean": frozenset(("default", "int", "float", "safe", "string", "tojson")),
    "list": frozenset(
        {
            *("default", "list", "first", "last", "length", "selectattr", "select"),
            *("rejectattr", "reject", "join", "string", "tojson", "map", "append", "pop", "sort"),
            *("reverse", "min", "max"),
        }
    ),
    "mapping": frozenset(
        ("get", "keys", "values", "items", "tojson", "string", "length", "dictsort")
    ),
    "none": frozenset(
        {
            *("default", "tojson", "string", "safe", "items", "map", "reject", "rejectattr"),
            *("select", "selectattr", "unique"),
        }
    ),
}
# Filters that turn any operand into text first, where they stand without arguments.
LLAMA_TEXT_FILTERS = frozenset(("capitalize", "lower", "replace", "strip", "title", "upper"))
LLAMA_ALIASES = {"count": "length", "d": "default", "e": "escape", "trim": "strip"}

LLAMA_TESTS = frozenset(
    {
        *("boolean", "callable", "odd", "even", "false", "true", "divisibleby", "string"),
        *("integer", "float", "number", "iterable", "sequence", "mapping", "lower", "upper"),
        *("none", "defined", "undefined", "eq", "equalto", "ge", "gt", "greaterthan", "lt"),
        *("lessthan", "ne", "in", "test", "sameas"),
    }
)

# What an operator can be used on: pairs of kinds; "*" is any kind but none.
_ANY_TEXT = {("text", "*"), ("*", "text"), ("text", "none"), ("none", "text")}
LLAMA_OPERATORS: dict[str, frozenset[tuple[str, str]]] = {
    "+": frozenset({("number", "number"), ("list", "list"), *_ANY_TEXT}),
    "-": frozenset({("number", "number")}),
    "/": frozenset({("number", "number")}),
    "%": frozenset({("number", "number")}),
    "*": frozenset({("number", "number"), ("text", "number"), ("number", "text")}),
    "~": frozenset(_ANY_TEXT),
    **{one: frozenset({("number", "number")}) for one in ("<", "<=", ">", ">=")},
    "in": frozenset(
        {
            ("text", "text"),
            *(("*", "mapping"), ("none", "mapping"), ("none", "list")),
            *((kind, "list") for kind in ("text", "number", "boolean", "mapping")),
        }
    ),
    "**": frozenset(),
    "//": frozenset(),
}

# Methods of Python's own types: of those, llama.cpp has the ones above.
PYTHON_METHODS = frozenset(
    name for kind in (str, list, dict) for name in dir(kind) if not name.startswith("_")
)

# Statements by the class of their node: what llama.cpp's parser does not know.
LLAMA_UNKNOWN_STATEMENTS = {
    "With": "with",
    "Include": "include",
    "Import": "import",
    "FromImport": "from",
    "Extends": "extends",
    "Block": "block",
    "ScopedEvalContextModifier": "autoescape",
}
LLAMA_UNKNOWN_FUNCTIONS = frozenset(("cycler", "joiner", "lipsum"))
LLAMA_UNKNOWN_LOOP = frozenset(("cycle", "changed"))
