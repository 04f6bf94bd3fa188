"""``repair``: fix what can be fixed safely; the plan is shown first, the file stays as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ..model import open_model
from .shared.messages import note, printable, warn
from .shared.options import (
    NEW_FILE,
    file_argument,
    json_option,
    limits_option,
    quiet_option,
    read_limits,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..editing.changes import Change

__all__ = ["command"]

_EPILOG = """\b
Examples:
  gguf-construct repair broken.gguf
  gguf-construct repair broken.gguf -o repaired.gguf

Without -o the repairs are only listed (exit code 1 if there are any). Repaired are: exact copies of
a key, a misspelt standard key, tensors at wrong places whose data are sound, bytes behind the data,
missing padding. Damaged values, overlapping and missing data are left alone: see validate."""

_FINDINGS = 1


@click.command("repair", epilog=_EPILOG)
@file_argument()
@click.option("-o", "--output", type=NEW_FILE, metavar="OUT", help="Write the repaired file.")
@click.option("-f", "--force", is_flag=True, help="Overwrite an existing OUT.")
@quiet_option
@json_option
@limits_option
def command(
    file: str, output: str | None, force: bool, quiet: bool, as_json: bool, limits: tuple[str, ...]
) -> int:
    """List what can be repaired in FILE, and write it to OUT."""
    from ..storage.system.private_names import is_same_file
    from ..storage.write.new_file import write_plan
    from ..validation.repair import plan_repair
    from .shared.writing import progress_bar, report_write

    if output is not None and is_same_file(file, output):
        raise click.UsageError("repair writes to a new file: OUT must not be FILE")
    with open_model(file, limits=read_limits(limits)) as model:
        plan, changes = plan_repair(model)
        if not as_json:
            _show(changes, model.path or file)
        if output is None or not changes:
            if as_json:
                _print_plan(file, changes)
            return _FINDINGS if changes or _count_errors(file, quiet) else 0
        with progress_bar(quiet, "repairing") as progress:
            result = write_plan(
                plan, [model.source], output, overwrite=force, progress=progress, preserve_from=file
            )
        report_write(result, changes, quiet=quiet, as_json=as_json)
    return _FINDINGS if _count_errors(output, quiet) else 0


def _show(changes: Sequence[Change], path: str) -> None:
    if not changes:
        click.echo(printable(f"{path}: nothing that can be repaired safely"))
    for one in changes:
        old = "" if one.old is None else f": {one.old}"
        new = "" if one.new is None else f" -> {one.new}"
        click.echo(printable(f"{one.action} {one.key}{old}{new}"))


def _print_plan(path: str, changes: Sequence[Change]) -> None:
    from ..render.json_text import SCHEMA, dump

    rows = [
        {"action": one.action, "key": printable(one.key), "old": one.old, "new": one.new}
        for one in changes
    ]
    document = {"schema": SCHEMA, "path": path, "strategy": "none", "bytes_written": 0}
    click.echo(dump({**document, "changes": rows}))


def _count_errors(path: str, quiet: bool) -> int:
    """Say what is (still) wrong with a file, and return the number of errors."""
    from ..render.report_text import count_text
    from ..storage.read.validate import validate_file

    report = validate_file(path)
    if report.errors:
        warn(f"{count_text(report.problems)} remain; see gguf-construct validate {path}")
    elif not quiet:
        note(f"{path}: {count_text(report.problems)}")
    return len(report.errors)
