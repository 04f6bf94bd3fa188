"""A model against the Hugging Face repository that it came from, key by key.

Strategy: the registry says where the repository keeps each standard key ("file:path", in the
order of look-up).  The first place that has a value is compared; special tokens are compared
with every place, because repositories contradict themselves there.  Values are compared as the
key's type stores them (a float in 32 bits, one number for all layers).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from .._generated.keys import KEYS
from ..core.registry import aliases_of, concrete
from . import tokens
from .values import compare, normalize

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ..core.document import Document
    from ..core.registry import KeyInfo

__all__ = ["FILES", "Upstream", "UpstreamRow", "compare_upstream"]

FILES = {
    "config": "config.json",
    "generation_config": "generation_config.json",
    "tokenizer_config": "tokenizer_config.json",
    "tokenizer": "tokenizer.json",
    "special_tokens_map": "special_tokens_map.json",
    "preprocessor_config": "preprocessor_config.json",
    "adapter_config": "adapter_config.json",
}
"""The JSON files that are read, by the name that the registry has for them."""

# Sub-configurations of models with several parts; the text model is what a GGUF file holds.
_TEXT_CONFIGS = ("text_config", "llm_config", "language_config", "lm_config")
_TOKENIZER = "tokenizer."
_NESTED_ROPE = ("rope_parameters.", "rope_parameters.full_attention.")


class Upstream(NamedTuple):
    """What a repository says.

    Attributes:
        files: parsed JSON objects by the names in `FILES`; absent files are left out.
        templates: chat templates by name, as transformers would take them.
        template_file: the file that the templates are from.
    """

    files: Mapping[str, dict[str, Any]]
    templates: Mapping[str, str] = {}
    template_file: str = ""


class UpstreamRow(NamedTuple):
    """One setting on both sides.

    Attributes:
        key: the metadata key.
        ours: the value here, or None.
        theirs: the value there, or None.
        where: file and path there.
        verdict: ``same``, ``differs``, ``missing here``, ``missing there``, ``not comparable``.
        note: what else a person should know.
    """

    key: str
    ours: Any
    theirs: Any
    where: str
    verdict: str
    note: str = ""

    @property
    def is_difference(self) -> bool:
        """Whether the model would behave differently from its upstream."""
        missed = self.verdict == "missing here" and self.key.startswith(_TOKENIZER)
        return missed or self.verdict == "differs"


def compare_upstream(document: Document, upstream: Upstream) -> list[UpstreamRow]:
    """A row for every standard key that either side has and the repository's files can hold."""
    rows: list[UpstreamRow] = []
    config = _merged_config(upstream.files.get("config"))
    files = {**upstream.files, **({"config": config} if config else {})}
    for info in KEYS:
        if not info.hf or info.alias_of:
            continue
        rows += _rows(document, info, Upstream(files, *upstream[1:]))
    return rows


def _merged_config(config: dict[str, Any] | None) -> dict[str, Any]:
    merged = dict(config or {})
    for name in _TEXT_CONFIGS:
        inner = merged.get(name)
        if isinstance(inner, dict):
            merged.update(inner)
    return merged


def _rows(document: Document, info: KeyInfo, upstream: Upstream) -> Iterator[UpstreamRow]:
    if "chat_template" in info.roles:
        yield from tokens.template_rows(document, info, upstream)
        return
    files = {source.partition(":")[0] for source in info.hf}
    if files.isdisjoint(upstream.files):
        return
    if "token_id" in info.roles:
        yield from tokens.token_rows(document, info, upstream)
    elif "[string]" in info.types and "tokenizer" in files:
        yield from tokens.list_rows(document, info, upstream)
    else:
        row = _value_row(document, info, upstream)
        if row is not None:
            yield row


def _value_row(document: Document, info: KeyInfo, upstream: Upstream) -> UpstreamRow | None:
    key, ours = _ours(document, info)
    where, theirs = _theirs(info, upstream)
    if ours is None and theirs is None:
        return None
    if theirs is None:
        sources = ", ".join(map(place, info.hf))
        return UpstreamRow(key, ours, None, sources, "missing there", info.hf_note)
    ours, note = normalize(document, info, ours)
    if ours is None:
        # The same word there may serve another kind of model: config.intermediate_size.
        is_ours = _group(info.key) in {_group(pattern) for pattern in _patterns(document)}
        return UpstreamRow(key, None, theirs, where, "missing here", note) if is_ours else None
    verdict, more = compare(info, ours, theirs)
    return UpstreamRow(key, ours, theirs, where, verdict, note or more)


def _ours(document: Document, info: KeyInfo) -> tuple[str, Any]:
    metadata = document.metadata
    architecture = metadata.architecture or ""
    names = [concrete(one.key, architecture) for one in (info, *aliases_of(info.key))]
    for name in names:
        if name in metadata:
            return name, metadata.field(name).plain_value
    return names[0], None


def _group(pattern: str) -> str:
    """What keys of one kind share: "{arch}.ssm", "{arch}", "clip.vision", "tokenizer"."""
    return pattern.rpartition(".")[0]


def _patterns(document: Document) -> list[str]:
    prefix = f"{document.metadata.architecture}."
    return [
        "{arch}." + key[len(prefix) :] if key.startswith(prefix) else key
        for key in document.metadata
    ]


def _theirs(info: KeyInfo, upstream: Upstream) -> tuple[str, Any]:
    for source in info.hf:
        value = look_up(upstream, source)
        if value is not None:
            return place(source), value
    return "", None


def look_up(upstream: Upstream, source: str) -> Any:
    """The value at "file:path", or None; null counts as absent."""
    name, _, path = source.partition(":")
    found = _walk(upstream.files.get(name), path)
    if found is None and path.startswith(_NESTED_ROPE[0]):
        found = _walk(upstream.files.get(name), path.replace(*_NESTED_ROPE, 1))
    return found


def _walk(value: Any, path: str) -> Any:
    for word in path.split("."):
        if not isinstance(value, dict):
            return None
        value = value.get(word)
    return value


def place(source: str) -> str:
    """ "config:a.b" as a person reads it."""
    name, _, path = source.partition(":")
    return f"{FILES.get(name, name)} {path}"
