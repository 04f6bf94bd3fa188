"""``hash``: hash each tensor, each key and the content; write and check lists of hashes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ..comparison.hashes import ALGORITHMS
from .shared.exit_codes import FINDINGS, FINE, decide
from .shared.messages import note
from .shared.options import PATH, file_argument, json_option, limits_option, quiet_option
from .shared.output import print_json, print_line, print_lines, report_done
from .shared.reading import open_given
from .shared.writing import progress_bar

if TYPE_CHECKING:
    from .._generated.types import Limits
    from ..comparison.hashes import HashReport
    from ..model import Model

_EPILOG = """\b
Examples:
  gguf-construct hash model.gguf
  gguf-construct hash model.gguf --content
  gguf-construct hash model.gguf --write model.hashes
  gguf-construct hash copy.gguf --check model.hashes

\b
Each row is hashed as GGUF v3, little-endian, stores it, so the byte order, the format version,
the layout and the order of keys and tensors change no hash. The content hash leaves out
what only describes the layout: general.alignment, split.* and the padding kept in reserve.
Exit code of --check: 0 nothing differs, 1 something does."""


@click.command("hash", epilog=_EPILOG)
@file_argument
@click.option(
    "-a", "--algorithm", type=click.Choice(ALGORITHMS), default=None, help="sha256 by default."
)
@click.option("-j", "--jobs", type=click.IntRange(1, 256), metavar="N", help="Threads to use.")
@click.option("--content", "only_content", is_flag=True, help="Print the content hash only.")
@click.option("--write", "write", type=PATH, metavar="LIST", help="Write a list to LIST.")
@click.option("--check", type=PATH, metavar="LIST", help="Compare with a list.")
@click.option("-f", "--force", is_flag=True, help="Overwrite an existing LIST.")
@quiet_option
@json_option
@limits_option
def command(
    file: str,
    algorithm: str | None,
    jobs: int | None,
    only_content: bool,
    write: str | None,
    check: str | None,
    force: bool,
    quiet: bool,
    as_json: bool,
    limits: Limits | None,
) -> int:
    """Hash each metadata key and tensor of FILE, and its content as a whole."""
    if check is not None and write is not None:
        raise click.UsageError("--write and --check exclude each other")
    known: dict[tuple[str, str], str] = {}
    if check is not None:
        from ..comparison.hash_list import parse_hashes
        from ..storage.write.small_files import read_value

        stated, known = parse_hashes(read_value(check).decode("utf-8", "surrogateescape"))
        if algorithm not in (None, stated):
            raise click.UsageError(f"the list was made with {stated}")
        algorithm = stated
    with open_given(file, limits) as model:
        report = _hash(model, algorithm or ALGORITHMS[0], jobs, quiet)
    if check is not None:
        return _report_check(known, report, file, as_json, quiet)
    if write is not None:
        _write(report, write, force, quiet)
    if as_json:
        from ..render.compare_json import hash_json

        print_json(hash_json(report, file))
    elif only_content:
        print_line(report.content)
    elif write is None:
        from ..comparison.hash_list import format_hashes

        print_lines(format_hashes(report).splitlines())
    return FINE


def _hash(model: Model, algorithm: str, jobs: int | None, quiet: bool) -> HashReport:
    from ..api import hash_model

    with progress_bar(quiet, "hashing") as progress:
        return hash_model(model, algorithm, jobs=jobs, progress=progress)


def _write(report: HashReport, path: str, force: bool, quiet: bool) -> None:
    from ..comparison.hash_list import format_hashes
    from ..storage.write.small_files import write_text

    write_text(path, format_hashes(report), overwrite=force)
    report_done(f"{path} was written")
    if not quiet:
        note(f"wrote {path}: {len(report.rows())} hashes, {report.algorithm}")


def _report_check(
    known: dict[tuple[str, str], str], report: HashReport, file: str, as_json: bool, quiet: bool
) -> int:
    from ..comparison.hash_list import compare_hashes
    from ..render.compare_json import check_json
    from ..render.escaping import name_text

    changes = compare_hashes(known, report)
    code = decide(FINDINGS if changes else FINE)
    if as_json:
        print_json(check_json(changes, report, file))
    else:
        for change in changes:
            print_line(f"{change.what}: {change.kind} {name_text(change.name)}".rstrip())
    if not quiet:
        same = len(report.rows()) - sum(change.new is not None for change in changes)
        note(f"{file}: {same} hashes match, {len(changes)} differ")
    return code
