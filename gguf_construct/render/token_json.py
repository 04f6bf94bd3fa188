"""JSON of `token`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .json_text import text_json

if TYPE_CHECKING:
    from ..tokens.special import SpecialToken
    from ..tokens.vocabulary import Token


def token_json(token: Token) -> dict[str, Any]:
    """A token of the vocabulary."""
    return {
        "id": token.id,
        "text": text_json(token.raw),
        "type": token.type,
        "stands_for": text_json(token.stands_for),
    }


def special_json(row: SpecialToken) -> dict[str, Any]:
    """A special token as `token list` has it."""
    return {
        "role": row.role,
        "key": row.key,
        "id": row.id,
        "text": text_json(row.token.raw) if row.token else None,
        "type": row.token.type if row.token else None,
        "added": row.add,
        "source": row.source,
        "note": row.note or None,
    }
