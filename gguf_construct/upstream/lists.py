"""The vocabulary of a model against that of its repository: kind, texts, types, scores, merges."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..core.registry import keys_with_role, token_type_name
from ..core.token_arrays import SCORES_KEY, TEXTS_KEY, TYPES_KEY, token_arrays
from ..tokens.markers import mend_command
from ..tokens.pre_tokenizer_names import PRE_TOKENIZERS
from .pretokenizers import fitting, is_plain
from .results import UpstreamRow
from .values import equal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .facts import Facts
    from .vocabulary import TheirVocabulary

_MODEL, _PRE = "tokenizer.ggml.model", "tokenizer.ggml.pre"
_MERGES = "tokenizer.ggml.merges"
_BY_MERGES = ("gpt2", "gemma4", "hybriddna", "whitespace")
# Kinds of vocabulary by what tokenizer.json calls its model; BPE depends on how it spells bytes.
_KINDS = {
    "WordPiece": ("bert",),
    "Unigram": ("t5", "llama", "plamo2"),
    "bytes": ("gpt2", "hybriddna", "whitespace"),
    "pieces": ("llama", "gemma4", "plamo2", "gpt2"),
}
_EXAMPLES = 3


def vocabulary_rows(facts: Facts, there: TheirVocabulary) -> Iterator[UpstreamRow]:
    """The rows of a vocabulary's arrays, and of what says how to read them."""
    yield from _kind(facts, there)
    yield from _pre(facts)
    arrays = token_arrays(facts.document.metadata)
    texts = arrays.texts.value if arrays.texts is not None else None
    yield from _texts(texts, there)
    yield from _types(facts, texts, there)
    yield from _scores(arrays, there)
    yield from _merges(facts, there)


def _kind(facts: Facts, there: TheirVocabulary) -> Iterator[UpstreamRow]:
    ours = facts.document.metadata.text(_MODEL)
    kind, where = there.kind, "tokenizer.json model.type"
    if kind == "BPE":
        tokenizer = facts.repository.files.get("tokenizer", {})
        kind = "bytes" if _is_by_bytes(tokenizer) else "pieces"
    elif facts.repository.pieces is not None and not kind:
        kind, where = "Unigram", facts.repository.pieces_file
    names = _KINDS.get(kind)
    if names is None:
        return
    verdict = "missing here" if ours is None else "same" if ours in names else "differs"
    yield UpstreamRow(_MODEL, ours, there.kind or kind, where, verdict)


def _is_by_bytes(tokenizer: dict[str, Any]) -> bool:
    return '"ByteLevel"' in f"{tokenizer.get('pre_tokenizer')} {tokenizer.get('decoder')}".replace(
        "'", '"'
    )


def _pre(facts: Facts) -> Iterator[UpstreamRow]:
    """The pre-tokenizer, by the steps of the one in tokenizer.json."""
    metadata = facts.document.metadata
    tokenizer = facts.repository.files.get("tokenizer", {})
    names = fitting(tokenizer)
    ours = metadata.text(_PRE)
    if metadata.text(_MODEL) != "gpt2" or not names:
        return
    where = "tokenizer.json pre_tokenizer"
    if ours is None:
        note = f"set it to {names[0]}: without it llama.cpp splits text by a default"
        yield UpstreamRow(_PRE, None, names[0], where, "missing here", note)
    elif ours in names:
        yield UpstreamRow(_PRE, ours, ours, where, "same")
    elif is_plain(tokenizer) and ours in PRE_TOKENIZERS:
        note = f"text is split there as {names[0]} does"
        yield UpstreamRow(_PRE, ours, names[0], where, "not comparable", note)
    else:
        note = f"{', '.join(names[:_EXAMPLES])} split text so"
        yield UpstreamRow(_PRE, ours, names[0], where, "differs", note)


def _texts(ours: Sequence[str] | None, there: TheirVocabulary) -> Iterator[UpstreamRow]:
    where = there.where or "tokenizer_config.json added_tokens_decoder"
    theirs = there.tokens
    if not theirs or (ours is None and not there.has_all):
        if ours is not None:
            yield UpstreamRow(
                TEXTS_KEY, _count(ours), None, "tokenizer.json model.vocab", "missing there"
            )
        return
    if ours is None:
        yield UpstreamRow(TEXTS_KEY, None, _count(theirs), where, "missing here")
        return
    wrong = [
        at for at, token in sorted(theirs.items()) if at >= len(ours) or ours[at] not in token.texts
    ]
    note = _examples(
        wrong,
        lambda at: repr(ours[at]) if at < len(ours) else "nothing",
        lambda at: repr(theirs[at].text),
    )
    extra = len(ours) - len(theirs)
    if not wrong and extra > 0 and there.has_all:
        note = f"{extra} more here, such as {ours[-1]!r}"
    verdict = "differs" if wrong else "same"
    yield UpstreamRow(TEXTS_KEY, _count(ours), _count(theirs), where, verdict, note)


