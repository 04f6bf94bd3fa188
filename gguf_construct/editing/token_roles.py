"""Give tokens roles: which token is EOS, which flags go with it.

Strategy: a special token is chosen by its text, because ids differ between vocabularies.  What is
absent or ambiguous is refused with candidates; what was chosen is checked as any edit is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..core.registry import (
    add_token_flags,
    aliases_of,
    close_matches,
    token_roles,
)
from ..errors import EditError, KeyNotFoundError
from ..tokens.search import ENDING, the_token
from ..tokens.special import stop_tokens
from ..tokens.vocabulary import SPECIAL_TYPES, Vocabulary, describe
from .changes import Change, set_value
from .token_types import mark_control

if TYPE_CHECKING:
    from ..core.document import Document


def role_named(name: str) -> str:
    """The role that a person means: ``eos``, ``EOS``, ``eos_token``, ``fim-pre`` or a key.

    Raises:
        KeyNotFoundError: no such role, with the close ones.
    """
    roles = token_roles()
    plain = name.strip().lower().replace("-", "_")
    for role, key in roles.items():
        names = {role, key, *(info.key for info in aliases_of(key))}
        short = {one.rpartition(".")[2] for one in names}
        if plain in names | short | {one.removesuffix("_id") for one in short}:
            return role
        if plain in {one.removesuffix("_token_id") for one in short}:
            return role
    matches = close_matches(plain, roles)
    raise KeyNotFoundError(
        f"no special token is called {name!r}",
        hint=f"choose from {', '.join(roles)}",
        key=name,
        matches=matches,
    )


def set_token(
    document: Document,
    role: str,
    token: str | bytes | int,
    *,
    mark: bool = False,
    force: bool = False,
) -> list[Change]:
    """Give a token a role, such as ``set_token(model, "eos", "<|im_end|>")``.

    Args:
        role: see `role_named`.
        token: its text (see `find_tokens`; a space before it counts here), or its id; bytes
            are the text exactly as the file has it.
        mark: mark the token as a control token too, if it is not one.
        force: allow an id outside the vocabulary.

    Returns:
        The changes; a note of one says when the token is not marked as a special one.

    Raises:
        KeyNotFoundError: no such role, or no such token; `matches` has the close texts.
        RefusedError: several tokens are meant (`candidates`), or the id is outside.
        AmbiguousKeyError: the role's key occurs more than once.
    """
    role = role_named(role)
    before = document.metadata.snapshot()
    try:
        id = token if isinstance(token, int) else the_token(Vocabulary(document), token, role).id
        changes = [mark_control(document, id)] if mark else []
        changes.append(set_value(document, token_roles()[role], id, force=force))
    except Exception:
        document.metadata.restore(before)
        raise
    last = changes[-1]
    return [*changes[:-1], last._replace(notes=(*last.notes, *_advice(document, role, id)))]


def _advice(document: Document, role: str, id: int) -> list[str]:
    """What to know of a token that was given a role."""
    try:
        vocabulary = Vocabulary(document)
    except EditError:
        return []
    if id not in vocabulary:
        return []
    found = []
    kind = vocabulary.type_of(id)
    if kind is not None and kind not in SPECIAL_TYPES:
        found.append("pass --mark-control to mark it as a control token (in Python: mark=True)")
    if role in ENDING and id not in {token.id for token in stop_tokens(document)}:
        found.append(
            f"llama.cpp still does not stop at {describe(vocabulary[id])}: in this vocabulary "
            "it treats it as a mark inside a turn"
        )
    return found


def set_add_token(document: Document, role: str, add: bool) -> Change:
    """Say whether prompts get a special token ("bos", "eos", "sep") added.

    Raises:
        KeyNotFoundError: the role has no such flag.
    """
    flags = add_token_flags()
    role = role_named(role)
    if role not in flags:
        raise KeyNotFoundError(
            f"no flag says whether {role} is added", hint=f"there are flags for {', '.join(flags)}"
        )
    return set_value(document, flags[role], add)
