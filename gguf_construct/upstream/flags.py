"""Whether tokenizers add special tokens and spaces, on both sides.

Strategy: the post-processor of tokenizer.json shows what is added; else tokenizer_config.json says
it, or the normaliser of a SentencePiece model.  A post-processor that only handles bytes adds
nothing, but older readers let tokenizer_config.json decide there: either is the same.  A flag that
is absent here counts for what llama.cpp assumes for the tokenizer.

Sources: llama_vocab::impl::load of llama.cpp; SpecialVocab in gguf-py's vocab.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .facts import Candidate
from .pretokenizers import ADDS_BOS, ADDS_SEP
from .results import UpstreamRow

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._generated.keys import KeyInfo
    from .facts import Facts

_POST_PROCESSOR = "tokenizer.json post_processor"
_BYTES_ONLY = "tokenizer.json post_processor, which adds nothing"
_MODEL, _PRE = "tokenizer.ggml.model", "tokenizer.ggml.pre"
# By tokenizer: what is added when no key says whether; the rest is false.
_ADDED = {"bos": ("llama", "bert"), "eos": ("t5",), "sep": ("bert",), "space": ("llama",)}


def flag_row(facts: Facts, info: KeyInfo) -> UpstreamRow | None:
    """The row of a flag; None where neither side says anything."""
    key, stored = facts.key(info)
    what = info.token or key.rpartition(".")[2]
    said = list(_said(facts, what))
    if not said:
        if stored is None:
            return None
        return UpstreamRow(key, stored, None, "tokenizer_config.json", "missing there")
    wanted = said[0]
    ours, note = stored, ""
    if stored is None:
        ours, note = _assumed(facts, what), "not stored: llama.cpp assumes it"
        if ours is None:
            return None
    others = [one.where for one in said[1:] if one.value != wanted.value]
    if others:
        note = f"{', '.join(others)} contradicts it"
    if said[-1].where == _BYTES_ONLY and stored is not None:
        wanted = next((one for one in said if one.value == ours), wanted)
    verdict = "same" if ours == wanted.value else "differs"
    if verdict == "differs" and stored is None and what != "bos" and _is_byte_level(facts):
        # llama.cpp has no such prefix for byte-level vocabularies, and converters store none.
        return UpstreamRow(key, None, *wanted, "not comparable", note)
    return UpstreamRow(key, ours, *wanted, verdict, note)


def _is_byte_level(facts: Facts) -> bool:
    return facts.document.metadata.text(_MODEL) == "gpt2"


def _assumed(facts: Facts, what: str) -> bool | None:
    model, pre = (facts.document.metadata.text(key) for key in (_MODEL, _PRE))
    what = {"add_space_prefix": "space"}.get(what, what)
    if model == "t5" and what == "remove_extra_whitespaces":
        return False
    if model is None or what not in _ADDED:
        return None
    if what == "bos" and (pre in ADDS_BOS or model == "gemma4"):
        return True
    if what == "sep" and pre in ADDS_SEP:
        return True
    return model in _ADDED[what]


def _said(facts: Facts, what: str) -> Iterator[Candidate]:
    config = facts.repository.files.get("tokenizer_config", {})
    tokenizer = facts.repository.files.get("tokenizer", {})
    if what == "add_space_prefix":
        yield from _space_prefix(facts, config)
        return
    if what == "remove_extra_whitespaces":
        if facts.repository.pieces is not None:
            flag = facts.repository.pieces.remove_extra_whitespaces
            yield Candidate(flag, facts.repository.pieces_file)
        return
    if what == "lowercase":
        if _lowers(tokenizer.get("normalizer"), 8):
            yield Candidate(True, "tokenizer.json normalizer")
        return
    shown = _shown(tokenizer, config).get(what)
    if shown is not None:
        yield Candidate(shown, _POST_PROCESSOR)
    stated = config.get(f"add_{what}_token")
    if isinstance(stated, bool):
        yield Candidate(stated, f"tokenizer_config.json add_{what}_token")
    if shown is None and what in ("bos", "eos") and _is_bytes_only(tokenizer):
        yield Candidate(False, _BYTES_ONLY)


def _space_prefix(facts: Facts, config: dict[str, Any]) -> Iterator[Candidate]:
    stated = config.get("add_prefix_space")
    if facts.architecture.startswith("gemma"):
        yield Candidate(False, "Gemma's tokenizer, which adds none")
    elif isinstance(stated, bool):
        yield Candidate(stated, "tokenizer_config.json add_prefix_space")
    elif facts.repository.pieces is not None:
        flag = facts.repository.pieces.add_dummy_prefix
        yield Candidate(flag, f"{facts.repository.pieces_file} add_dummy_prefix")


def _lowers(normalizer: object, depth: int) -> bool:
    if not isinstance(normalizer, dict) or not depth:
        return False
    kind = normalizer.get("type")
    if kind == "Sequence":
        listed = normalizer.get("normalizers")
        return isinstance(listed, list) and any(_lowers(one, depth - 1) for one in listed)
    return kind == "Lowercase" or (kind == "BertNormalizer" and bool(normalizer.get("lowercase")))


def _shown(tokenizer: dict[str, Any], config: dict[str, Any]) -> dict[str, bool]:
    """What the post-processor adds; roles of which it shows nothing are left out."""
    texts = {role: _text(config.get(f"{role}_token")) for role in ("bos", "eos", "cls", "sep")}
    found: dict[str, bool] = {}
    for step in _processors(tokenizer):
        if step.get("type") == "RobertaProcessing":
            found.update(bos=True, eos=True, sep=True)
        if step.get("type") != "TemplateProcessing":
            continue
        single = _specials(step.get("single"))
        if len(single) < 2:
            continue
        first, last = single[0], single[-1]
        if first is not None:
            found["bos"] = not config or first in (texts["bos"], texts["cls"])
        if last is not None:
            found["eos"] = True
    return found


def _is_bytes_only(tokenizer: dict[str, Any]) -> bool:
    steps = _processors(tokenizer)
    return bool(steps) and all(step.get("type") == "ByteLevel" for step in steps)


def last_special(tokenizer: dict[str, Any]) -> str | None:
    """The special token that the post-processor puts after a text, if any."""
    for step in _processors(tokenizer):
        single = _specials(step.get("single"))
        if step.get("type") == "TemplateProcessing" and len(single) > 1:
            return single[-1]
    return None


def _processors(tokenizer: dict[str, Any]) -> list[dict[str, Any]]:
    processor = tokenizer.get("post_processor")
    if not isinstance(processor, dict):
        return []
    listed = processor.get("processors", [processor])
    return [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []


def _specials(template: object) -> list[str | None]:
    """The parts of a template: special tokens by their text, sequences as None."""
    found: list[str | None] = []
    for part in template if isinstance(template, list) else ():
        special = part.get("SpecialToken") if isinstance(part, dict) else None
        text = special.get("id") if isinstance(special, dict) else None
        found.append(text if isinstance(text, str) else None)
    return found


def _text(value: object) -> str | None:
    content = value.get("content") if isinstance(value, dict) else value
    return content if isinstance(content, str) else None
