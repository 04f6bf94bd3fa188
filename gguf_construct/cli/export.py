"""``export``: a model as a readable manifest and files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from .shared.messages import note
from .shared.options import PATH, file_argument, json_option, limits_option, quiet_option
from .shared.output import print_json, report_done
from .shared.reading import open_given
from .shared.writing import progress_bar

if TYPE_CHECKING:
    from .._generated.types import Limits

_EPILOG = """\b
Examples:
  gguf-construct export model.gguf model.d
  gguf-construct build model.d -o same.gguf

\b
DIR gets manifest.yaml, metadata/ (long values: .jinja and .txt texts, .jsonl lists of strings,
.npy lists of numbers) and tensors/ (.npy for plain numbers, .bin for blocks). Building it again
gives the same file, byte for byte."""


@click.command("export", epilog=_EPILOG)
@file_argument
@click.argument("folder", type=PATH, metavar="DIR")
@quiet_option
@json_option
@limits_option
def command(file: str, folder: str, quiet: bool, as_json: bool, limits: Limits | None) -> None:
    """Write FILE as a manifest and files into the new folder DIR."""
    from ..api import export_model

    with open_given(file, limits) as model, progress_bar(quiet, "exporting") as progress:
        files = export_model(model, folder, progress=progress)
    report_done(f"{folder} was written")
    if as_json:
        print_json({"path": folder, "files": files})
    if not quiet:
        note(f"wrote {folder}: {len(files)} files; edit {files[-1]} and run `build` on the folder")
