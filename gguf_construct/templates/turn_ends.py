"""What a template puts around turns, held against the vocabulary: ends, markers, BOS."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from ..core.registry import end_of_generation_texts
from .finding import TemplateFinding
from .probes import ANSWER, QUESTION, SECOND_QUESTION, SYSTEM

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from .finding import Rendered

# Texts that look like special tokens: <|im_end|>, <s>, </s>, <start_of_turn>, [INST], <<SYS>> and
# deepseek's full-width bars.
_MARKER = re.compile(
    r"<\|[^|<>\s]{1,60}\|>"
    r"|<\|[^|<>\s]{1,60}>|<[^|<>\s]{1,60}\|>"
    r"|<\uff5c[^<>\s]{1,60}\uff5c>"
    r"|<<?/?[A-Za-z_][\w.-]{0,60}>?>"
    r"|\[/?[A-Z][A-Z_]{1,40}\]"
)
_TURN_WIDTH = 120  # characters before the first message in which its marker is looked for


class Tokens(NamedTuple):
    """What a model knows of tokens.

    Attributes:
        vocabulary: every text; None leaves out whether markers are tokens.
        stops: texts that end generation by a key of the file; empty leaves out that check.
        bos: the text of BOS, or empty.
        adds_bos: whether the file says that BOS is put before every prompt.
    """

    vocabulary: Collection[str] | None = None
    stops: Collection[str] = ()
    bos: str = ""
    adds_bos: bool = False


def turn_findings(source: str, results: Rendered, tokens: Tokens) -> Iterator[TemplateFinding]:
    """Turns that do not end, markers that are not tokens, and BOS twice."""
    texts = {name: text for name, text in results.items() if isinstance(text, str)}
    if tokens.stops:
        yield from _endless(texts, tokens)
    if tokens.vocabulary is not None:
        yield from _no_tokens(source, texts, tokens.vocabulary)
    if tokens.bos and "probe" in texts:
        yield from _bos_twice(texts["probe"], tokens)


def _endless(texts: dict[str, str], tokens: Tokens) -> Iterator[TemplateFinding]:
    """Whether what follows the assistant's answer begins with a token that ends generation.

    Where nothing does, the next user's marker may (the GLM family): it is the end then.
    """
    if "probe_answered" not in texts or ANSWER not in texts["probe_answered"]:
        return
    rest = texts["probe_answered"].rpartition(ANSWER)[2].lstrip()
    follows = texts.get("probe_turns", "").rpartition(ANSWER)[2].lstrip()
    if any(
        token and (rest.startswith(token) or follows.startswith(token)) for token in tokens.stops
    ):
        return
    after = rest or follows.partition(SECOND_QUESTION)[0]
    by_text = any(map(after.startswith, end_of_generation_texts()))
    listed = ", ".join(map(repr, sorted(tokens.stops)))
    words = "only llama.cpp stops there, by its text" if by_text else "the model goes on"
    shown = f"{after[:40]!r} follows" if after else "nothing follows"
    yield TemplateFinding(
        "template-turn-end",
        "warning",
        f"{shown} the assistant's answer, but generation ends at {listed}: {words}",
        None,
        _end_hint(after, tokens.vocabulary),
    )


def _end_hint(after: str, vocabulary: Collection[str] | None) -> str:
    marker = _MARKER.match(after)
    if marker and (vocabulary is None or marker[0] in vocabulary):
        return f"gguf-construct token set FILE eot '{marker[0]}' -i"
    return "end turns with the text of EOS in the template"


def _no_tokens(
    source: str, texts: dict[str, str], vocabulary: Collection[str]
) -> Iterator[TemplateFinding]:
    """Markers of turns that the vocabulary does not have: the model sees them in pieces."""
    markers = dict.fromkeys(one for text in _around(texts) for one in _MARKER.findall(text))
    for marker in markers:
        if marker in vocabulary:
            continue
        plain = _is_plain_markup(marker, source, vocabulary)
        at = source.find(marker)
        yield TemplateFinding(
            "template-token",
            "info" if plain else "warning",
            f"{marker!r} is not a token of the vocabulary",
            source.count("\n", 0, at) + 1 if at >= 0 else None,
            "it is split into several tokens: compare template and vocabulary with the original",
        )


def _around(texts: dict[str, str]) -> Iterator[str]:
    """What the template writes before, between and after the messages of plain conversations."""
    marked = f"{QUESTION}|{SECOND_QUESTION}|{ANSWER}|{SYSTEM}"
    for name in ("probe", "probe_turns", "probe_answered", "probe_system"):
        first, *rest = re.split(marked, texts.get(name, ""))
        yield first[-_TURN_WIDTH:]
        yield from rest


def _is_plain_markup(marker: str, source: str, vocabulary: Collection[str]) -> bool:
    """Tags that come in pairs, such as <tools> and </tools>, and [INST]: often read as plain text.

    Not where one of the two is a token here, or ends generation in some model.
    """
    opening = marker.replace("/", "", 1)
    closing = f"{opening[0]}/{opening[1:]}"
    pair = (opening, closing)
    if marker.startswith(("<|", "<\uff5c", "<<")) or not all(one in source for one in pair):
        return False
    return not any(one in vocabulary or one in end_of_generation_texts() for one in pair)


def _bos_twice(prompt: str, tokens: Tokens) -> Iterator[TemplateFinding]:
    if prompt.lstrip().startswith(tokens.bos * 2):
        yield TemplateFinding(
            "template-bos-twice", "warning", f"the prompt begins with {tokens.bos!r} twice"
        )
    elif tokens.adds_bos and prompt.startswith(tokens.bos):
        yield TemplateFinding(
            "template-bos-twice",
            "info",
            f"the template writes {tokens.bos!r}, which the tokenizer adds too: llama.cpp drops "
            "one, an engine that only tokenises the prompt has two",
            None,
            "if the engine doubles it: gguf-construct token set FILE --no-add-bos -i",
        )