def _count(listed: Any) -> str:
    return f"{len(listed)} entries"


def _examples(wrong: list[int], here: Any, there: Any) -> str:
    if not wrong:
        return ""
    shown = ", ".join(f"[{at}] {here(at)} here, {there(at)} there" for at in wrong[:_EXAMPLES])
    return f"{len(wrong)} differ: {shown}"


def _types(
    facts: Facts, texts: Sequence[str] | None, there: TheirVocabulary
) -> Iterator[UpstreamRow]:
    """Token types: what is special there is a control token here, and nothing else is."""
    if not there.tokens or texts is None:
        return
    where = "added_tokens"
    field = token_arrays(facts.document.metadata).types
    if field is None:
        special = sum(token.types[0] == "control" for token in there.tokens.values())
        if special:
            note = f"{special} special tokens are normal ones without it"
            yield UpstreamRow(TYPES_KEY, None, f"{special} control", where, "missing here", note)
        return
    numbers = field.record.value.elements
    kinds = {at: token_type_name(int(numbers[at])) for at in there.tokens if at < len(numbers)}
    # Gemma 4's converter keeps some control tokens visible.
    more = ("user_defined",) if facts.architecture.startswith("gemma4") else ()
    wrong = [
        at for at, kind in sorted(kinds.items()) if kind not in (*there.tokens[at].types, *more)
    ]
    note = _examples(
        wrong,
        lambda at: f"{there.tokens[at].text!r} {kinds[at]}",
        lambda at: there.tokens[at].types[0],
    )
    split = [at for at in wrong if there.tokens[at].types[0] == "control"]
    if split:
        command = mend_command(there.tokens[at].text for at in split[:_EXAMPLES])
        note += f"; mark them: {command}"
    verdict = "differs" if wrong else "same"
    yield UpstreamRow(
        TYPES_KEY, f"{len(numbers)} entries", f"{len(kinds)} entries", where, verdict, note
    )


def _scores(arrays: Any, there: TheirVocabulary) -> Iterator[UpstreamRow]:
    """Scores of pieces; tokens added later have made-up ones."""
    field = arrays.scores
    theirs = {
        at: token.score
        for at, token in there.tokens.items()
        if token.score is not None and token.types[0] in ("normal", "byte")
    }
    if field is None or not theirs:
        return
    ours = field.record.value.elements
    wrong = [
        at
        for at, score in sorted(theirs.items())
        if at >= len(ours) or not equal(float(ours[at]), score)
    ]
    note = _examples(
        wrong,
        lambda at: f"{float(ours[at]):g}" if at < len(ours) else "nothing",
        lambda at: f"{theirs[at]:g}",
    )
    verdict = "differs" if wrong else "same"
    yield UpstreamRow(SCORES_KEY, _count(ours), _count(theirs), there.where, verdict, note)


def _merges(facts: Facts, there: TheirVocabulary) -> Iterator[UpstreamRow]:
    metadata = facts.document.metadata
    field = metadata.field(_MERGES) if _MERGES in metadata else None
    ours = list(field.value) if field is not None and field.type == "[string]" else None
    theirs = there.merges
    where = "tokenizer.json model.merges"
    if ours is None and (theirs is None or metadata.text(_MODEL) not in _BY_MERGES):
        return  # vocabularies of pieces merge by their scores
    here, count = (None if one is None else _count(one) for one in (ours, theirs))
    if ours is None or theirs is None:
        side = "here" if ours is None else "there"
        yield UpstreamRow(_MERGES, here, count, where, f"missing {side}")
        return
    wrong = [at for at, text in enumerate(theirs) if at >= len(ours) or ours[at] != text]
    note = _examples(
        wrong,
        lambda at: repr(ours[at]) if at < len(ours) else "nothing",
        lambda at: repr(theirs[at]),
    )
    is_longer = len(ours) > len(theirs)
    if is_longer and not wrong:
        note = f"{len(ours) - len(theirs)} more here, such as {ours[-1]!r}"
    verdict = "differs" if wrong or is_longer else "same"
    yield UpstreamRow(_MERGES, here, count, where, verdict, note)


assert {TEXTS_KEY, SCORES_KEY, TYPES_KEY} <= {one.key for one in keys_with_role("token_array")}
