"""``repair``: fix what can be fixed safely; the plan is shown first, the file stays as it is."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from ..model import open_model
from .shared.exit_codes import FINDINGS, FINE, UNDECIDED, decide
from .shared.messages import note, warn
from .shared.options import (
    NEW_FILE,
    file_argument,
    force_option,
    json_option,
    limits_option,
    quiet_option,
)
from .shared.output import print_json, print_line

if TYPE_CHECKING:
    from .._generated.types import Limits

_EPILOG = """\b
Examples:
  gguf-construct repair broken.gguf
  gguf-construct repair broken.gguf -o repaired.gguf

Without -o the repairs are only listed (exit code 1 if there are any). It repairs exact copies of a
key, misspelt standard keys, the keys of a shard in a whole model, misplaced tensors whose data is
sound, zeros after the data and missing padding. It leaves damaged values, overlapping and missing
data alone: see validate."""


@click.command("repair", epilog=_EPILOG)
@file_argument
@click.option("-o", "--output", type=NEW_FILE, metavar="OUT", help="Write the repaired file.")
@force_option
@click.option("--drop-trailing", is_flag=True, help="Drop what follows the data, zeros or not.")
@quiet_option
@json_option
@limits_option
def command(
    file: str,
    output: str | None,
    force: bool,
    drop_trailing: bool,
    quiet: bool,
    as_json: bool,
    limits: Limits | None,
) -> int:
    """List what can be repaired in FILE, and write it to OUT."""
    from ..render.report_text import repair_lines
    from ..storage.system.private_names import is_same_file
    from ..storage.write.new_file import write_plan
    from ..validation.repair import plan_repair
    from .shared.writing import progress_bar, report_write

    if output is not None and is_same_file(file, output):
        raise click.UsageError("repair writes to a new file: OUT must not be FILE")
    decide(UNDECIDED)
    with open_model(file, limits=limits) as model:
        name = os.path.basename(model.path or "") or None
        plan, changes = plan_repair(model, file_name=name, drop_trailing=drop_trailing)
        if not as_json:
            for line in repair_lines(model.path or file, changes):
                print_line(line)
        if output is None or not changes:
            if as_json:
                from ..render.report_json import repair_json

                print_json(repair_json(file, changes))
            return FINDINGS if changes or _count_errors(file, quiet) else FINE
        with progress_bar(quiet, "repairing") as progress:
            result = write_plan(
                plan, [model.source], output, overwrite=force, progress=progress, preserve_from=file
            )
        report_write(result._replace(strategy="repair"), changes, quiet=quiet, as_json=as_json)
    return FINDINGS if _count_errors(output, quiet) else FINE


def _count_errors(path: str, quiet: bool) -> int:
    """Say what is (still) wrong with a file, and return the number of errors."""
    from ..api import validate
    from ..render.report_text import problems_text

    report = validate(path)
    found = problems_text(report.problems)
    if report.errors:
        remain = "remains" if len(report.errors) == 1 else "remain"
        warn(f"{found} {remain}; see gguf-construct validate {path}")
    elif not quiet:
        note(f"{path}: {found}")
    return len(report.errors)
