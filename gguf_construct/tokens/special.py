"""The special tokens of a model: what the file says, and what llama.cpp assumes besides.

Strategy: the registry knows the roles, their keys, llama.cpp's defaults and the texts by which it
finds tokens that no key names.  Nothing about a role is written here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ..core.registry import (
    add_token_flags,
    aliases_of,
    default_token_ids,
    end_of_generation_texts,
    token_roles,
    token_texts,
)
from ..errors import EditError
from .vocabulary import Token, Vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..core.document import Document
    from ..core.metadata import Metadata

# Roles at which llama.cpp ends generation.
_STOPPING = ("eos", "eot", "eom", "fim_pad", "fim_rep", "fim_sep")
# Texts at which llama.cpp does not stop in vocabularies that have all the texts beside them, not
# even when a key names them: the formats harmony, solar-open and gemma 4 use them inside a turn.
# Source: the end of llama_vocab::impl::load, checked against llama_vocab_is_eog.
_SPARED = (
    ("<|end|>", ("<|return|>", "<|call|>")),
    ("<|end|>", ("<|calls|>", "<|flush|>")),
    ("</s>", ("<|tool_response>",)),
)
# Roles whose texts chat templates may ask for (transformers' SPECIAL_TOKENS_ATTRIBUTES).
_VARIABLES = ("bos", "eos", "unk", "sep", "pad", "cls", "mask")


class SpecialToken(NamedTuple):
    """A token with a role.

    Attributes:
        role: short name, such as "eos".
        key: the metadata key that holds, or would hold, its id.
        id: its id; None where the key's value is not a number.
        token: the token; None where the vocabulary has none with this id.
        source: "file", "default" (llama.cpp assumes the id) or "text" (llama.cpp looks for one
            with this text; where there are several it takes any).
        add: whether prompts get it added; None where the file does not say or there is no flag.
        note: what is wrong with it, or empty.
    """

    role: str
    key: str
    id: int | None
    token: Token | None
    source: str
    add: bool | None
    note: str = ""


def special_tokens(document: Document) -> list[SpecialToken]:
    """Every role that has a token, in the order of the registry."""
    try:
        vocabulary: Vocabulary | None = Vocabulary(document)
    except EditError:
        vocabulary = None
    found: list[SpecialToken] = []
    for role, key in token_roles().items():
        add = _flag(document.metadata, role)
        rows = [*_in_file(document.metadata, role, key, vocabulary, add)]
        if not any(row.key == key or not row.note for row in rows) and vocabulary is not None:
            rows += _assumed(role, key, vocabulary, add)
        found += rows
    return found


def _flag(metadata: Metadata, role: str) -> bool | None:
    key = add_token_flags().get(role)
    value = metadata[key] if key and key in metadata else None
    return value if isinstance(value, bool) else None


def _in_file(
    metadata: Metadata, role: str, key: str, vocabulary: Vocabulary | None, add: bool | None
) -> Iterator[SpecialToken]:
    if key in metadata:
        yield _row(metadata[key], role, key, vocabulary, add)
    for info in aliases_of(key):
        if info.key not in metadata:
            continue
        row = _row(metadata[info.key], role, info.key, vocabulary, add)
        if info.alias == "deprecated":
            yield row
        else:
            yield row._replace(note=f"llama.cpp does not read {info.key}: it reads {key}")


def _row(
    value: Any, role: str, key: str, vocabulary: Vocabulary | None, add: bool | None
) -> SpecialToken:
    if isinstance(value, bool) or not isinstance(value, int):
        return SpecialToken(role, key, None, None, "file", add, "the value is not a token id")
    if vocabulary is None:
        return SpecialToken(role, key, value, None, "file", add)
    if value not in vocabulary:
        note = f"outside the vocabulary of {len(vocabulary)} tokens"
        return SpecialToken(role, key, value, None, "file", add, note)
    return SpecialToken(role, key, value, vocabulary[value], "file", add)


def _assumed(
    role: str, key: str, vocabulary: Vocabulary, add: bool | None
) -> Iterator[SpecialToken]:
    default = default_token_ids(vocabulary.tokenizer or "").get(role)
    if default is not None:
        if default in vocabulary:
            yield SpecialToken(role, key, default, vocabulary[default], "default", add)
        return
    texts = frozenset(text.encode() for text in token_texts(role))
    for token in vocabulary.with_texts(texts) if texts else ():
        yield SpecialToken(role, key, token.id, token, "text", add)


def stop_tokens(document: Document) -> list[Token]:
    """The tokens at which llama.cpp ends generation, by id: by their keys and by their texts.

    Raises:
        EditError: the document has no vocabulary.
    """
    vocabulary = Vocabulary(document)
    texts = frozenset(text.encode() for text in end_of_generation_texts())
    found = {token.id: token for token in vocabulary.with_texts(texts)}
    for row in special_tokens(document):
        if row.role in _STOPPING and row.token is not None and not row.note:
            found[row.token.id] = row.token
    there = {token.text for token in found.values()}
    spared = {text for text, others in _SPARED if there.issuperset(others)}
    return [found[id] for id in sorted(found) if found[id].text not in spared]


def template_variables(document: Document) -> dict[str, str]:
    """The texts that chat templates see as ``bos_token``, ``eos_token`` and so on."""
    found: dict[str, str] = {}
    for row in special_tokens(document):
        if row.role in _VARIABLES and row.token is not None and row.source != "text":
            found.setdefault(f"{row.role}_token", row.token.text)
    return found
