"""Validate files by name, with the other shards that lie beside them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ..source.source import Source, open_source
from ..source.steady import read_steadily

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..._generated.types import Limits
    from ...validation.validate import Report
    from .shards import ShardSets

__all__ = ["validate_file", "validate_source"]


def validate_file(
    source: str | os.PathLike[str] | bytes | bytearray | memoryview,
    *,
    profile: str = "llama.cpp",
    data: bool = False,
    limits: Limits | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Report:
    """Say what is wrong with a file (a path) or with its bytes.

    Nothing that is wrong with the content raises: the report tells, with codes, offsets, hints.

    Args:
        source: the file, or its bytes.
        profile: ``llama.cpp`` (what its loader accepts), ``spec`` (the text of the format) or
            ``strict`` (the worse of both).
        data: also read the tensor data for NaN and infinities.
        limits: safety limits of the reader.
        progress: called with (bytes done, bytes in all) while data are read.

    Raises:
        OSError: the file cannot be opened.
        SourceChangedError: it is changed again and again while it is checked.
        ValueError: there is no such profile.
    """

    def check(opened: Source) -> Report:
        return validate_source(opened, profile=profile, data=data, limits=limits, progress=progress)

    opened, report = read_steadily(source, open_source, check)
    opened.close()
    return report


def validate_source(
    source: Source,
    *,
    profile: str,
    data: bool,
    limits: Limits | None = None,
    progress: Callable[[int, int], None] | None = None,
    shards: ShardSets | None = None,
) -> Report:
    """The same for a source that is open; `shards` remembers headers from file to file."""
    from ...validation.validate import validate
    from .shards import ShardSets

    path = source.path
    beside = (shards or ShardSets(limits)).beside(path) if path is not None else None
    return validate(
        source.buffer,
        profile=profile,
        limits=limits,
        data=data,
        file_name=os.path.basename(path) if path is not None else None,
        siblings=beside,
        progress=progress,
    )
