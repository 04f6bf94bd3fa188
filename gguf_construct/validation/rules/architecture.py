"""Rules about what the file is and the keys that it needs for that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...core.registry import close_matches, is_known_architecture
from .base import Finding, rule
from .loaded import loaded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..._generated.keys import KeyInfo
    from ...core.registry import Requirement
    from .context import Context

_REQUIRED = "load_hparams, load_vocab in llama.cpp; registry of standard keys"
# These have rules of their own about it, or nobody reads it.
_COMPANIONS = frozenset({"adapter", "imatrix", "mmproj", "controlvector"})
_ARCHITECTURE = "general.architecture"
# These have a code and a message of their own in `tokenizer`.
_OWN_CODE = frozenset(
    {"tokenizer.ggml.merges", "tokenizer.ggml.eos_token_id", "tokenizer.ggml.pre"}
)


@rule("architecture-unknown", source="llm_arch_from_string in llama-arch.cpp", spec=None)
def unknown(c: Context) -> Iterator[Finding]:
    """general.architecture is one that llama.cpp knows."""
    name = c.architecture
    if name is None or is_known_architecture(name) or not c.kinds.isdisjoint(_COMPANIONS):
        return
    offset, path = c.place(_ARCHITECTURE)
    near = close_matches(name, _known(), 2)
    yield Finding(
        f"llama.cpp knows no architecture {name!r}",
        offset,
        path,
        f"did you mean {' or '.join(near)}?" if near else "a newer llama.cpp may know it",
        "info" if c.kinds == {"other"} else None,
    )


def _known() -> list[str]:
    from ..._generated.keys import ARCHITECTURES

    return list(ARCHITECTURES)


@rule("architecture-without-loader", source="llama_model_create in llama-model.cpp", spec=None)
def without_loader(c: Context) -> Iterator[Finding]:
    """llama.cpp can load models of this architecture, not only name it."""
    from ..._generated.weights import LOADERS

    name = c.architecture or ""
    if "model" in c.kinds and is_known_architecture(name) and name not in LOADERS:
        offset, path = c.place(_ARCHITECTURE)
        yield Finding(f"llama.cpp knows the name {name!r}, but cannot load it", offset, path)


@rule("key-missing", source=_REQUIRED, needs="tensors")
def missing(c: Context) -> Iterator[Finding]:
    """The keys are there without which the loader refuses the file."""
    found = loaded(c)
    for one in c.required:
        of_architecture = one.info.section == "architecture" and found is not None
        if one.level == "must" and not of_architecture and _is_missed(c, one):
            yield _missing(c, one.key, one.info)
    for key in dict.fromkeys(found.missing_keys if found is not None else ()):
        yield _missing(c, key, c.find(key))


def _missing(c: Context, key: str, info: KeyInfo | None) -> Finding:
    return Finding(
        f"{key!r} is missing" + (f": {info.doc}" if info else ""),
        c.document.body.at("num_metadata"),
        "num_metadata",
        f"gguf-construct set ... {key}:{info.types[0]}=VALUE" if info else None,
    )


def _is_missed(c: Context, one: Requirement) -> bool:
    if one.key in c.records or one.info.key in _OWN_CODE:
        return False
    # What an unknown architecture needs is unknown, too.
    of_architecture = one.info.section == "architecture"
    return not of_architecture or is_known_architecture(c.architecture or "")


@rule("key-recommended", source=_REQUIRED, llama="warning", spec="info", needs="tensors")
def recommended(c: Context) -> Iterator[Finding]:
    """The keys are there that writers store and without which something is guessed."""
    for one in c.required:
        if one.level == "should" and _is_missed(c, one):
            yield Finding(
                f"{one.key!r} is missing: {one.info.doc}",
                c.document.body.at("num_metadata"),
                "num_metadata",
                f"gguf-construct set ... {one.key}:{one.info.types[0]}=VALUE",
            )


@rule("no-tensors", source="llama_model_load in llama.cpp", spec=None, needs="tensors")
def no_tensors(c: Context) -> Iterator[Finding]:
    """A model has tensors; a file without them is a vocabulary or the first shard of a set."""
    if not c.tensors and "model" in c.kinds and "shard" not in c.kinds:
        yield Finding(
            "a model without tensors",
            c.document.body.at("num_tensors"),
            "num_tensors",
            "the conversion was not finished, or this is only a part of it",
        )
