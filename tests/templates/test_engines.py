"""What engines offer: those of llama.cpp are a part of those of transformers."""

from __future__ import annotations

import jinja2.nodes

from gguf_construct.templates.engines import (
    CONTEXT_NAMES,
    LLAMA_CPP_FILTERS,
    LLAMA_CPP_STATEMENTS,
    LLAMA_CPP_TESTS,
)
from gguf_construct.templates.environment import make_environment


def test_names_are_known() -> None:
    environment = make_environment()
    own = {*("append", "endswith", "get", "keys", "lstrip", "pop", "rsplit", "rstrip")}
    own |= {"split", "startswith", "strip", "values"}  # methods elsewhere
    assert {*environment.filters} | own >= LLAMA_CPP_FILTERS
    assert {*environment.tests} | {"equalto", "greaterthan", "lessthan"} >= LLAMA_CPP_TESTS
    assert all(hasattr(jinja2.nodes, name) for name in LLAMA_CPP_STATEMENTS)
    assert {"messages", "tools", "bos_token", "add_generation_prompt"} <= CONTEXT_NAMES
