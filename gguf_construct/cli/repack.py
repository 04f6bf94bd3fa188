"""``repack``: lay the data section out again, tensor by tensor."""

from __future__ import annotations

import click

from ..model import open_model
from .messages import warn
from .options import file_argument, limits_option, output_options, read_limits
from .writing import choose_target, confirm_target, progress_bar, report_write

__all__ = ["command"]

_EPILOG = """\b
Examples:
  gguf-construct repack m.gguf -o packed.gguf
  gguf-construct repack m.gguf -i --alignment 4096

Tensors follow one another in file order, each at a multiple of the alignment and padded, as
llama.cpp demands. Gaps and bytes behind the last tensor are dropped; tensor bytes never change."""


@click.command("repack", epilog=_EPILOG)
@file_argument()
@click.option("--alignment", type=int, metavar="N", help="Set general.alignment to N first.")
@click.option("--force-value", is_flag=True, help="Allow an alignment that readers refuse.")
@output_options
@limits_option
def command(
    file: str,
    alignment: int | None,
    force_value: bool,
    output: str | None,
    in_place: bool,
    force: bool,
    yes: bool,
    quiet: bool,
    as_json: bool,
    limits: tuple[str, ...],
) -> None:
    """Write FILE in the canonical layout."""
    from ..core.registry import keys_with_role
    from ..ops.edit import set_value
    from ..ops.rewrite import trailing

    target = choose_target(file, output, in_place, force)
    with open_model(file, limits=read_limits(limits)) as model:
        changes = []
        if alignment is not None:
            key = keys_with_role("alignment")[0].key
            changes.append(set_value(model, key, alignment, force=force_value))
        dropped = trailing(model)
        if dropped.nbytes:
            where = f"{dropped.nbytes} bytes from 0x{dropped.start:x}"
            warn(f"{where}, behind the last tensor, are dropped")
        confirm_target(target, yes)
        with progress_bar(quiet, "repacking") as progress:
            path = None if target.in_place else target.path
            result = model.save(
                path, overwrite=target.overwrite, policy="repack", progress=progress
            )
        report_write(result, changes, quiet=quiet, as_json=as_json)
