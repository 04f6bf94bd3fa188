"""A model against the Hugging Face repository that it came from, key by key.

Strategy: the registry says where the repository keeps each standard key ("file:path", in the
order of look-up).  The first place that has a value is compared; special tokens are compared
with every place, because repositories contradict themselves there.  Values are compared as the
key's type stores them (a float in 32 bits, one number for all layers).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._generated.keys import KEYS
from ..core.registry import aliases_of, concrete
from . import tokens
from .repository import look_up, place
from .results import UpstreamRow
from .values import compare, normalize

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..core.document import Document
    from ..core.registry import KeyInfo
    from .repository import Repository

__all__ = ["compare_upstream"]


def compare_upstream(document: Document, repository: Repository) -> list[UpstreamRow]:
    """A row for every standard key that either side has and the repository's files can hold."""
    rows: list[UpstreamRow] = []
    for info in KEYS:
        if not info.hf or info.alias_of:
            continue
        rows += _rows(document, info, repository)
    return rows


def _rows(document: Document, info: KeyInfo, repository: Repository) -> Iterator[UpstreamRow]:
    if "chat_template" in info.roles:
        yield from tokens.template_rows(document, info, repository)
        return
    files = {source.partition(":")[0] for source in info.hf}
    if files.isdisjoint(repository.files):
        return
    if "token_id" in info.roles:
        yield from tokens.token_rows(document, info, repository)
    elif "[string]" in info.types and "tokenizer" in files:
        yield from tokens.list_rows(document, info, repository)
    else:
        row = _value_row(document, info, repository)
        if row is not None:
            yield row


def _value_row(document: Document, info: KeyInfo, repository: Repository) -> UpstreamRow | None:
    key, ours = _ours(document, info)
    where, theirs = _theirs(info, repository)
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


def _theirs(info: KeyInfo, repository: Repository) -> tuple[str, Any]:
    for source in info.hf:
        value = look_up(repository, source)
        if value is not None:
            return place(source), value
    return "", None
