"""The limits of llama.cpp's template engine, as rules: each case is found, and nothing else."""

from __future__ import annotations

import pytest

from gguf_construct.templates.llama_limits import Limit, llama_limits
from gguf_construct.templates.syntax import parse_tree
from tests.templates.llama_limit_cases import DIFFERS, FINE, PARSED, REACHED
from tests.templates.template_data import STYLES, template_source


def limits(source: str) -> list[Limit]:
    return llama_limits(source, parse_tree(source))


@pytest.mark.parametrize("source", [*PARSED, *REACHED])
def test_what_llama_cpp_cannot_do_is_found(source: str) -> None:
    found = limits("x\n" + source)
    assert found
    assert {one.line for one in found} == {2}
    assert all(one.code.startswith("template-llama-") for one in found)
    assert any(one.code != "template-llama-differs" for one in found)


@pytest.mark.parametrize("source", DIFFERS)
def test_other_results_are_found(source: str) -> None:
    assert {one.code for one in limits(source)} == {"template-llama-differs"}


@pytest.mark.parametrize("source", FINE)
def test_what_llama_cpp_can_do_is_not(source: str) -> None:
    assert limits(source) == []


@pytest.mark.parametrize("style", STYLES)
def test_real_styles_are_within_the_limits(style: str) -> None:
    assert limits(template_source(style)) == []


def test_the_words_name_operator_and_kinds() -> None:
    assert [one.message for one in limits("{{ 'b' > 'a' }}\n{{ x > 'a' }}{{ 2**3 }}")] == [
        "llama.cpp cannot use '>' on text and text",
        "llama.cpp cannot use '>' on a variable and text",
        "llama.cpp has no operator '**'",
    ]
