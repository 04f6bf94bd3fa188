"""Carry out what was planned for an open model, and leave the model as the file is afterwards.

Strategy: before a file is changed where it lies, its map is given back, so that nothing can look
at bytes that change.  Pairs that were read from it live on in a copy of the header.  Views that
somebody holds (numpy arrays of tensors) keep the map: then the file is replaced instead, because
the views go on showing the old one.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from ...errors import WriteError
from ...planning.strategy import SavePlan, plan_new_file
from ..source.source import open_source
from ..system.private_names import is_same_file
from ..write.new_file import WriteResult, write_plan
from .verify import make_check
from .verify_new import make_plan_check

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...core.chunks import WritePlan
    from ...model import Model

__all__ = ["carry_out", "write_new"]


class _How(NamedTuple):
    overwrite: bool
    may_replace: bool
    verify: str
    sync: bool
    progress: Callable[[int, int], None] | None


def carry_out(
    model: Model,
    planned: SavePlan,
    path: str | os.PathLike[str] | None,
    *,
    overwrite: bool,
    may_replace: bool,
    verify: str,
    sync: bool,
    progress: Callable[[int, int], None] | None,
) -> WriteResult:
    """See `Model.carry_out`."""
    how = _How(overwrite, may_replace, verify, sync, progress)
    if planned.strategy == "none":
        name = model.path or ""
        return WriteResult(name, "none", 0, model.file_size, 0.0, (), planned.reserve)
    if not planned.is_copy:
        return _change(model, planned, how)
    result = write_new(
        model,
        planned.plan,
        path,
        overwrite=overwrite,
        verify=verify,
        sync=sync,
        progress=progress,
    )
    return result._replace(reserve=planned.reserve)


def write_new(
    model: Model,
    plan: WritePlan,
    path: str | os.PathLike[str] | None,
    *,
    overwrite: bool,
    verify: str,
    sync: bool,
    progress: Callable[[int, int], None] | None,
) -> WriteResult:
    """See `Model.write`."""
    target = model.path if path is None else path
    if target is None:
        raise WriteError("a model from memory needs a path to be saved to")
    check = make_plan_check(verify, model, plan, _opener(model), progress)
    result = write_plan(
        plan,
        [model.source],
        target,
        overwrite=overwrite,
        progress=progress,
        durable=sync or None,
        check=check,
    )
    if model.path is not None and is_same_file(os.fspath(target), model.path):
        model.reopen()
    return result


def _opener(model: Model) -> Callable[[str], Model]:
    """Opens a file as this model was opened, but does not mind the journal of a running edit."""

    def reopen(path: str) -> Model:
        source = open_source(path)
        try:
            return model.same_kind(source)
        except BaseException:
            source.close()
            raise

    return reopen


def _change(model: Model, planned: SavePlan, how: _How) -> WriteResult:
    """Change the file itself; where that turns out not to be possible, replace it if allowed."""
    from ..inplace.edit import InsertionUnsupported

    check = make_check(how.verify, model, _opener(model), how.progress)
    model.metadata.detach(model.buffer, bytes(model.buffer[: model.header_end]))
    if not model.source.release():
        if how.may_replace:
            return _replace(model, planned, how, "views of the file are in use: it was replaced")
        if planned.room:
            raise WriteError(
                "views of the file are in use, under which its data would move",
                hint="let go of the arrays of its tensors, or replace the file",
            )
    try:
        result = _execute(model, planned, check)
    except InsertionUnsupported as error:
        _take_back(model)
        if not how.may_replace:
            raise
        return _replace(model, planned, how, f"{error.message}: it was replaced")
    except BaseException:
        _take_back(model)
        raise
    model.reopen()
    return result


def _execute(model: Model, planned: SavePlan, check: Callable[[str], None] | None) -> WriteResult:
    from ..inplace.edit import Insertion, execute_in_place

    assert model.path is not None
    room = Insertion(*planned.room) if planned.room else None
    result = execute_in_place(
        planned.patches, model.path, source=model.source, insertion=room, check=check
    )
    return result._replace(reserve=planned.reserve)


def _take_back(model: Model) -> None:
    """Show the old file again, with the edits that were not saved."""
    model.source.remap()
    model.adopt(model.source.buffer)


def _replace(model: Model, planned: SavePlan, how: _How, note: str) -> WriteResult:
    other = plan_new_file(model, planned.wish, "replace")
    result = write_new(
        model,
        other.plan,
        None,
        overwrite=True,
        verify=how.verify,
        sync=how.sync,
        progress=how.progress,
    )
    return result._replace(reserve=other.reserve, notes=(note, *result.notes))
