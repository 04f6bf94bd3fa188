"""A model against the Hugging Face repository that it came from, key by key.

Strategy: each metadata key has one row.  Its value here is what llama.cpp makes of it: the key,
else the default, else the tensors.  Its value there is what a faithful converter makes of the
repository: the registry says where each key comes from ("file:path", in the order of look-up),
`derived` what is computed.  Where the repository contradicts itself, the place that converters
read first counts, and the rest is a note.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._generated.keys import KEYS
from ..core.shard_names import shard_of
from ..core.token_arrays import TEXTS_KEY
from ..errors import GGUFError, RefusedError
from .adapters import adapter_rows
from .facts import Facts
from .flags import flag_row
from .lists import vocabulary_rows
from .settings import setting_row
from .templates import template_rows
from .tokens import token_row
from .vocabulary import their_vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..core.document import Document
    from .repository import Repository
    from .results import UpstreamRow

_FLAGS = (
    "tokenizer.ggml.add_space_prefix",
    "tokenizer.ggml.remove_extra_whitespaces",
    "tokenizer.ggml.normalizer.lowercase",
)
# Rows of these keys come from elsewhere than the loop over the registry.
_ELSEWHERE = frozenset({"token_array", "chat_template", "chat_template_names"})
_MERGES, _MODEL = "tokenizer.ggml.merges", "tokenizer.ggml.model"
_VOCAB_SIZE = "{arch}.vocab_size"


def compare_upstream(document: Document, repository: Repository) -> list[UpstreamRow]:
    """A row for every setting that either side has and the repository's files can hold.

    A projector is compared by its own keys only, an adapter by adapter_config.json.

    Raises:
        RefusedError: the document is a later shard, which holds no settings.
        GGUFError: nothing could be compared.
    """
    shard = shard_of(document)
    if shard is not None and shard.number > 0:
        raise RefusedError(
            f"this is shard {shard.number + 1} of {shard.total}, which holds no metadata",
            hint="compare the first shard of the set",
        )
    facts = Facts(document, repository)
    kind = document.metadata.text("general.type")
    if kind == "adapter":
        rows = list(adapter_rows(facts))
    elif kind == "mmproj" or facts.architecture == "clip":
        rows = list(_settings(facts, "clip."))
    else:
        rows = list(_model_rows(facts))
    if not any(row.is_compared for row in rows):
        reasons = [f"{file} is {reason}" for file, reason in repository.unread.items()]
        raise GGUFError(
            f"0 of {len(rows)} settings could be compared"
            + (f": {'; '.join(reasons)}" if reasons else ""),
            hint="name the folder of the model's Hugging Face repository, with its JSON files",
        )
    return rows


def _model_rows(facts: Facts) -> Iterator[UpstreamRow]:
    there = their_vocabulary(facts.repository)
    lists = list(vocabulary_rows(facts, there))
    wrong = {row.key for row in lists if row.is_difference}
    metadata = facts.document.metadata
    size_key = _VOCAB_SIZE.replace("{arch}", facts.architecture)
    is_counted = TEXTS_KEY in wrong and size_key not in metadata
    for one in _settings(facts):
        # The number of tokens stands in for an absent vocab_size: one fault, one row.
        if not (is_counted and one.key == size_key):
            yield one
    for info in KEYS:
        if info.alias_of or not info.key.startswith("tokenizer."):
            continue
        row: UpstreamRow | None = None
        if "token_id" in info.roles:
            row = token_row(facts, info, there)
        elif "add_token_flag" in info.roles or info.key in _FLAGS:
            row = flag_row(facts, info)
        # What llama.cpp assumes hangs on the kind of tokenizer: one fault, one row.
        if row is not None and (_MODEL not in wrong or row.key in metadata):
            yield row
    yield from lists
    yield from template_rows(facts.document, facts.repository)


def _settings(facts: Facts, prefix: str = "") -> Iterator[UpstreamRow]:
    for info in KEYS:
        if not info.key.startswith(prefix) or info.alias_of or info.key in (*_FLAGS, _MERGES):
            continue
        if not _ELSEWHERE.isdisjoint(info.roles) or {"token_id", "add_token_flag"} & {*info.roles}:
            continue
        if not info.hf and not info.key.startswith("{arch}."):
            continue
        row = setting_row(facts, info)
        if row is not None and (info.hf or row.verdict != "missing there"):
            yield row
