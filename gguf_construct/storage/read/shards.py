"""The other shards beside a file: their headers, each read once in a run."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ...core.codec import parse
from ...core.shard_names import shard_names
from ...errors import ParseError
from ..source.source import open_source

if TYPE_CHECKING:
    from ..._generated.types import Limits
    from ...core.document import Document


class ShardSets:
    """Reads the headers of shards, and remembers them.

    The files are closed again: names and numbers of the documents stay, lazy arrays do not.
    """

    def __init__(self, limits: Limits | None = None) -> None:
        self._limits = limits
        self._known: dict[str, Document | Exception] = {}

    def beside(self, path: str) -> dict[str, Document | Exception] | None:
        """The other shards of the set that `path` is named after, by file name.

        Missing ones are left out; for one that cannot be read there is the error.  None for a
        file whose name speaks of no set.
        """
        folder, own = os.path.split(path)
        names = shard_names(own)
        if not names:
            return None
        there = set(os.listdir(folder or "."))
        return {
            name: self._read(os.path.join(folder, name))
            for name in names
            if name != own and name in there
        }

    def _read(self, path: str) -> Document | Exception:
        if path not in self._known:
            self._known[path] = self._parse(path)
        return self._known[path]

    def _parse(self, path: str) -> Document | Exception:
        try:
            with open_source(path) as source:
                document = parse(source.buffer, self._limits)
                # Made now: it needs the size of the file, which is closed next.
                assert document.tensors is not None
                return document
        except (ParseError, OSError) as error:
            return error.with_traceback(None)
