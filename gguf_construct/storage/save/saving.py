"""The facts about a file and its disk that `planning.strategy` plans with."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ...errors import BuildError, SourceChangedError
from ...planning.patches import Room
from ...planning.strategy import SavePlan, Wish, plan_edit, plan_new_file
from ..system.private_names import is_same_file

if TYPE_CHECKING:
    from ...core.document import Document
    from ..source.source import Source

__all__ = ["plan_for"]


def plan_for(
    document: Document,
    source: Source,
    path: str | os.PathLike[str] | None,
    strategy: str,
    wish: Wish,
) -> SavePlan:
    """How to save a document that was read from `source`.

    Args:
        document: the document with its edits.
        source: the file that it was read from.
        path: the new file; None to change the source's own; its path, to replace it.
        strategy: one of `planning.strategy.STRATEGIES`.
        wish: what else shall be done.

    Raises:
        BuildError: the strategy cannot be followed; the message says why.
        SourceChangedError: the file is gone.
        OSError: the file cannot be looked at.
    """
    if path is not None:
        if strategy not in ("auto", "new-file", "replace"):
            raise BuildError(f"a new file cannot be written by the strategy {strategy}")
        is_own = source.path is not None and is_same_file(os.fspath(path), source.path)
        return plan_new_file(document, wish, "replace" if is_own else "new-file")
    if strategy == "new-file":
        raise BuildError("a new file needs another path than the old one")
    if source.path is None:
        return plan_new_file(document, wish, "replace")
    own = os.path.realpath(source.path)
    try:
        links = os.stat(own).st_nlink
    except FileNotFoundError as error:
        raise SourceChangedError(
            f"{source.path}: it was removed while it was in use", hint="Nothing was written."
        ) from error
    avoid = f"it has {links} hard links, whose content stays as it is" if links > 1 else ""

    def make_room(at: int, need: int, alignment: int) -> Room | None:
        if strategy == "auto" and not _may_insert(own):
            return None
        from ..inplace.edit import plan_insertion

        found = plan_insertion(own, at, need, alignment)
        return None if found is None else Room(*found)

    return plan_edit(document, wish, strategy, make_room=make_room, avoid=avoid)


def _may_insert(path: str) -> bool:
    from ..inplace import insertion_support

    return insertion_support.can_insert(path) and not insertion_support.is_open_elsewhere(path)
