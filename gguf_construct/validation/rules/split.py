"""Rules about shards of a split model."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ...core.shard_names import SHARD_NAME, shard_name, shard_names
from ...errors import NotGGUFError
from .base import Finding, rule

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ...core.document import Document
    from .context import Context

_LOADER = "llama_model_loader in llama-model-loader.cpp"
_NO, _COUNT, _TENSORS = SPLIT_KEYS = ("split.no", "split.count", "split.tensors.count")


def _siblings(c: Context) -> Mapping[str, Document | Exception]:
    """The other shards that somebody looked for, those that are missing left out."""
    if c.num_shards == 1 or c.siblings is None:
        return {}
    return {name: one for name, one in c.siblings.items() if name != c.file_name}


def _others(c: Context) -> dict[str, Document]:
    """Those of them that can be read."""
    return {name: one for name, one in _siblings(c).items() if not isinstance(one, Exception)}


def _number(document: Document, key: str) -> int | None:
    if key not in document.metadata:
        return None
    value = document.metadata.field(key).record.value
    return value if isinstance(value, int) else None


@rule("split-number", source=_LOADER)
def number(c: Context) -> Iterator[Finding]:
    """The number of a shard is below the number of shards."""
    no, count = c.integer(_NO), c.integer(_COUNT)
    if no is not None and count is not None and count > 1 and no >= count:
        offset, path = c.place(_NO)
        yield Finding(f"shard {no} of {count}: they count from 0", offset, path)


@rule("split-left-behind", source=_LOADER, spec="warning", needs="tensors")
def left_behind(c: Context) -> Iterator[Finding]:
    """A file that holds the whole model does not claim to be a shard."""
    if not is_alone(c):
        return
    offset, path = c.place(_COUNT)
    yield Finding(
        f"split.count is {c.num_shards}, but all {len(c.tensors)} tensors are in this file",
        offset,
        path,
        "remove the keys: gguf-construct repair ... -o repaired.gguf",
    )


def is_alone(c: Context) -> bool:
    """Whether a file that says it is a shard holds all tensors of its model, and so is none."""
    named = c.file_name is not None and SHARD_NAME.fullmatch(c.file_name) is not None
    whole = c.integer(_TENSORS) == len(c.tensors) and not c.integer(_NO)
    return c.num_shards > 1 and whole and len(c.tensors) > 0 and not named


@rule("split-keys-idle", source=_LOADER, llama="info", spec="info")
def idle(c: Context) -> Iterator[Finding]:
    """A file that is no shard has no split keys."""
    if c.num_shards > 1:
        return
    for key in (_NO, _COUNT, _TENSORS):
        if key in c.records:
            offset, path = c.place(key, "key")
            yield Finding("it says nothing: the file is no shard", offset, path)


@rule("split-name", source="llama_split_path in llama.cpp", spec="warning", needs="tensors")
def name(c: Context) -> Iterator[Finding]:
    """A shard is called PREFIX-00001-of-00003.gguf by its number, from 1: it is found by name."""
    no = c.integer(_NO)
    if c.num_shards == 1 or c.file_name is None or no is None or is_alone(c):
        return
    found = SHARD_NAME.fullmatch(c.file_name)
    prefix = found["prefix"] if found else re.sub(r"\.gguf$", "", c.file_name)
    wanted = shard_name(prefix, no, c.num_shards)
    if wanted != c.file_name:
        offset, path = c.place(_NO)
        yield Finding(
            f"shard {no} of {c.num_shards} is called {c.file_name!r}, not {wanted!r}",
            offset,
            path,
            "rename the file, or it is from another set",
        )


@rule("split-name-doubled", source="practice", llama="info", spec="info")
def doubled(c: Context) -> Iterator[Finding]:
    """The prefix of a shard's name does not end in .gguf itself."""
    found = SHARD_NAME.fullmatch(c.file_name or "")
    if found and found["prefix"].lower().endswith(".gguf"):
        yield Finding(
            f".gguf stands in {c.file_name!r} twice",
            hint="tools that cut the suffix off find no shards; rename all of them",
        )


@rule("split-tensor-count", source=_LOADER, needs="tensors")
def tensor_count(c: Context) -> Iterator[Finding]:
    """split.tensors.count is the number of tensors of all shards together."""
    stated, own = c.integer(_TENSORS), len(c.tensors)
    if c.num_shards == 1 or stated is None:
        return
    offset, path = c.place(_TENSORS)
    if stated < own:
        yield Finding(f"{stated}, but this shard alone has {own} tensors", offset, path)
        return
    others = _others(c).values()
    if len(others) != c.num_shards - 1:
        return
    total = own + sum(len(one.tensors.all) for one in others)
    if total != stated:
        yield Finding(f"{stated}, but the shards have {total} tensors", offset, path)


@rule("split-shard-missing", source=_LOADER, spec="warning")
def missing(c: Context) -> Iterator[Finding]:
    """Every shard of the set is there."""
    if c.num_shards == 1 or c.siblings is None or c.file_name is None:
        return
    wanted = shard_names(c.file_name)
    gone = [one for one in wanted if one != c.file_name and one not in c.siblings]
    if gone:
        offset, path = c.place(_COUNT)
        more = f" and {len(gone) - 1} more" if len(gone) > 1 else ""
        yield Finding(f"{gone[0]!r}{more} is not beside it", offset, path, "download all shards")


@rule("split-shard-unreadable", source=_LOADER, spec="warning")
def unreadable(c: Context) -> Iterator[Finding]:
    """Every shard of the set can be read."""
    offset, path = c.place(_COUNT)
    for one, error in _siblings(c).items():
        if isinstance(error, NotGGUFError) and error.kind == "empty":
            yield Finding(f"{one!r} is empty", offset, path, "download it again")
        elif isinstance(error, Exception):
            yield Finding(f"{one!r} cannot be read: {error}", offset, path, "validate it by itself")


@rule("split-shard-foreign", source=_LOADER, spec="warning")
def foreign(c: Context) -> Iterator[Finding]:
    """The other shards are of the same set: same count, and the number of their name."""
    offset, path = c.place(_COUNT)
    for one, document in _others(c).items():
        found = SHARD_NAME.fullmatch(one)
        if found is None:
            continue
        count, no = _number(document, _COUNT), _number(document, _NO)
        if count != c.num_shards or no != int(found["number"]) - 1:
            yield Finding(
                f"{one!r} says it is shard {no} of {count}",
                offset,
                path,
                "it is of another set, or was renamed",
            )


@rule("split-tensor-duplicate", source=_LOADER)
def duplicate(c: Context) -> Iterator[Finding]:
    """No tensor is in two shards."""
    own = {tensor.record.name: at for at, tensor in enumerate(c.tensors)}
    for one, document in _others(c).items():
        for tensor in document.tensors.all:
            at = own.get(tensor.record.name)
            if at is not None:
                yield Finding(
                    f"it is in {one!r} too",
                    c.tensors[at].record.at("name"),
                    c.tensor_path(at, "name"),
                )


@rule(
    "split-alignment",
    source="GGUFWriter of gguf-py (later shards do not say theirs)",
    llama="warning",
    spec="warning",
)
def alignment(c: Context) -> Iterator[Finding]:
    """All shards have one alignment, and say it."""
    for one, document in _others(c).items():
        if document.alignment != c.document.alignment:
            offset, path = c.place(_COUNT)
            yield Finding(
                f"the alignment is {c.document.alignment} here and {document.alignment} in {one!r}",
                offset,
                path,
                "if it was padded for the other one, its tensors are read from wrong places",
            )
