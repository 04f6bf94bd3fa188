"""Ends and markers of turns, held against the vocabulary."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gguf_construct.templates.audit import audit_template
from gguf_construct.templates.turn_ends import Tokens
from tests.templates.template_data import SPECIAL_TOKENS, template_source

if TYPE_CHECKING:
    from gguf_construct.templates.finding import TemplateFinding

CHATML = template_source("chatml")
GLM = (
    "{% for m in messages %}<|{{ m.role }}|>\n{{ m.content }}{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)


def findings(source: str, code: str, tokens: Tokens, **special: str) -> list[TemplateFinding]:
    found = audit_template(source, tokens=tokens, special_tokens=special).findings
    return [one for one in found if one.code == code]


@pytest.mark.parametrize(
    ("source", "stops"),
    [
        (CHATML, ["<|im_end|>"]),
        (CHATML, ["<|endoftext|>", "<|im_end|>"]),
        (GLM, ["<|endoftext|>", "<|user|>"]),  # the next user's marker is the end
        (CHATML, []),
    ],
)
def test_turns_that_end(source: str, stops: list[str]) -> None:
    assert findings(source, "template-turn-end", Tokens(stops=stops)) == []


@pytest.mark.parametrize(
    ("source", "stops", "words", "hint"),
    [
        (CHATML, ["</s>"], "only llama.cpp stops there", "token set FILE eot '<|im_end|>' -i"),
        (CHATML.replace("im_end", "fin"), ["</s>"], "'<|fin|>", "token set FILE eot '<|fin|>' -i"),
        (GLM, ["</s>"], "'<|user|>", "token set FILE eot '<|user|>' -i"),
        (GLM.replace("<|{{ m.role }}|>", ""), ["</s>"], "nothing follows", "end turns with"),
    ],
)
def test_turns_that_do_not_end(source: str, stops: list[str], words: str, hint: str) -> None:
    (one,) = findings(source, "template-turn-end", Tokens(stops=stops))
    assert one.severity == "warning"
    assert words in one.message
    assert one.hint is not None
    assert hint in one.hint


def test_markers_that_are_no_tokens() -> None:
    (one,) = findings(
        "\n" + CHATML, "template-token", Tokens({"<|im_start|>", "<think>", "</think>"})
    )
    assert "'<|im_end|>' is not a token" in one.message
    assert one.severity == "warning"
    assert one.line == 1 + CHATML[: CHATML.index("<|im_end|>")].count("\n") + 1


@pytest.mark.parametrize(
    "source",
    [
        "{% for m in messages %}<|a|>{{ m.content }}{% endfor %}{% if tools %}<x-y>{% endif %}",
        "Write <function-name> and <|parameter|> where you mean them."
        + " " * 200
        + "{% for m in messages %}<|a|>{{ m.content }}{% endfor %}",
    ],
)
def test_placeholders_in_a_prompt_are_no_markers(source: str) -> None:
    assert findings(source, "template-token", Tokens({"<|a|>"})) == []


def test_markup_in_pairs_may_be_plain_text() -> None:
    source = template_source("mistral")
    found = findings(source, "template-token", Tokens({"<s>", "</s>"}), **SPECIAL_TOKENS["mistral"])
    assert {(one.message.split("'")[1], one.severity) for one in found} == {
        ("[INST]", "info"),
        ("[/INST]", "info"),
    }


@pytest.mark.parametrize(
    ("source", "adds", "severity"),
    [
        ("{{ bos_token }}", True, "info"),
        ("{{ bos_token }}", False, None),
        ("{{ bos_token }}<s>", False, "warning"),
        ("", True, None),
    ],
)
def test_bos_twice(source: str, adds: bool, severity: str | None) -> None:
    source += "{% for m in messages %}{{ m.content }}{% endfor %}"
    found = findings(
        source, "template-bos-twice", Tokens(bos="<s>", adds_bos=adds), bos_token="<s>"
    )
    assert [one.severity for one in found] == ([severity] if severity else [])
