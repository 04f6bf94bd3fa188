"""What every verb that writes shares: where to write, the progress bar, the report."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import click

from ...errors import RefusedError
from .messages import note, warn
from .output import print_json, print_line, print_rows, print_table, report_done

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ...editing.changes import Change
    from ...model import Model
    from ...planning.strategy import SavePlan
    from ...storage.write.new_file import WriteResult
    from .options import Writing


class Target(NamedTuple):
    """Where a verb writes."""

    path: str
    in_place: bool

    @property
    def output(self) -> str | None:
        """The new file; None where the model's own is changed."""
        return None if self.in_place else self.path


def choose_target(file: str, writing: Writing) -> Target:
    """The target of ``-o OUT`` or ``-i``; one of the two, or ``-n`` for a look at ``-i``."""
    if writing.output is not None and writing.in_place:
        raise click.UsageError("-o and -i exclude each other")
    if writing.output is None and not (writing.in_place or writing.dry_run):
        raise click.UsageError("say where to write: -o OUT for a new file, -i to change FILE")
    if writing.output is None:
        if file == "-":
            raise click.UsageError("standard input cannot be changed in place: name a file")
        return Target(file, True)
    return Target(writing.output, False)


def confirm_target(target: Target, writing: Writing, *, in_place: bool = False) -> None:
    """Warn of a target that others rely on; without ``--yes`` ask, or stop if nobody can answer.

    `in_place` says that the file is changed where it lies, not replaced.
    """
    from ...storage.system.shared_files import link_note, warnings_for

    link = link_note(target.path)
    if link and not writing.quiet:
        note(link)
    found = warnings_for(target.path, in_place=in_place)
    for text in found:
        warn(text)
    if not found or writing.yes or writing.dry_run:
        return
    if not sys.stdin.isatty():
        raise click.UsageError("pass --yes to go ahead")
    if not click.confirm("Go ahead?", err=True):
        raise RefusedError("you said no: nothing was written")


def recover_first(path: str, writing: Writing) -> None:
    """Finish or undo an edit that was cut short, before the file is changed again."""
    from ...storage.system.private_names import has_journal

    if writing.dry_run or not has_journal(path):
        return
    from ...render.plan_text import recovery_text
    from ...storage.inplace.recover import recover

    result = recover(path)
    if result.action != "nothing":
        warn(recovery_text(result))


@contextmanager
def progress_bar(quiet: bool, title: str) -> Iterator[Callable[[int, int], None] | None]:
    """A progress callback (bytes done, bytes in all); a bar on stderr if it is a terminal."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
        TransferSpeedColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def save_edits(
    model: Model,
    changes: Sequence[Change],
    target: Target,
    writing: Writing,
    *,
    policy: str | None = None,
    title: str = "writing",
) -> None:
    """Write an edited model and say so; in place, nothing is written where nothing changed."""
    writing = writing._replace(save=replace(writing.save, policy=policy))
    planned = model.plan(target.output, writing.save)
    execute(model, planned, changes, target, writing, title=title)


def execute(
    model: Model,
    planned: SavePlan,
    changes: Sequence[Change],
    target: Target,
    writing: Writing,
    *,
    notes: Sequence[str] = (),
    title: str = "writing",
) -> None:
    """Do what was planned, or only show it, and report it together with `notes`."""
    if planned.strategy == "none":
        report_nothing(target.path, changes, writing)
        return
    confirm_target(target, writing, in_place=not planned.is_copy)
    if writing.dry_run:
        _show_plan(planned, changes, target, writing)
        return
    if writing.save.overwrite and not target.in_place:
        recover_first(target.path, writing)
    had_reserve = _has_reserve(model)
    room_helps = not model.tensors.is_changed
    with progress_bar(writing.quiet, title) as progress:
        result = model.execute(planned, replace(writing.save, progress=progress))
    more = [*notes, *_reserve_notes(planned, result, had_reserve, room_helps, writing)]
    result = result._replace(notes=(*more, *result.notes))
    report_write(result, changes, quiet=writing.quiet, as_json=writing.as_json)


def _has_reserve(model: Model) -> bool:
    from ...planning.reserve import find_reserve

    return find_reserve(model) is not None


def _reserve_notes(
    planned: SavePlan, result: WriteResult, had_reserve: bool, room_helps: bool, writing: Writing
) -> list[str]:
    """What a person should know of the padding key, and of a large copy that it would spare."""
    from ...planning.reserve import reserve_key
    from ...planning.strategy import LARGE

    if result.reserve is not None:
        new = "" if had_reserve else "the new key "
        left = f"{result.reserve} bytes are in reserve for later edits, in {new}{reserve_key()}"
        return [left]
    if had_reserve and writing.save.reserve is None:
        return [f"the reserve is used up: {reserve_key()} is gone; --reserve SIZE makes a new one"]
    if room_helps and planned.why and planned.plan.nbytes >= LARGE:
        return [f"the whole file was copied: {planned.why}; --reserve 64KiB spares that next time"]
    return []


def _show_plan(
    planned: SavePlan,
    changes: Sequence[Change],
    target: Target,
    writing: Writing,
) -> None:
    """What would be written, on stdout: nobody wants it mixed up with messages."""
    from ...render.plan_text import plan_json, plan_summary, plan_table

    _warn_of(changes)
    if writing.as_json:
        print_json(plan_json(planned, target.path, changes))
        return
    print_rows([("would write", target.path), *plan_summary(planned)])
    steps, more = plan_table(planned)
    print_line()
    print_table("Steps", ("what", "to", "from", "size"), steps, right=(1, 2, 3))
    if more:
        print_line(f"... and {more} more")


def _warn_of(changes: Sequence[Change]) -> None:
    for change in changes:
        for text in change.notes:
            warn(text)


def report_write(
    result: WriteResult, changes: Sequence[Change], *, quiet: bool, as_json: bool
) -> None:
    """Say what was written: a line on stderr, or a JSON document on stdout."""
    sentence = _sentence(result, changes)
    report_done(sentence)
    _warn_of(changes)
    if as_json:
        from ...render.json_text import write_json

        print_json(write_json(result, changes))
    if not quiet:
        for text in (*result.notes, sentence):
            note(text)


def _sentence(result: WriteResult, changes: Sequence[Change]) -> str:
    from ...planning.options import STRATEGIES
    from ...render.sizes import size_text

    edits = sum(change.is_change for change in changes)
    what = f"{edits} change{'' if edits == 1 else 's'}, " if changes else ""
    return (
        f"wrote {result.path}: {what}{STRATEGIES[result.strategy]}, "
        f"{size_text(result.nbytes_written)} written in {result.seconds:.2f} s"
    )


def report_nothing(path: str, changes: Sequence[Change], writing: Writing) -> None:
    """Say that the file already is what was asked for."""
    _warn_of(changes)
    if writing.as_json:
        from ...render.json_text import write_json
        from ...storage.write.new_file import WriteResult

        print_json(write_json(WriteResult(path, "none", 0, 0, 0.0), []))
    if not writing.quiet:
        note(f"{path}: nothing to change, every value is already there; nothing was written")
