"""``diff``: what differs between two models, or between a model and its upstream folder."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

import click

from .shared.exit_codes import FINDINGS, FINE, decide
from .shared.messages import about_file, note, warn
from .shared.options import PATH, file_argument, json_option, limits_option, quiet_option
from .shared.output import print_json, print_line, print_table
from .shared.reading import open_given
from .shared.writing import progress_bar

if TYPE_CHECKING:
    from .._generated.types import Limits
    from ..model import Model

_EPILOG = """\b
Examples:
  gguf-construct diff model.gguf edited.gguf
  gguf-construct diff a.gguf b.gguf --ignore 'general.*' --no-tensors
  gguf-construct diff model.gguf ~/models/gemma-3-270m-it

\b
Two files: keys by type and value, vocabularies by token, tensors by type, shape and data.
Byte order, version, order and layout do not count as differences; stderr mentions them.
A folder: config.json, tokenizer.json and the other small files of a Hugging Face repository.
Each setting counts as llama.cpp reads it here and as a faithful conversion has it from there.
A projector is compared by its own keys, an adapter by adapter_config.json.
Exit code: 0 same, 1 different, 2 nothing could be compared."""


@click.command("diff", epilog=_EPILOG)
@file_argument
@click.argument("other", type=PATH, required=False, metavar="[FILE2|DIR]")
@click.option("--upstream", type=PATH, metavar="DIR", help="Compare with a repository's folder.")
@click.option("--ignore", multiple=True, metavar="KEY-GLOB", help="Leave keys out. Repeatable.")
@click.option("--no-tensors", is_flag=True, help="Do not compare tensors.")
@click.option("--full", is_flag=True, help="List every element and every row.")
@quiet_option
@json_option
@limits_option
def command(
    file: str,
    other: str | None,
    upstream: str | None,
    ignore: tuple[str, ...],
    no_tensors: bool,
    full: bool,
    quiet: bool,
    as_json: bool,
    limits: Limits | None,
) -> int:
    """Show what differs between FILE and FILE2, or FILE and its upstream folder."""
    from ..storage.read.hf_folder import is_folder

    if (other is None) == (upstream is None):
        raise click.UsageError("name a second file, or the folder of a repository")
    if other is not None and is_folder(other):
        other, upstream = None, other
    if upstream is not None:
        return _diff_upstream(file, upstream, ignore, full, as_json, quiet, limits)
    assert other is not None
    return _diff_files(file, other, ignore, not no_tensors, full, as_json, quiet, limits)


def _diff_files(
    file: str,
    other: str,
    ignore: tuple[str, ...],
    tensors: bool,
    full: bool,
    as_json: bool,
    quiet: bool,
    limits: Limits | None,
) -> int:
    from ..api import diff_models

    with ExitStack() as stack:
        old, new = (stack.enter_context(_open(path, limits)) for path in (file, other))
        with progress_bar(quiet, "comparing") as progress:
            found = diff_models(old, new, ignore=ignore, tensors=tensors, progress=progress)
        code = decide(FINE if found.is_same else FINDINGS)
        if as_json:
            from ..render.compare_json import diff_json

            print_json(diff_json(found, (file, other), full))
        else:
            from ..render.diff_text import diff_lines

            for line in diff_lines(found, full):
                print_line(line)
        if not quiet:
            from ..render.sizes import count_text

            for text in found.notes:
                note(text)
            keys = count_text(len(found.metadata), "key")
            counts = f"{keys} and {count_text(len(found.tensors), 'tensor')} differ"
            note("the models are the same" if found.is_same else counts)
    return code


def _open(path: str, limits: Limits | None) -> Model:
    """Open one of the two; errors name it."""
    with about_file(path):
        return open_given(path, limits)


def _diff_upstream(
    file: str,
    folder: str,
    ignore: tuple[str, ...],
    full: bool,
    as_json: bool,
    quiet: bool,
    limits: Limits | None,
) -> int:
    from fnmatch import fnmatchcase

    from ..api import read_repository
    from ..upstream.compare import compare_upstream

    repository = read_repository(folder)
    with open_given(file, limits) as model, about_file(file):
        rows = [
            row
            for row in compare_upstream(model, repository)
            if not any(fnmatchcase(row.key, pattern) for pattern in ignore)
        ]
    for name, reason in repository.unread.items():
        warn(f"{name} was not compared: it is {reason}")
    wrong = sum(row.is_difference for row in rows)
    code = decide(FINDINGS if wrong else FINE)
    if as_json:
        from ..render.compare_json import upstream_json

        print_json(upstream_json(rows, (file, folder)))
    else:
        from ..render.diff_text import UPSTREAM_COLUMNS, upstream_rows

        print_table("", UPSTREAM_COLUMNS, upstream_rows(rows, full))
    if not quiet:
        from ..render.sizes import count_text

        compared = sum(row.is_compared for row in rows)
        verdict = f"{wrong} differ{'s' if wrong == 1 else ''}" if wrong else "no difference"
        note(f"{compared} of {count_text(len(rows), 'setting')} compared, {verdict}")
    return code
