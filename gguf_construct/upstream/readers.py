"""What llama.cpp takes a setting for when the key is absent.

Strategy: a default may depend on other keys.  Those are taken from the repository where it has
them, so that one wrong key does not make two differences.

Source: llama_model_base::load_hparams and llama_vocab::impl::load of llama.cpp.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..core.token_arrays import token_arrays
from .read_keys import is_read

if TYPE_CHECKING:
    from collections.abc import Callable

    from .facts import Facts


def default_of(facts: Facts, suffix: str) -> tuple[Any, str]:
    """What the key ``{arch}.suffix`` counts for when it is absent, and why.

    (None, "") where that is not known.
    """
    if suffix in _FIXED:
        return _FIXED[suffix], "not stored: llama.cpp assumes it"
    rule = _COMPUTED.get(suffix)
    return rule(facts) if rule is not None else (None, "")


_FIXED: dict[str, Any] = {
    "rope.freq_base": 10000.0,
    "attention.causal": True,
    "expert_count": 0,
    "expert_used_count": 0,
    "rope.scaling.yarn_beta_fast": 32.0,
    "rope.scaling.yarn_beta_slow": 1.0,
}


def _vocab_size(facts: Facts) -> tuple[Any, str]:
    texts = token_arrays(facts.document.metadata).texts
    return (None, "") if texts is None else (texts.array_length, "the number of tokens")


def _head_size(facts: Facts) -> tuple[Any, str]:
    if not facts.has_attention:
        return None, ""
    width = facts.width or facts.ours("embedding_length")
    heads = facts.heads or facts.ours("attention.head_count")
    if isinstance(width, int) and isinstance(heads, int) and heads:
        return width // heads, "not stored: width divided by heads"
    return None, ""


def _heads_kv(facts: Facts) -> tuple[Any, str]:
    heads = (facts.heads or facts.ours("attention.head_count")) if facts.has_attention else 0
    return heads, "not stored: as many as heads"


def _rope_dimensions(facts: Facts) -> tuple[Any, str]:
    size = facts.head_size or facts.ours("attention.key_length")
    return size, "not stored: the whole head"


def _freq_base_swa(facts: Facts) -> tuple[Any, str]:
    if not is_read("rope.freq_base_swa", facts.architecture):
        return None, ""
    if facts.architecture in ("gemma3", "gemma3n", "gemma-embedding"):
        return 10000.0, "not stored: llama.cpp assumes it"
    base = facts.rope("rope_theta") or facts.get("rope_theta") or facts.ours("rope.freq_base")
    return base, "not stored: as in the other layers"


_COMPUTED: dict[str, Callable[[Facts], tuple[Any, str]]] = {
    "vocab_size": _vocab_size,
    "attention.key_length": _head_size,
    "attention.value_length": _head_size,
    "attention.head_count_kv": _heads_kv,
    "rope.dimension_count": _rope_dimensions,
    "rope.freq_base_swa": _freq_base_swa,
}
