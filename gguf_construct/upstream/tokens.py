"""Special tokens of a model against those of its upstream repository: one row for each role.

Strategy: repositories name a token in up to four files, which contradict each other.  The place
that converters read first is compared, what the others say besides is a note.

Source: SpecialVocab in gguf-py's vocab.py; llama_vocab::impl::load of llama.cpp.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ..core.registry import (
    default_token_ids,
    end_of_generation_texts,
    keys_with_role,
    token_roles,
    token_texts,
)
from ..core.token_arrays import token_arrays
from .flags import last_special
from .repository import look_up, place
from .results import UpstreamRow

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._generated.keys import KeyInfo
    from ..core.document import Document
    from .facts import Facts
    from .vocabulary import TheirVocabulary

_STOPS = ("eos", "eot", "eom")
_TURN_ENDS = ("eot", "eom")
# Markers of the next turn, which converters store as EOT and EOM (chatglm.py, glm.py, dots3.py).
_NEXT_TURN = {"eot": ("<|user|>", "<|endofassistant|>"), "eom": ("<|observation|>",)}
# EOT by number, whatever the vocabulary (gemma.py, llama.py for CodeLlama).
_BY_NUMBER = {"gemma": 107, "llama": 32010}
# Where encoders name the tokens that stand in for absent ones.
_STAND_INS = {"bos": "cls", "eos": "sep", "cls": "bos"}
_CONFIG, _TEXTS, _MAP, _GENERATION = (
    *("config", "tokenizer_config", "special_tokens_map"),
    "generation_config",
)


class _Named(NamedTuple):
    """What one place says: ids, and texts of which no id is known."""

    ids: tuple[int, ...]
    texts: tuple[str, ...]
    where: str

    def has(self, id: int, text: str | None) -> bool:
        return id in self.ids or (text is not None and text in self.texts)


def token_row(facts: Facts, info: KeyInfo, there: TheirVocabulary) -> UpstreamRow | None:
    """The row of a special token; None where neither side has one."""
    key, ours = facts.key(info)
    ours = ours if isinstance(ours, int) and not isinstance(ours, bool) else None
    if info.token in _TURN_ENDS:
        return _turn_end(facts, info, key, ours, there)
    named = list(_named(facts, info.token, there))
    if not named:
        if ours is None:
            return None
        sources = ", ".join(map(place, info.hf))
        return UpstreamRow(key, _shown(facts.document, ours), None, sources, "missing there")
    if ours is None:
        return _absent(facts, info, key, named[0], there)
    return _compared(facts, info, key, ours, named, there)


def _compared(
    facts: Facts,
    info: KeyInfo,
    key: str,
    ours: int,
    named: list[_Named],
    there: TheirVocabulary,
) -> UpstreamRow:
    text = _text(facts.document, ours)
    wanted = named[0]
    is_same = wanted.has(ours, text)
    shown = _shown(facts.document, ours)
    notes = []
    if info.token == "eos" and is_same and (missed := _missed_stops(facts, named)):
        notes.append(missed)
    others = [one for one in named[1:] if not _agrees(wanted, one)]
    notes += [f"{one.where} has {_list(facts, one, there)}" for one in others]
    verdict = "same" if is_same else "differs"
    listed = _list(facts, wanted, there)
    return UpstreamRow(key, shown, listed, wanted.where, verdict, "; ".join(notes))


def _agrees(one: _Named, other: _Named) -> bool:
    return not {*one.ids, *one.texts}.isdisjoint({*other.ids, *other.texts})


def _named(facts: Facts, role: str, there: TheirVocabulary) -> Iterator[_Named]:
    """What each place says of a role, the place that counts first."""
    repository = facts.repository
    has_tokenizer = "tokenizer" in repository.files
    places = [(_TEXTS, f"{role}_token"), (_CONFIG, f"{role}_token_id")]
    if not has_tokenizer and isinstance(facts.get(f"{role}_token_id"), int):
        places.reverse()  # without it converters read numbers only
    places += [(_MAP, f"{role}_token"), (_GENERATION, f"{role}_token_id")]
    found = []
    if role == "eos" and has_tokenizer:
        last = last_special(repository.files["tokenizer"])
        if last is not None and last in there.ids:
            found.append(_Named((there.ids[last],), (), "tokenizer.json post_processor"))
    for file, name in places:
        value = look_up(repository, f"{file}:{name}")
        if value is not None:
            found.append(_read(facts, value, place(f"{file}:{name}"), there))
    stand_in = _STAND_INS.get(role)
    if stand_in and not any(one.where.endswith("_token") for one in found) and role != "cls":
        value = look_up(repository, f"{_TEXTS}:{stand_in}_token")
        if value is not None and has_tokenizer:
            found.insert(0, _read(facts, value, place(f"{_TEXTS}:{stand_in}_token"), there))
    yield from (one for one in found if one.ids or one.texts)


def _read(facts: Facts, value: Any, where: str, there: TheirVocabulary) -> _Named:
    ids: list[int] = []
    texts: list[str] = []
    for one in value if isinstance(value, list) else [value]:
        content = one.get("content") if isinstance(one, dict) else one
        if isinstance(content, int) and not isinstance(content, bool):
            ids.append(content)
        elif isinstance(content, str):
            id = there.ids.get(content)
            if id is None and not there.has_all:
                id = _our_id(facts.document, content)
            if id is not None:
                ids.append(id)
            else:
                texts.append(content)
    return _Named(tuple(ids), tuple(texts), where)


def _our_id(document: Document, text: str) -> int | None:
    try:
        found: int = _texts(document).index(text)
    except ValueError:
        return None
    return found


def _absent(
    facts: Facts, info: KeyInfo, key: str, wanted: _Named, there: TheirVocabulary
) -> UpstreamRow:
    """A role whose key is absent here: llama.cpp's default counts."""
    document = facts.document
    model = document.metadata.text("tokenizer.ggml.model") or ""
    assumed = default_token_ids(model).get(info.token)
    listed = _list(facts, wanted, there)

    def row(ours: str | None, verdict: str, note: str) -> UpstreamRow:
        return UpstreamRow(key, ours, listed, wanted.where, verdict, note)

    stand_in = _STAND_INS.get(info.token)
    if info.token == "cls" and stand_in:
        other = document.metadata.get(token_roles()[stand_in])
        if isinstance(other, int) and wanted.has(other, _text(document, other)):
            return row(_shown(document, other), "same", "the token of BOS")
        return row(None, "not comparable", "llama.cpp has no key for it but that of BOS")
    if assumed is not None:
        shown = _shown(document, assumed)
        if wanted.has(assumed, _text(document, assumed)):
            return row(shown, "same", "not stored: llama.cpp assumes it")
        if info.token == "unk" and model == "llama":
            note = "converters store none, llama.cpp takes this one"
            return row(shown, "not comparable", note)
    size = len(_texts(document))
    if not wanted.ids or all(id >= size for id in wanted.ids):
        return row(None, "not comparable", "no token of the vocabulary")
    if "tokenizer" not in facts.repository.files and not wanted.where.startswith("config"):
        return row(None, "not comparable", "converters read it from tokenizer.json or config.json")
    return row(None, "missing here", "")


