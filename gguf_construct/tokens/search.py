"""Search a vocabulary for what people type: texts in any spelling, ids, regular expressions.

Strategy of the search for close texts, fast enough for a million tokens: difflib needs some 50
microseconds for a pair, a quarter of a minute for a vocabulary.  So the pairs of neighbouring
letters of the typed text vote first, each with one substring search over the vocabulary in C;
difflib only ranks the best of them.
"""

from __future__ import annotations

import re
from collections import Counter
from difflib import SequenceMatcher
from itertools import pairwise
from typing import TYPE_CHECKING

from ..core.registry import end_of_generation_texts, token_texts
from ..core.values import bytes_of, text_of
from ..errors import KeyNotFoundError, RefusedError
from .spelling import BYTE_LEVEL, PIECES, spellings
from .vocabulary import SPECIAL_TYPES, Token, Vocabulary, describe

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.document import Document

ENDING = ("eos", "eot", "eom")
"""Roles of tokens that are there to end generation."""

_MAX_DIGITS = 19
_SUGGESTED = 8
_LISTED = 8
_MAX_TYPED = 200  # bytes; nobody mistypes a longer token
_MAX_PAIRS = 32
_RANKED = 200
_CUTOFF = 0.4
_BRACKETS = (b"<", b"[")
# People who mistype a special token mean a special token.
_BONUS = 0.15


def find_tokens(document: Document, wanted: str | int, *, regex: bool = False) -> list[Token]:
    """The tokens that a person may mean, by id.

    Args:
        wanted: an id; or a text, in the spelling of this vocabulary or any other: with escapes
            (``\\n``, ``<0x0A>``), a plain space, ``▁`` or ``Ġ``, with a space before it or
            without.  A text of digits is an id too.
        regex: `wanted` is a regular expression; it is searched for in the texts as they stand
            in the file and in what they stand for.

    Raises:
        EditError: the document has no vocabulary.
        RefusedError: the regular expression cannot be parsed.
    """
    vocabulary = Vocabulary(document)
    if isinstance(wanted, int):
        return [vocabulary[wanted]] if wanted in vocabulary else []
    if regex:
        return _search(vocabulary, wanted)
    typed = bytes_of(wanted)
    texts = frozenset().union(*spellings(typed, vocabulary.family))
    if vocabulary.family in (BYTE_LEVEL, PIECES) and not typed.startswith(b" "):
        texts |= frozenset().union(*spellings(b" " + typed, vocabulary.family))
    found = {token.id: token for token in vocabulary.with_texts(texts)}
    if (id := id_typed(wanted)) is not None and id in vocabulary:
        found[id] = vocabulary[id]
    return [found[id] for id in sorted(found)]


def id_typed(text: str) -> int | None:
    """The id that a text of digits is, else None."""
    is_number = text.isascii() and text.isdecimal() and len(text) <= _MAX_DIGITS
    return int(text) if is_number else None


def _search(vocabulary: Vocabulary, pattern: str) -> list[Token]:
    try:
        search = re.compile(pattern).search
    except (re.error, RecursionError, OverflowError) as error:
        raise RefusedError(f"{pattern!r} is not a regular expression: {error}") from error
    tokens = map(vocabulary.__getitem__, range(len(vocabulary)))
    return [
        token
        for token in tokens
        if search(token.text)
        or (token.stands_for != token.raw and search(text_of(token.stands_for)))
    ]


def suggestions(vocabulary: Vocabulary, typed: str, role: str = "") -> list[Token]:
    """Tokens that somebody may have meant: close in spelling, or known to have this role.

    Those that are both come first.
    """
    ids = close_ids(vocabulary, bytes_of(typed))
    known = {*token_texts(role)}
    if role in ENDING:
        known.update(end_of_generation_texts())
    usual = [
        token.id
        for token in vocabulary.with_texts(frozenset(text.encode() for text in known))
        if token.type in SPECIAL_TYPES
    ]
    both = [id for id in ids if id in usual]
    return [vocabulary[id] for id in dict.fromkeys([*both, *ids, *usual])][:_SUGGESTED]


def close_ids(vocabulary: Vocabulary, typed: bytes, limit: int = 5) -> list[int]:
    """Ids of tokens that look like `typed`, best first; special ones before others."""
    wanted = typed.lower()
    if not wanted or len(wanted) > _MAX_TYPED:
        return []
    pool = _pool(vocabulary, wanted)
    ranked = []
    for id in _voted(pool, wanted):
        score = SequenceMatcher(None, pool[id], wanted, autojunk=False).ratio()
        special = vocabulary.type_of(id) in SPECIAL_TYPES
        if score >= _CUTOFF:
            ranked.append((-score - _BONUS * special, id))
    return [id for _, id in sorted(ranked)[:limit]]


def _pool(vocabulary: Vocabulary, wanted: bytes) -> dict[int, bytes]:
    """Tokens of similar length; for ``<...`` and ``[...`` only those in the same brackets."""
    low, high = len(wanted) // 3, len(wanted) * 3 + 2
    start = wanted[:1] if wanted[:1] in _BRACKETS else b""
    return {
        id: text.lower()
        for id, text in enumerate(vocabulary.texts)
        if low <= len(text) <= high and text.startswith(start)
    }


def _voted(pool: dict[int, bytes], wanted: bytes) -> list[int]:
    """The ids that share most pairs of letters, relative to their lengths."""
    votes: Counter[int] = Counter()
    for pair in _pairs(wanted):
        votes.update([id for id, text in pool.items() if pair in text])
    size = len(wanted)
    scored = sorted(votes, key=lambda one: (-votes[one] / (len(pool[one]) + size), one))
    return scored[:_RANKED]


def _pairs(wanted: bytes) -> Sequence[bytes]:
    if len(wanted) == 1:
        return [wanted]
    found = list(dict.fromkeys(bytes(pair) for pair in pairwise(wanted)))
    step = -(-len(found) // _MAX_PAIRS)
    return found[::step]


def the_token(vocabulary: Vocabulary, typed: str | bytes, role: str = "") -> Token:
    """The one token that a person means by its text; bytes are the text as the file has it.

    Raises:
        KeyNotFoundError: there is none; `matches` has the close texts.
        RefusedError: several are meant; `candidates` has them.
    """
    meant: tuple[frozenset[bytes], ...] = (
        (frozenset({typed}),)
        if isinstance(typed, bytes)
        else spellings(bytes_of(typed), vocabulary.family)
    )
    for texts in meant:
        found = vocabulary.with_texts(texts)
        if len(found) == 1:
            return found[0]
        if found:
            listed = ", ".join(map(describe, found[:_LISTED]))
            more = f" and {len(found) - _LISTED} more" if len(found) > _LISTED else ""
            raise RefusedError(
                f"{typed!r} may mean {len(found)} tokens: {listed}{more}",
                path=role or None,
                hint="choose one by its id",
                candidates=tuple(found),
            )
    raise _absent(vocabulary, role, typed)


def _absent(vocabulary: Vocabulary, role: str, typed: str | bytes) -> KeyNotFoundError:
    typed = typed if isinstance(typed, str) else text_of(typed)
    close = suggestions(vocabulary, typed, role)
    hint = f"close ones are {', '.join(map(describe, close))}" if close else None
    return KeyNotFoundError(
        f"no token {typed!r} among the {len(vocabulary)} of the vocabulary",
        path=role or None,
        hint=hint,
        key=typed,
        matches=tuple(token.text for token in close),
        candidates=tuple(close),
    )
