"""Carry out the plan of a save: write a new file, or change the one that is there.

Strategy: before a file is changed where it lies, its map is given back, so that nothing can look
at bytes that change.  Pairs that were read from it live on in a copy of the header.  Views that
somebody holds (numpy arrays of tensors) keep the map: then the file is replaced instead, because
the views go on showing the old one.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ...errors import SourceChangedError, WriteError
from ...planning.strategy import FileFacts, SavePlan
from ..journal.state import UNPROVEN, unproven
from ..source.origins import sources_of
from ..system.private_names import is_same_file
from ..write.new_file import WriteResult, write_plan
from .verify import make_check
from .verify_new import make_plan_check

if TYPE_CHECKING:
    from ...core.document import Document
    from ...planning.options import SaveOptions
    from ...planning.patches import Room
    from ..source.source import Source


def facts_about(source: Source, path: str | os.PathLike[str] | None, strategy: str) -> FileFacts:
    """What `planning.strategy.plan_save` has to know of a file and its disk.

    Args:
        source: the file that the document was read from.
        path: the file to write; None to change the source's own.
        strategy: one of `planning.options.CHOICES`.

    Raises:
        SourceChangedError: the file is gone.
        OSError: the file cannot be looked at.
    """
    if path is not None:
        name = os.fspath(path)
        is_own = source.path is not None and is_same_file(name, source.path)
        return FileFacts(name, is_named=True, is_own=is_own)
    if source.path is None or strategy in ("replace", "new-file"):
        return FileFacts(source.path)
    own = os.path.realpath(source.path)
    try:
        links = os.stat(own).st_nlink
    except FileNotFoundError as error:
        raise SourceChangedError(
            f"{source.path}: it was removed while it was in use", hint="Nothing was written."
        ) from error
    avoid = f"it has {links} hard links, whose content stays as it is" if links > 1 else ""

    def make_room(at: int, need: int, alignment: int) -> Room | None:
        from ..inplace import insertion_support

        if strategy == "auto" and not insertion_support.is_safe(own):
            return None
        return insertion_support.plan_insertion(own, at, need, alignment)

    return FileFacts(source.path, make_room=make_room, avoid=avoid)


def execute(
    planned: SavePlan, document: Document, source: Source, options: SaveOptions
) -> WriteResult:
    """Do what was planned; the document and its source show the old file afterwards.

    Args:
        planned: the plan.
        document: what it was made from; unchanged since.
        source: the file that the document was read from.
        options: those of the plan.

    Raises:
        WriteError: the file is what it was, unless the message says otherwise;
            DestinationExistsError, SourceChangedError, LockedError and VerificationError are
            kinds of it.
    """
    journal = source.unfinished_journal
    if journal is not None and journal.state in UNPROVEN:
        raise unproven(str(source.path), journal)
    if planned.strategy == "none":
        result = WriteResult(planned.path or "", "none", 0, document.file_size, 0.0)
    elif planned.is_copy:
        result = _copy(planned, document, source, options)
    else:
        return _change(planned, document, source, options)
    return result._replace(reserve=planned.reserve)


def _copy(
    planned: SavePlan, document: Document, source: Source, options: SaveOptions
) -> WriteResult:
    if planned.path is None:
        raise WriteError("a model from memory needs a path to be saved to")
    return write_plan(
        planned.plan,
        sources_of(source, planned.plan.origins),
        planned.path,
        overwrite=options.overwrite or not planned.is_named,
        progress=options.progress,
        durable=options.sync or None,
        check=make_plan_check(planned.plan, document, source, options),
    )


def _change(
    planned: SavePlan, document: Document, source: Source, options: SaveOptions
) -> WriteResult:
    """Change the file itself; where that turns out not to be possible, do what is otherwise."""
    from ..inplace.edit import InsertionUnsupported, execute_in_place

    check = make_check(document, source, options)
    document.metadata.detach(document.buffer, bytes(document.buffer[: document.header_end]))
    header_nbytes = document.data_start  # asked before the map of the file is let go
    why = "" if source.release() else "views of the file are in use"
    if planned.room and why and not planned.otherwise:
        raise WriteError(
            f"{why}, under which its data would move",
            hint="let go of the arrays of its tensors, or replace the file",
        )
    if not why or not planned.otherwise:
        assert planned.path is not None
        try:
            result = execute_in_place(
                planned.patches,
                planned.path,
                source=source,
                insertion=planned.room,
                header_nbytes=header_nbytes,
                check=check,
            )
            return result._replace(reserve=planned.reserve)
        except BaseException as error:
            # Show the old file again, with the edits that were not saved.
            source.remap()
            document.adopt(source.buffer)
            if not isinstance(error, InsertionUnsupported) or not planned.otherwise:
                raise
            why = error.message
    result = execute(planned.otherwise, document, source, options)
    return result._replace(notes=(f"{why}: it was replaced", *result.notes))
