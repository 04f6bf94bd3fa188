"""What a file's split.* keys say about the set that it belongs to.

Source: llama.cpp, llama_split_path and the keys split.no, split.count, split.tensors.count.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from .document import Document

_NUMBER, _COUNT = "split.no", "split.count"
SHARD_NAME = re.compile(r"(?P<prefix>.*)-(?P<number>\d{5})-of-(?P<count>\d{5})\.gguf", re.DOTALL)
"""A file name of a set; numbers count from 1 there."""

_MAX_LOOKED_AT = 4096


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


def shard_name(prefix: str, number: int, count: int) -> str:
    """The file name of shard `number`, from 0."""
    return f"{prefix}-{number + 1:05d}-of-{count:05d}.gguf"


def shard_names(file_name: str) -> list[str]:
    """The names of the whole set that a file is named after; empty when it is named after none."""
    found = SHARD_NAME.fullmatch(file_name)
    if found is None:
        return []
    count = int(found["count"])
    return [shard_name(found["prefix"], at, count) for at in range(min(count, _MAX_LOOKED_AT))]


def sibling_name(name: str, number: int) -> str | None:
    """The file name of another shard of the set (from 0); None where the name has no number."""
    found = SHARD_NAME.fullmatch(name)
    return None if found is None else shard_name(found["prefix"], number, int(found["count"]))
