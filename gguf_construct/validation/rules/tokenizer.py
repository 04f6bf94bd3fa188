"""Rules about the vocabulary and the special tokens."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from ..._generated.keys import TOKENIZER_DEFAULTS
from ..._generated.types import ValueType
from ...core.registry import (
    add_token_flags,
    find,
    keys_with_role,
    token_roles,
    token_type_id,
    token_type_name,
)
from ...core.values import text_of
from ...runtime.views import NumberArray, StringArray
from ...tokens.pre_tokenizer_names import NO_MERGES_PRE, PRE_TOKENIZERS, TOKENS_OF_NAMES
from .base import Finding, rule
from .bulk import MOST_COMPARED, repeated

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .context import Context

_VOCAB = "llama_vocab::impl::load in llama-vocab.cpp"
_MODEL, _PRE = "tokenizer.ggml.model", "tokenizer.ggml.pre"
_TOKENS, _MERGES = "tokenizer.ggml.tokens", "tokenizer.ggml.merges"
_TYPES = "tokenizer.ggml.token_type"
_NONE = ("none", "no_vocab")
_BYTE_PAIRS = ("gpt2", "hybriddna", "whitespace")
_NEEDS_MERGES = (*_BYTE_PAIRS, "gemma4")
_CONVERT = "convert the model again with a current tool"
_SHOWN = 3
_TEMPLATE = "chat_template"
_WITH_BYTES, _NO_BYTES = ("llama", "t5"), "bert"
_BYTE_TEXT = re.compile(rb"<0x[0-9A-F]{2}>")
_SHORTEST_BYTE, _MOST_BYTES = 3, 1 << 16


def num_tokens(c: Context) -> int | None:
    """The number of tokens, or None without a vocabulary."""
    array = c.array(_TOKENS)
    return array.num_elements if array is not None else None


def _is_model(c: Context) -> bool:
    return not c.kinds.isdisjoint({"model", "vocab"})


@rule("tokenizer-unknown", source=_VOCAB, spec="warning")
def unknown(c: Context) -> Iterator[Finding]:
    """tokenizer.ggml.model is one that llama.cpp knows."""
    name = c.text(_MODEL)
    if name is not None and name not in TOKENIZER_DEFAULTS and name not in _NONE:
        offset, path = c.place(_MODEL)
        known = ", ".join((*TOKENIZER_DEFAULTS, *_NONE))
        yield Finding(f"{name!r} is none of {known}", offset, path)


@rule("tokenizer-no-pre", source=_VOCAB, llama="warning", spec="info", needs="metadata")
def no_pre(c: Context) -> Iterator[Finding]:
    """A vocabulary of byte pairs says how text is split before: else the output is garbled."""
    if c.text(_MODEL) in _BYTE_PAIRS and not c.text(_PRE) and _is_model(c):
        offset, _ = c.place(_MODEL, "key")
        yield Finding(
            f"{_PRE!r} is missing: llama.cpp falls back to 'default' and warns of bad output",
            offset,
            c.place(_MODEL)[1],
            "convert the model again, or gguf-construct set ... tokenizer.ggml.pre=NAME",
        )


@rule("tokenizer-pre-unknown", source=_VOCAB, spec=None)
def unknown_pre(c: Context) -> Iterator[Finding]:
    """tokenizer.ggml.pre is one that llama.cpp knows, in a vocabulary of byte pairs."""
    name = c.text(_PRE)
    if name and c.text(_MODEL) in _BYTE_PAIRS and name not in PRE_TOKENIZERS:
        offset, path = c.place(_PRE)
        yield Finding(
            f"llama.cpp knows no pre-tokenizer {name!r}", offset, path, "a newer one may know it"
        )


@rule("tokenizer-no-merges", source=_VOCAB, spec="warning", needs="metadata")
def no_merges(c: Context) -> Iterator[Finding]:
    """A vocabulary of byte pairs has its merges."""
    if (
        c.text(_MODEL) in _NEEDS_MERGES
        and c.text(_PRE) not in NO_MERGES_PRE
        and _MERGES not in c.records
        and _is_model(c)
    ):
        offset, path = c.place(_MODEL)
        yield Finding(f"{_MERGES!r} is missing", offset, path, _CONVERT)


@rule(
    "tokenizer-no-eos",
    source="registry of standard keys",
    llama="warning",
    spec="warning",
    needs="metadata",
)
def no_eos(c: Context) -> Iterator[Finding]:
    """The end-of-text token is named: without it generation may never stop."""
    key = token_roles()["eos"]
    for one in c.required:
        if one.key == key and key not in c.records:
            offset, _ = c.place(_MODEL, "key")
            default = TOKENIZER_DEFAULTS.get(c.text(_MODEL) or "", {}).get("eos")
            yield Finding(
                f"{key!r} is missing"
                + ("" if default is None else f": llama.cpp takes token {default} for it"),
                offset,
                c.place(_MODEL)[1],
                "gguf-construct token set ... eos=TEXT",
            )


@rule("token-of-name-missing", source=_VOCAB, spec=None, needs="metadata")
def of_name(c: Context) -> Iterator[Finding]:
    """The tokens are there that llama.cpp looks up because of the model's name: it marks some
    tokens of every model that is called phi-3, and refuses one without them."""
    name, array = (c.text("general.name") or "").lower(), c.array(_TOKENS)
    if array is None or not isinstance(array.elements, StringArray) or not _is_model(c):
        return
    for part, wanted in TOKENS_OF_NAMES.items():
        if part not in name or _marks_other_tokens(c):
            continue
        there = set(array.elements)
        lost = [text for text in wanted if text not in there]
        if lost:
            offset, path = c.place("general.name")
            yield Finding(
                f"llama.cpp takes it for a {part} model and wants the token {lost[0]!r}",
                offset,
                path,
                "gguf-construct set ... general.name=NAME, without that word",
            )
            return


def _marks_other_tokens(c: Context) -> bool:
    architecture = c.architecture or ""
    return (c.text(_PRE) or "").startswith("jina-v2-") or architecture in (
        "nomic-bert-moe",
        "jina-bert-v3",
    )


@rule("tokenizer-empty", source=_VOCAB, spec="warning")
def empty(c: Context) -> Iterator[Finding]:
    """The vocabulary has tokens."""
    array = c.array(_TOKENS)
    if array is not None and not array.num_elements:
        yield Finding(
            "a vocabulary without tokens", array.at("num_elements"), c.place(_TOKENS)[1], _CONVERT
        )


@rule("tokenizer-array-length", source=_VOCAB, spec="warning")
def lengths(c: Context) -> Iterator[Finding]:
    """Scores and token types are as many as the tokens; llama.cpp passes over surplus ones."""
    count = num_tokens(c)
    if count is None:
        return
    for info in keys_with_role("token_array"):
        array = c.array(info.key)
        if array is None or array.num_elements == count:
            continue
        yield Finding(
            f"{array.num_elements} elements, but the vocabulary has {count} tokens",
            array.at("num_elements"),
            c.place(info.key, name="value.num_elements")[1],
            _CONVERT,
            "warning" if array.num_elements > count else None,
        )


@rule(
    "token-duplicate",
    source=_VOCAB + " (id_to_token and token_to_id of one size)",
    spec=None,
    only=(_TOKENS, _MODEL),
)
def duplicates(c: Context) -> Iterator[Finding]:
    """No token stands there twice: llama.cpp aborts."""
    array = c.array(_TOKENS)
    if array is None or not isinstance(array.elements, StringArray) or not _is_model(c):
        return
    if array.num_elements > MOST_COMPARED:
        yield Finding(
            f"{array.num_elements} tokens were not compared with each other: the limit is "
            f"{MOST_COMPARED}",
            array.at("num_elements"),
            c.place(_TOKENS, name="value.num_elements")[1],
            severity="warning",
        )
        return
    pairs = repeated(array.elements)
    if not pairs or c.text(_MODEL) in _NONE:
        return
    before, at = pairs[0]
    text = array.elements[at]
    more = f", and {len(pairs) - 1} more like it" if len(pairs) > 1 else ""
    yield Finding(
        f"token {at} is {text!r}, like token {before}{more}",
        array.elements.offsets[at],
        c.place(_TOKENS, name=f"value.elements[{at}]")[1],
        _CONVERT,
    )


@rule(
    "token-type-unknown", source="enum llama_token_type in llama.h", llama="warning", spec="warning"
)
def token_types(c: Context) -> Iterator[Finding]:
    """Token types are known ones; llama.cpp takes others for undefined."""
    array = c.array(_TYPES)
    if array is None or not isinstance(array.elements, NumberArray) or not array.num_elements:
        return
    if array.element_type not in (ValueType.INT32, ValueType.UINT32):
        return
    import numpy as np

    numbers = array.elements
    view = np.frombuffer(numbers.buffer, numbers.dtype, numbers.num, numbers.start)
    most = max(number for number in range(64) if token_type_name(number) is not None)
    if view.min() >= 0 and view.max() <= most:
        return
    (wrong,) = np.nonzero((view < 0) | (view > most))
    first = int(wrong[0])
    yield Finding(
        f"token {first} has type {int(view[first])}, which is none (0 to {most}); "
        f"{len(wrong)} such tokens",
        numbers.start + first * numbers.width,
        c.place(_TYPES, name=f"value.elements[{first}]")[1],
    )


@rule(
    "token-byte-text",
    source="llama_vocab::impl::token_to_byte in llama-vocab.cpp",
    spec=None,
    only=(_TOKENS, _TYPES, _MODEL),
)
def byte_texts(c: Context) -> Iterator[Finding]:
    """A token of type byte is written <0x00> to <0xFF>: llama.cpp fails on a shorter text, and on
    any in a WordPiece vocabulary."""
    array, texts, model = c.array(_TYPES), c.array(_TOKENS), c.text(_MODEL)
    if array is None or texts is None or model not in (*_WITH_BYTES, _NO_BYTES):
        return
    if array.element_type != ValueType.INT32 or not isinstance(texts.elements, StringArray):
        return
    import numpy as np

    numbers = array.elements
    view = np.frombuffer(numbers.buffer, numbers.dtype, numbers.num, numbers.start)
    for at in np.nonzero(view[: texts.num_elements] == token_type_id("byte"))[0][:_MOST_BYTES]:
        text = texts.elements.raw(at).partition(b"\0")[0]  # as C code sees it
        if model == _NO_BYTES or not _BYTE_TEXT.fullmatch(text):
            yield Finding(
                f"byte token {at} is {text[:20]!r}",
                texts.elements.offsets[at],
                c.place(_TOKENS, name=f"value.elements[{at}]")[1],
                _CONVERT,
                "warning" if model != _NO_BYTES and len(text) >= _SHORTEST_BYTE else None,
            )


@rule("token-id-range", source=_VOCAB + " ('bad special token')", llama="warning")
def ids(c: Context) -> Iterator[Finding]:
    """Ids of special tokens are tokens of the vocabulary; llama.cpp ignores others."""
    count = num_tokens(c)
    if count is None:
        return
    for info in keys_with_role("token_id") + keys_with_role("token_ref"):
        key = info.key.replace("{arch}", c.architecture or "")
        number = c.integer(key)
        if number is not None and not 0 <= number < count:
            offset, path = c.place(key)
            yield Finding(
                f"token {number} does not exist: the vocabulary has {count} tokens",
                offset,
                path,
                "find tokens by text: gguf-construct token find ... TEXT",
                None if "token_id" in info.roles else "warning",
            )


@rule("token-not-control", source="practice", llama="info", spec="info")
def not_control(c: Context) -> Iterator[Finding]:
    """Tokens that begin and end text are marked as control tokens, or are part of no text."""
    array = c.array(_TYPES)
    if array is None or array.element_type not in (ValueType.INT32, ValueType.UINT32):
        return
    normal = token_type_id("normal")
    for name in ("bos", "eos", "eot", "eom"):
        key = token_roles().get(name, "")
        number = c.integer(key)
        if number is None or not 0 <= number < array.num_elements:
            continue
        if array.elements[number] == normal:
            offset, path = c.place(key)
            yield Finding(f"token {number} is marked as normal text", offset, path)


@rule(
    "token-marker-normal",
    source="llama_vocab::impl::tokenizer_st_partition in llama-vocab.cpp",
    llama="warning",
    spec="info",
)
def markers(c: Context) -> Iterator[Finding]:
    """Turn markers that are tokens are not typed normal: a prompt then holds pieces of the marker
    in place of the token."""
    from ...tokens.markers import find_split, mend_command

    array, texts, merges = c.array(_TYPES), c.array(_TOKENS), c.array(_MERGES)
    if array is None or texts is None or not isinstance(texts.elements, StringArray):
        return
    if array.element_type not in (ValueType.INT32, ValueType.UINT32):
        return
    roles = ((record, find(c.fields[at].key)) for at, record in c.strings())
    sources = [text_of(one.value) for one, info in roles if info and _TEMPLATE in info.roles]
    pairs = merges.elements if merges is not None else None
    found = find_split(
        sources,
        texts.elements.iter_raw(),
        array.elements,
        pairs.iter_raw() if isinstance(pairs, StringArray) else (),
    )
    if not found:
        return
    shown = [text_of(text) for text in found.values()]
    names = ", ".join(map(repr, shown[:_SHOWN])) + (", ..." if len(shown) > _SHOWN else "")
    first = next(iter(found))
    what = "is a turn marker" if len(shown) == 1 else "are turn markers"
    yield Finding(
        f"{names} {what} of type normal: prompts get pieces of text instead",
        array.elements.start + first * array.elements.width,
        c.place(_TYPES, name=f"value.elements[{first}]")[1],
        f"mark them: {mend_command(shown)}",
    )


@rule("token-flag-without-id", source=_VOCAB, llama="warning", spec="info", needs="metadata")
def flags(c: Context) -> Iterator[Finding]:
    """A token that is to be added to prompts is named."""
    roles = token_roles()
    for name, key in add_token_flags().items():
        wanted = roles.get(name, "")
        known = TOKENIZER_DEFAULTS.get(c.text(_MODEL) or "", {})
        if c.scalar(key) is True and wanted not in c.records and name not in known:
            offset, path = c.place(key)
            yield Finding(f"it is true, but {wanted!r} is missing", offset, path)


@rule("vocab-size", source="registry of standard keys", llama="warning", spec="warning")
def vocab_size(c: Context) -> Iterator[Finding]:
    """vocab_size is the number of tokens."""
    count, key = num_tokens(c), c.arch("vocab_size")
    stated = c.integer(key)
    if count is not None and stated is not None and stated != count:
        offset, path = c.place(key)
        yield Finding(f"{stated}, but the vocabulary has {count} tokens", offset, path)


@rule("merge-form", source=_VOCAB, llama="warning", spec="warning")
def merges(c: Context) -> Iterator[Finding]:
    """The first merges are two parts with one space between them."""
    array = c.array(_MERGES)
    if array is None or not isinstance(array.elements, StringArray):
        return
    take = iter(array.elements.iter_raw())
    for at, merge in enumerate(iter(partial(next, take, None), None)):
        if at >= _SHOWN:
            return
        if b" " not in merge[1:]:
            yield Finding(
                f"merge {at} is {merge!r}: no two parts",
                array.elements.offsets[at],
                c.place(_MERGES, name=f"value.elements[{at}]")[1],
            )
            return
