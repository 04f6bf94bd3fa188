"""What every verb that writes shares: where to write, the progress bar, the report."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from .messages import note, warn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ..fileio.write import WriteResult
    from ..model import Model
    from ..ops.edit import Change

__all__ = [
    "Target",
    "choose_target",
    "confirm_target",
    "progress_bar",
    "report_nothing",
    "report_write",
    "save_edits",
]

_PROGRESS_FROM = 64 << 20


class Target(NamedTuple):
    """Where a verb writes."""

    path: str
    overwrite: bool
    in_place: bool


def choose_target(file: str, output: str | None, in_place: bool, force: bool) -> Target:
    """The target of ``-o OUT`` or ``-i``; one of the two must be given."""
    if output is not None and in_place:
        raise click.UsageError("-o and -i exclude each other")
    if output is None and not in_place:
        raise click.UsageError("say where to write: -o OUT for a new file, -i to change FILE")
    if in_place:
        return Target(file, True, True)
    assert output is not None
    return Target(output, force, False)


def confirm_target(target: Target, yes: bool) -> None:
    """Warn of a target that others rely on; without ``--yes`` ask, or stop if nobody can answer."""
    from ..fileio.guards import warnings_for

    found = warnings_for(target.path)
    for text in found:
        warn(text)
    if not found or yes:
        return
    if not sys.stdin.isatty():
        raise click.UsageError("go ahead with --yes")
    click.confirm("Go ahead?", abort=True, err=True)


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
    *,
    yes: bool = False,
    quiet: bool = False,
    as_json: bool = False,
) -> None:
    """Write an edited model and say so; in place, nothing is written where nothing changed."""
    if target.in_place and not model.metadata.is_changed:
        report_nothing(target.path, changes, as_json)
        return
    confirm_target(target, yes)
    with progress_bar(quiet, "writing") as progress:
        path = None if target.in_place else target.path
        result = model.save(path, overwrite=target.overwrite, progress=progress)
    report_write(result, changes, quiet=quiet, as_json=as_json)


def report_write(
    result: WriteResult, changes: Sequence[Change], *, quiet: bool, as_json: bool
) -> None:
    """Say what was written: a line on stderr, or a JSON document on stdout."""
    for change in changes:
        for text in change.notes:
            warn(text)
    if as_json:
        from ..render.json_text import dump, write_json

        click.echo(dump(write_json(result, changes)))
    if quiet:
        return
    for text in result.notes:
        note(text)
    note(_sentence(result, changes))


def _sentence(result: WriteResult, changes: Sequence[Change]) -> str:
    from ..render.sizes import size_text

    edits = sum(change.is_change for change in changes)
    what = f"{edits} change{'' if edits == 1 else 's'}, " if changes else ""
    return (
        f"wrote {result.path}: {what}{result.strategy}, "
        f"{size_text(result.nbytes_written)} written in {result.seconds:.2f} s"
    )


def report_nothing(path: str, changes: Sequence[Change], as_json: bool) -> None:
    """Say that the file already is what was asked for."""
    for change in changes:
        for text in change.notes:
            warn(text)
    if as_json:
        from ..render.json_text import dump

        document: dict[str, Any] = {
            "schema": 1,
            "path": path,
            "strategy": "none",
            "bytes_written": 0,
            "changes": [],
        }
        click.echo(dump(document))
    note(f"{path}: nothing to change, every value is there already; nothing was written")