def _turn_end(
    facts: Facts, info: KeyInfo, key: str, ours: int | None, there: TheirVocabulary
) -> UpstreamRow | None:
    """EOT or EOM: any token at which upstream stops, or which has one of the known texts."""
    if ours is None:
        return None  # found by its text, and told of at EOS if it is not
    stops = [one for one in _named(facts, "eos", there) if len(one.ids) + len(one.texts) > 0]
    known = {there.ids[text] for text in _known_ends(info.token) if text in there.ids}
    stated = look_up(facts.repository, f"{_TEXTS}:{info.token}_token")
    named = [_read(facts, stated, place(f"{_TEXTS}:{info.token}_token"), there)] if stated else []
    shown = _shown(facts.document, ours)
    text = _text(facts.document, ours)
    for one in [*named, *stops]:
        if one.has(ours, text):
            return UpstreamRow(key, shown, _list(facts, one, there), one.where, "same")
    if ours in known or ours == _BY_NUMBER.get(facts.architecture):
        where = "the tokens of turn ends by their text"
        return UpstreamRow(key, shown, shown, where, "same")
    if not stops and not known:
        return UpstreamRow(key, shown, None, place(f"{_GENERATION}:eos_token_id"), "missing there")
    ids = dict.fromkeys([*(id for one in stops for id in one.ids), *sorted(known)])
    listed = ", ".join(_there(there, facts, id) for id in ids)
    where = stops[0].where if stops else "the tokens of turn ends by their text"
    return UpstreamRow(key, shown, listed, where, "differs", "upstream does not stop there")


def _known_ends(role: str) -> set[str]:
    by_role = (text for one in _TURN_ENDS for text in token_texts(one))
    return {*end_of_generation_texts(), *_NEXT_TURN[role], *by_role}


def _missed_stops(facts: Facts, named: list[_Named]) -> str:
    """Tokens at which upstream stops too, and llama.cpp would not."""
    document = facts.document
    stops = {
        document.metadata[role.key]
        for role in keys_with_role("token_id")
        if role.token in _STOPS and role.key in document.metadata
    }
    known = end_of_generation_texts()
    ids = dict.fromkeys(id for one in named if len(one.ids) > 1 for id in one.ids)
    missed = [id for id in ids if id not in stops and _text(document, id) not in known]
    if not missed:
        return ""
    listed = ", ".join(str(_shown(document, id)) for id in missed)
    return f"upstream stops at {listed} too, this model does not"


def _list(facts: Facts, named: _Named, there: TheirVocabulary) -> str:
    ids = [_there(there, facts, id) for id in named.ids]
    return ", ".join([*ids, *map(repr, named.texts)])


def _there(there: TheirVocabulary, facts: Facts, id: int) -> str:
    token = there.tokens.get(id)
    return f"{id} {token.text!r}" if token is not None else str(_shown(facts.document, id))


def _texts(document: Document) -> Any:
    texts = token_arrays(document.metadata).texts
    return texts.value if texts is not None else ()


def _text(document: Document, token: int) -> str | None:
    texts = _texts(document)
    text: str | None = texts[token] if 0 <= token < len(texts) else None
    return text


def _shown(document: Document, token: int) -> str:
    text = _text(document, token)
    return str(token) if text is None else f"{token} {text!r}"
