r"""Which ``tokenizer.ggml.pre`` splits text as the pre-tokenizer of a tokenizer.json does.

Strategy: the steps of a pre-tokenizer become one line of text; a table says which names in
llama.cpp stand for the same steps.  A line that is not in the table is not judged.

Sources: the pre-tokenizers of published tokenizer.json files, which llama-vocab.cpp quotes beside
its own expressions (llm_tokenizer_bpe), and the names in llama_vocab::impl::load.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_CONTRACTIONS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_END = r"|\s*[\r\n]+|\s+(?!\S)|\s+"
_UPPER, _LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_LEAD, _OTHER = r"[^\r\n\p{L}\p{N}]?", r"| ?[^\s\p{L}\p{N}]+"


def _cased(after: str, digits: str) -> str:
    """The family of GPT-4o: words by upper and lower case."""
    words = f"{_LEAD}{_UPPER}*{_LOWER}+{after}|{_LEAD}{_UPPER}+{_LOWER}*{after}"
    return words + digits + _OTHER + r"[\r\n/]*" + _END


_GPT2 = "bytes with words"
_LLAMA3 = _CONTRACTIONS + "|" + _LEAD + r"\p{L}+|\p{N}{1,3}" + _OTHER + r"[\r\n]*" + _END
_QWEN2 = _LLAMA3.replace("{1,3}", "")
_QWEN35 = (
    _CONTRACTIONS + r"|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*" + _END
)
_GPT4O = _cased(_CONTRACTIONS + "?", r"|\p{N}{1,3}")
_TEKKEN = _cased("", r"|\p{N}")
_DEEPSEEK3 = (
    r"\p{N}{1,3}",
    "[一-龥\u3040-ゟ゠-ヿ]+",
    "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+"
    r"|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*" + _END,
)

_ONE_DIGIT = (
    *("starcoder", "refact", "command-r", "smollm", "codeshell", "exaone", "minerva-7b"),
    "mellum2",
)
_LIKE_GPT2 = (
    *("gpt-2", "phi-2", "mpt", "olmo", "jais", "trillion", "granite-docling", "modern-bert"),
    *("jina-es", "jina-de", "jina-v2-es", "jina-v2-de", "jina-v1-en", "jina-v2-code"),
    *("roberta-bpe", "gigachat", "a.x-4.0", "mellum", "exaone4"),
)
_LIKE_LLAMA3 = (
    *("llama-bpe", "llama3", "llama-v3", "falcon3", "falcon-h1", "pixtral", "midm-2.0", "lfm2"),
    *("jina-v5-nano", "smaug-bpe", "dbrx", "chatglm-bpe", "glm4", "glm5"),
)
_LIKE_QWEN2 = (
    *("qwen2", "deepseek-r1-qwen", "kormo", "f2llmv2", "megrez", "stablelm2", "hunyuan"),
    *("solar-open", "grok-2"),
)

# Steps, as `steps_of` writes them -> names that split so, the usual one first.
_TABLE: dict[str, tuple[str, ...]] = {
    _GPT2: _LIKE_GPT2,
    f"single digits + {_GPT2}": _ONE_DIGIT,
    _LLAMA3: _LIKE_LLAMA3,
    _QWEN2: _LIKE_QWEN2,
    _QWEN35: ("qwen35",),
    _GPT4O: ("gpt-4o", "llama4", "kanana2", "talkie", "minimax-m2"),
    r"\d{1,3}(?=(?:\d{3})*\b) + " + _GPT4O: ("tiny_aya", "cohere2moe"),
    _TEKKEN: ("tekken",),
    " + ".join(_DEEPSEEK3): ("deepseek-v3", "hunyuan-dense", "joyai-llm", "hy_v4"),
    _QWEN2.replace(_CONTRACTIONS + "|", ""): ("ufakzeka",),
    r" ?[^(\s|[.,!?…。，、।۔،])]+": ("bloom", "poro-chat", "gpt3-finnish"),
}

ADDS_BOS = frozenset(
    {
        *("llama-bpe", "llama3", "llama-v3", "falcon3", "falcon-h1", "pixtral", "midm-2.0"),
        *("lfm2", "jina-v5-nano", "tekken", "chameleon", "gemma4", "granite-embed-multi-311m"),
    }
)
"""Names with which llama.cpp adds BOS when no key says whether."""

ADDS_SEP = frozenset({"jina-v1-en", "jina-v2-code", "roberta-bpe"})
"""Names with which llama.cpp adds separators when no key says whether."""


def fitting(tokenizer: Mapping[str, Any]) -> tuple[str, ...]:
    """The names that fit a tokenizer.json, the usual one first; empty if that is not known."""
    steps = steps_of(tokenizer.get("pre_tokenizer"))
    return _TABLE.get(steps, ())


def is_plain(tokenizer: Mapping[str, Any]) -> bool:
    """Whether text is split as GPT-2 does, which many tokenizers state and few depend on."""
    return steps_of(tokenizer.get("pre_tokenizer")) == _GPT2


def steps_of(pre_tokenizer: object) -> str:
    """The steps of a pre-tokenizer in one line; those that change nothing are left out."""
    return " + ".join(_steps(pre_tokenizer, 8))


def _steps(node: object, depth: int) -> Iterator[str]:
    if not isinstance(node, dict) or not depth:
        return
    kind = node.get("type")
    if kind == "Sequence":
        listed = node.get("pretokenizers")
        for one in listed if isinstance(listed, list) else ():
            yield from _steps(one, depth - 1)
    elif kind == "Split":
        pattern = node.get("pattern")
        text = pattern.get("Regex") if isinstance(pattern, dict) else None
        if isinstance(text, str):
            yield text.replace("\r", r"\r").replace("\n", r"\n").replace("\t", r"\t")
        else:
            yield f"{kind} {pattern}"
    elif kind == "ByteLevel":
        if node.get("use_regex", True):
            yield _GPT2
    elif kind == "Digits":
        yield "single digits" if node.get("individual_digits") else "digits"
    else:
        yield str(kind)
