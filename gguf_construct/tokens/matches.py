"""Tokens whose text is close to what somebody typed, fast enough for a million tokens.

Strategy: difflib needs some 50 microseconds for a pair, a quarter of a minute for a vocabulary.
So the pairs of neighbouring letters of the typed text vote first, each with one substring search
over the vocabulary in C; difflib only ranks the best of them.
"""

from __future__ import annotations

from collections import Counter
from difflib import SequenceMatcher
from itertools import pairwise
from typing import TYPE_CHECKING

from .vocabulary import SPECIAL_TYPES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .vocabulary import Vocabulary

__all__ = ["close_ids"]

_MAX_TYPED = 200  # bytes; nobody mistypes a longer token
_MAX_PAIRS = 32
_RANKED = 200
_CUTOFF = 0.4
_BRACKETS = (b"<", b"[")
# People who mistype a special token mean a special token.
_BONUS = 0.15


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
