"""What a file's split.* keys say about the set that it belongs to.

Source: llama.cpp, llama_split_path and the keys split.no, split.count, split.tensors.count.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from .document import Document

__all__ = ["Shard", "shard_of", "sibling_name"]

_NUMBER, _COUNT = "split.no", "split.count"
_NAME = r"(?s)^(?P<stem>.*)-(?P<number>\d{5})-of-(?P<count>\d{5})\.gguf$"


class Shard(NamedTuple):
    """Shard `number` of `total`; counts from 0, as in the file (names count from 1)."""

    number: int
    total: int


def shard_of(document: Document) -> Shard | None:
    """Which shard the document is; None for a model in one file."""
    metadata = document.metadata
    found = []
    for key in (_NUMBER, _COUNT):
        value = metadata.field(key).plain_value if key in metadata else None
        if not isinstance(value, int) or isinstance(value, bool):
            return None
        found.append(value)
    number, total = found
    return Shard(number, total) if total > 1 else None


def sibling_name(name: str, number: int) -> str | None:
    """The file name of another shard of the set (from 0); None where the name has no number."""
    match = re.match(_NAME, name)
    if match is None:
        return None
    return f"{match['stem']}-{number + 1:05d}-of-{match['count']}.gguf"
