"""The vocabulary of a repository: texts, types and scores by id, from whatever file has them.

Strategy: converters change texts and types in known ways, so an id may have several texts and
types that are right.  tokenizer.json counts before a SentencePiece model, that before vocab.json
and vocab.txt; tokens that were added later count before all of them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .repository import Repository
    from .sentencepiece import Piece

_SPACE = "\u2581"
_BYTE = re.compile(r"<0x[0-9A-Fa-f]{2}>")
# Added tokens that converters mark as control tokens although upstream does not.
_LOOKS_SPECIAL = re.compile(
    r"<\|.*\|>|<\uff5c.*\uff5c>|<unused.*>|<pad>|<mask>|<2mass>|\[@BOS@\]", re.DOTALL
)


@dataclass
class TheirToken:
    """A token there.

    Attributes:
        text: its text there.
        texts: all texts by which a file may have it.
        types: all types by which a file may have it, the right one first.
        score: its score, where it has one.
    """

    text: str
    texts: tuple[str, ...]
    types: tuple[str, ...]
    score: float | None = None


@dataclass
class TheirVocabulary:
    """The tokens of a repository by id.

    Attributes:
        kind: "BPE", "WordPiece", "Unigram" or "" for what tokenizer.json calls its model.
        where: the file that the texts are from; empty where there is none.
        tokens: the tokens by id.
        merges: the merges of BPE, as files have them; None where there are none.
        has_all: whether the ids are all there are, or only those that were added.
    """

    kind: str = ""
    where: str = ""
    tokens: dict[int, TheirToken] = field(default_factory=dict)
    merges: list[str] | None = None
    has_all: bool = False

    @cached_property
    def ids(self) -> dict[str, int]:
        """Id of each text; of one text twice the last."""
        return {token.text: at for at, token in self.tokens.items()}


def their_vocabulary(repository: Repository) -> TheirVocabulary:
    """What the files of a repository say of tokens."""
    found = TheirVocabulary()
    tokenizer = repository.files.get("tokenizer", {})
    model = tokenizer.get("model")
    model = model if isinstance(model, dict) else {}
    for where, tokens in _bases(repository, model):
        found.tokens, found.where, found.has_all = dict(tokens), where, True
        break
    kind = model.get("type")
    found.kind = kind if isinstance(kind, str) else ""
    if not found.kind and isinstance(model.get("merges"), list):
        found.kind = "BPE"
    found.merges = _merges(model.get("merges"))
    if found.merges is None and repository.merges:
        found.merges = list(repository.merges)
    unknown = model.get("unk_token")
    for at, token in _added(repository, tokenizer):
        found.tokens[at] = token
    if isinstance(unknown, str) and unknown in found.ids:
        token = found.tokens[found.ids[unknown]]
        token.types = (*token.types, "unknown")
    return found


def _bases(
    repository: Repository, model: dict[str, Any]
) -> Iterator[tuple[str, dict[int, TheirToken]]]:
    vocabulary = model.get("vocab")
    is_words = model.get("type") == "WordPiece"
    if isinstance(vocabulary, dict):
        pairs = {at: text for text, at in vocabulary.items() if isinstance(at, int)}
        yield "tokenizer.json model.vocab", {at: _plain(t, is_words) for at, t in pairs.items()}
    elif isinstance(vocabulary, list):
        yield "tokenizer.json model.vocab", dict(_scored(vocabulary))
    if repository.pieces is not None:
        yield (
            repository.pieces_file,
            {
                at: TheirToken(one.text, (one.text,), _kinds_of(one), one.score)
                for at, one in enumerate(repository.pieces.pieces)
            },
        )
    if repository.words:
        yield (
            repository.words_file,
            {
                at: _plain(text, repository.words_file.endswith(".txt"))
                for at, text in repository.words.items()
            },
        )


def _kinds_of(piece: Piece) -> tuple[str, ...]:
    """Types of a piece; converters store user-defined ones as normal or control tokens."""
    return (piece.kind, "normal", "control") if piece.kind == "user_defined" else (piece.kind,)


def _plain(text: str, is_word: bool) -> TheirToken:
    texts = (_word(text), text) if is_word else (text,)
    kinds: tuple[str, ...] = ("byte", "normal") if _BYTE.fullmatch(text) else ("normal", "unused")
    if _LOOKS_SPECIAL.fullmatch(text):
        kinds = (*kinds, "control", "user_defined")
    if is_word:
        kinds = (*kinds, *(("control", "unknown") if text.startswith("[") else ()))
    return TheirToken(text, texts, kinds)


def _word(text: str) -> str:
    """WordPiece as llama.cpp wants it: "##" goes, word starts are marked."""
    if text.startswith("[") and text.endswith("]"):
        return text
    return text[2:] if text.startswith("##") else f"{_SPACE}{text}"


def _scored(vocabulary: list[Any]) -> Iterator[tuple[int, TheirToken]]:
    for at, entry in enumerate(vocabulary):
        if isinstance(entry, list) and entry and isinstance(entry[0], str):
            score = entry[1] if len(entry) > 1 and isinstance(entry[1], (int, float)) else None
            token = _plain(entry[0], False)
            token.score = score
            yield at, token


def _added(repository: Repository, tokenizer: dict[str, Any]) -> Iterator[tuple[int, TheirToken]]:
    """Tokens added after training, those of the file that counts most last."""
    for text, at in repository.added.items():
        yield at, _special(text, None)
    decoder = repository.files.get("tokenizer_config", {}).get("added_tokens_decoder")
    by_id = {}
    for key, entry in decoder.items() if isinstance(decoder, dict) else ():
        if str(key).isdecimal() and len(str(key)) < 10 and isinstance(entry, dict):
            by_id[int(key)] = entry
    listed = tokenizer.get("added_tokens")
    for entry in listed if isinstance(listed, list) else ():
        if isinstance(entry, dict) and isinstance(entry.get("id"), int):
            by_id[entry["id"]] = entry
    for at, entry in by_id.items():
        if isinstance(entry.get("content"), str):
            yield at, _special(entry["content"], entry.get("special"))


def _special(text: str, special: object) -> TheirToken:
    texts = tuple(dict.fromkeys([text, text.replace(_SPACE, " "), text.strip()]))
    if special is True:
        return TheirToken(text, texts, ("control",))
    if _LOOKS_SPECIAL.fullmatch(text):
        return TheirToken(text, texts, ("control", "user_defined"))
    return TheirToken(text, texts, ("user_defined",) if special is False else _UNSURE)


_UNSURE = ("user_defined", "control", "normal")


def _merges(value: object) -> list[str] | None:
    """Merges as files have them: a space inside a part is the byte-level letter for it."""
    if not isinstance(value, list):
        return None
    return [
        one if isinstance(one, str) else " ".join(str(p).replace(" ", "\u0120") for p in one)
        for one in value
        if isinstance(one, (str, list))
    ]
