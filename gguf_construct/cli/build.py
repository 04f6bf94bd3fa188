"""``build``: a model from a manifest and files."""

from __future__ import annotations

import click

from .shared.options import NEW_FILE, PATH, force_option, json_option, quiet_option
from .shared.writing import progress_bar, report_write

_EPILOG = """\b
Examples:
  gguf-construct build model.d -o model.gguf

\b
A manifest written by hand needs little; everything else has a default:
  metadata:
    general.architecture: llama
    llama.block_count: 1
    my.key: !uint32 7
  tensors:
    weight: {values: [[1, 2], [3, 4]]}
    other.weight: {type: Q8_0, shape: [4, 32], fill: zeros}
    big.weight: {data: big.npy}"""


@click.command("build", epilog=_EPILOG)
@click.argument("folder", type=PATH, metavar="DIR")
@click.option("-o", "--output", type=NEW_FILE, metavar="OUT", required=True, help="Write to OUT.")
@force_option
@quiet_option
@json_option
def command(folder: str, output: str, force: bool, quiet: bool, as_json: bool) -> None:
    """Build a file from DIR/manifest.yaml."""
    from ..api import build_model

    with progress_bar(quiet, "building") as progress:
        result = build_model(folder, output, overwrite=force, progress=progress)
    report_write(result, [], quiet=quiet, as_json=as_json)
