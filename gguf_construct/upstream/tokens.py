"""Special tokens, vocabularies and chat templates of a model against its upstream repository."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..core.registry import aliases_of, concrete, end_of_generation_texts, keys_with_role
from ..core.token_arrays import token_arrays
from ..templates.keys import DEFAULT, templates_of
from .repository import look_up, place
from .results import UpstreamRow

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..core.document import Document
    from ..core.registry import KeyInfo
    from .repository import Repository
__all__ = ["list_rows", "template_rows", "token_rows"]

_STOPS = ("eos", "eot", "eom")
_EXAMPLES = 3


def token_rows(document: Document, info: KeyInfo, repository: Repository) -> Iterator[UpstreamRow]:
    """A row for each place in the repository that names this special token."""
    key, ours = _token_of(document, info)
    more = [f"special_tokens_map:{info.token}_token", f"generation_config:{info.token}_token_id"]
    there = False
    for source in dict.fromkeys([*info.hf, *more]):
        theirs = look_up(repository, source)
        if theirs is None:
            continue
        there = True
        if isinstance(theirs, dict):
            theirs = theirs.get("content")
        shown = _shown(document, ours)
        wanted = theirs if isinstance(theirs, list) else [theirs]
        others = ", ".join(str(_shown(document, _as_id(document, one))) for one in wanted)
        if ours is None:
            yield UpstreamRow(key, None, others, place(source), "missing here")
            continue
        is_same = any(_is_token(document, ours, one) for one in wanted)
        note = _other_stops(document, info, wanted) if is_same else ""
        verdict = "same" if is_same else "differs"
        yield UpstreamRow(key, shown, others, place(source), verdict, note)
    if not there and ours is not None:
        sources = ", ".join(map(place, info.hf))
        yield UpstreamRow(key, _shown(document, ours), None, sources, "missing there")


def _token_of(document: Document, info: KeyInfo) -> tuple[str, int | None]:
    for one in (info, *aliases_of(info.key)):
        key = concrete(one.key, document.metadata.architecture or "")
        if key in document.metadata:
            value = document.metadata[key]
            return key, value if isinstance(value, int) else None
    return info.key, None


def _tokens(document: Document) -> Sequence[str]:
    texts = token_arrays(document.metadata).texts
    return texts.value if texts is not None else ()


def _text(document: Document, token: int) -> str | None:
    tokens = _tokens(document)
    return tokens[token] if 0 <= token < len(tokens) else None


def _as_id(document: Document, theirs: Any) -> Any:
    """The id of a token text, by our vocabulary; anything else as it is."""
    if not isinstance(theirs, str):
        return theirs
    try:
        return _tokens(document).index(theirs)
    except ValueError:
        return theirs


def _shown(document: Document, token: Any) -> str | None:
    if not isinstance(token, int):
        return None if token is None else repr(token)
    text = _text(document, token)
    return f"{token}" if text is None else f"{token} {text!r}"


def _is_token(document: Document, ours: int, theirs: Any) -> bool:
    if isinstance(theirs, str):
        return _text(document, ours) == theirs
    return isinstance(theirs, int) and ours == theirs


def _other_stops(document: Document, info: KeyInfo, theirs: list[Any]) -> str:
    """Tokens at which upstream stops too, and llama.cpp would not."""
    if info.token != "eos" or len(theirs) < 2:
        return ""
    stops = set()
    for role in keys_with_role("token_id"):
        if role.token in _STOPS and role.key in document.metadata:
            stops.add(document.metadata[role.key])
    known = end_of_generation_texts()
    missed = [
        one
        for one in theirs
        if isinstance(one, int) and one not in stops and _text(document, one) not in known
    ]
    if not missed:
        return ""
    listed = ", ".join(str(_shown(document, one)) for one in missed)
    return f"upstream stops at {listed} too, this model does not"


def list_rows(document: Document, info: KeyInfo, repository: Repository) -> Iterator[UpstreamRow]:
    """The vocabulary, or its merges, against tokenizer.json."""
    tokenizer = repository.files.get("tokenizer", {})
    is_tokens = "token_array" in info.roles
    theirs = _their_tokens(tokenizer) if is_tokens else _their_merges(tokenizer)
    where = place(info.hf[0])
    metadata = document.metadata
    field = metadata.field(info.key) if info.key in metadata else None
    if field is None and theirs is None:
        return
    ours = list(field.value) if field is not None and field.type == "[string]" else None
    here, there = (None if one is None else f"{len(one)} entries" for one in (ours, theirs))
    if ours is None or theirs is None:
        side = "here" if ours is None else "there"
        yield UpstreamRow(info.key, here, there, where, f"missing {side}")
        return
    if is_tokens and metadata.text("tokenizer.ggml.model") == "bert":
        theirs = {at: _bert_spelling(text) for at, text in theirs.items()}
    wrong = [at for at, text in theirs.items() if at >= len(ours) or ours[at] != text]
    examples = ", ".join(
        f"[{at}] {ours[at] if at < len(ours) else None!r} here, {theirs[at]!r} there"
        for at in wrong[:_EXAMPLES]
    )
    note = f"{len(wrong)} differ: {examples}" if wrong else ""
    extra = len(ours) - len(theirs)
    if not wrong and extra > 0:
        note = f"{extra} more here, such as {ours[-1]!r}"
        if not is_tokens:
            yield UpstreamRow(info.key, here, there, where, "differs", note)
            return
    yield UpstreamRow(info.key, here, there, where, "differs" if wrong else "same", note)


def _their_tokens(tokenizer: dict[str, Any]) -> dict[int, str] | None:
    model = tokenizer.get("model")
    vocabulary = model.get("vocab") if isinstance(model, dict) else None
    if isinstance(vocabulary, dict):
        tokens = {at: text for text, at in vocabulary.items() if isinstance(at, int)}
    elif isinstance(vocabulary, list):
        tokens = {
            at: entry[0]
            for at, entry in enumerate(vocabulary)
            if isinstance(entry, list) and entry and isinstance(entry[0], str)
        }
    else:
        return None
    added = tokenizer.get("added_tokens")
    for entry in added if isinstance(added, list) else []:
        if isinstance(entry, dict) and isinstance(entry.get("id"), int):
            tokens[entry["id"]] = str(entry.get("content"))
    return tokens


def _their_merges(tokenizer: dict[str, Any]) -> dict[int, str] | None:
    model = tokenizer.get("model")
    merges = model.get("merges") if isinstance(model, dict) else None
    if not isinstance(merges, list):
        return None
    # A space inside a part is written as the byte-level letter for it.
    return {
        at: one if isinstance(one, str) else " ".join(str(p).replace(" ", "\u0120") for p in one)
        for at, one in enumerate(merges)
        if isinstance(one, (str, list))
    }


def _bert_spelling(text: str) -> str:
    """WordPiece as llama.cpp wants it: "##" goes, word starts are marked."""
    if text.startswith("[") and text.endswith("]"):
        return text
    return text[2:] if text.startswith("##") else f"\u2581{text}"


def template_rows(
    document: Document, info: KeyInfo, repository: Repository
) -> Iterator[UpstreamRow]:
    """A row for each chat template of either side."""
    ours = templates_of({key: document.metadata[key] for key in _text_keys(document)})
    is_named = info.key.endswith("{name}")
    names = [
        n for n in dict.fromkeys([*ours, *repository.chat.templates]) if (n != DEFAULT) == is_named
    ]
    for name in names:
        key = info.key.replace("{name}", name)
        here, there = ours.get(name), repository.chat.templates.get(name)
        sizes = (None if one is None else f"{len(one)} characters" for one in (here, there))
        our_size, their_size = sizes
        where = repository.chat.files.get(name, "")
        if here is None or there is None:
            verdict = "missing here" if here is None else "missing there"
            yield UpstreamRow(key, our_size, their_size, where, verdict)
        elif here == there:
            yield UpstreamRow(key, our_size, their_size, where, "same")
        elif here.strip() == there.strip():
            note = "only white space at the start or the end differs"
            yield UpstreamRow(key, our_size, their_size, where, "differs", note)
        else:
            note = f"from line {_first_line(here, there)}: see `template diff`"
            yield UpstreamRow(key, our_size, their_size, where, "differs", note)


def _text_keys(document: Document) -> list[str]:
    return [key for key in document.metadata if document.metadata.text(key) is not None]


def _first_line(here: str, there: str) -> int:
    lines = zip(here.split("\n"), there.split("\n"), strict=False)
    return next((at for at, (one, other) in enumerate(lines, 1) if one != other), 1)
