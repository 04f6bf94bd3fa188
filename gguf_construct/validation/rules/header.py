"""Rules about the fixed part of the header."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..._generated.types import MAGIC, OLDEST_WRITTEN_VERSION, WRITTEN_VERSION
from ...core.not_gguf import JOIN_HINT, is_piece_name
from .base import Finding, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .context import Context

_LOADER = "gguf_init_from_file in gguf.cpp"
_AT_VERSION = len(MAGIC)


@rule("byte-order-big", source=_LOADER, spec=None)
def big_endian(c: Context) -> Iterator[Finding]:
    """The file is little-endian: a llama.cpp on a usual machine refuses a big-endian one."""
    if c.document.order == ">":
        yield Finding(
            "the file is big-endian; llama.cpp loads it only on a big-endian machine",
            _AT_VERSION,
            "version",
            "for other machines: gguf-construct convert ... --endian little",
        )


@rule("version-old", source=_LOADER, llama="error", spec="warning")
def old_version(c: Context) -> Iterator[Finding]:
    """The version is not 1, which llama.cpp does not load any more."""
    if c.document.version < OLDEST_WRITTEN_VERSION:
        yield Finding(
            f"GGUF version {c.document.version} is no longer loaded by llama.cpp",
            _AT_VERSION,
            "version",
            f"gguf-construct convert ... --to-version {WRITTEN_VERSION}",
        )


@rule("version-not-current", source="docs/gguf.md, version", llama=None, spec="info")
def not_current(c: Context) -> Iterator[Finding]:
    """The version is 3, the only one that the current text of the format describes."""
    if OLDEST_WRITTEN_VERSION <= c.document.version < WRITTEN_VERSION:
        yield Finding(
            f"version {c.document.version}: readers take it, "
            f"the format's text asks for {WRITTEN_VERSION}",
            _AT_VERSION,
            "version",
            f"gguf-construct convert ... --to-version {WRITTEN_VERSION}",
        )


@rule("file-name", source="docs/gguf.md, naming convention", llama=None, spec="info")
def doubled_suffix(c: Context) -> Iterator[Finding]:
    """The name of the file ends in .gguf, once."""
    name = c.file_name
    if name is None or re.search(r"(?<!\.gguf)\.gguf$", name, re.IGNORECASE):
        return
    twice = name.lower().endswith(".gguf")
    yield Finding(
        f"the file is called {name!r}: " + (".gguf stands there twice" if twice else "no .gguf"),
        hint="rename it: some tools find models and shards by their names",
    )


@rule("file-part", source="names that download and split tools give", llama="warning", spec=None)
def part_of_file(c: Context) -> Iterator[Finding]:
    """The file is whole: its name is not that of a piece cut out of a larger file by bytes."""
    if c.file_name is not None and is_piece_name(c.file_name):
        yield Finding(
            f"{c.file_name!r} is named like one of several pieces of a file",
            hint=JOIN_HINT,
        )
