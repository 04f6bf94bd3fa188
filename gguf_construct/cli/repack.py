"""``repack``: lay the data section out again, tensor by tensor."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from .shared.editing import open_to_write
from .shared.messages import warn
from .shared.options import file_argument, force_value_option, limits_option, writing_options
from .shared.writing import choose_target, save_edits

if TYPE_CHECKING:
    from .._generated.types import Limits
    from .shared.options import Writing

_EPILOG = """\b
Examples:
  gguf-construct repack m.gguf -o packed.gguf
  gguf-construct repack m.gguf -i --alignment 4096
  gguf-construct repack m.gguf -i --reserve 1MiB      later edits cost what their bytes cost

Tensors follow one another in file order, each at a multiple of the alignment and padded, as
llama.cpp demands. Gaps and bytes after the last tensor are dropped; tensor bytes never change."""


@click.command("repack", epilog=_EPILOG)
@file_argument
@click.option("--alignment", type=int, metavar="N", help="Set general.alignment to N first.")
@force_value_option
@writing_options()
@limits_option
def command(
    file: str, alignment: int | None, force_value: bool, writing: Writing, limits: Limits | None
) -> None:
    """Write FILE in the canonical layout."""
    from ..core.registry import keys_with_role
    from ..editing.changes import set_value
    from ..planning.layout import trailing, unused_and_shared

    target = choose_target(file, writing)
    with open_to_write(file, target, writing, limits) as model:
        changes = []
        if alignment is not None:
            key = keys_with_role("alignment")[0].key
            changes.append(set_value(model, key, alignment, force=force_value))
        dropped = trailing(model)
        if dropped.nbytes:
            where = f"{dropped.nbytes} bytes from 0x{dropped.start:x}"
            warn(f"dropping {where} on, after the last tensor")
        unused, shared = unused_and_shared(model)
        if unused:
            warn(f"dropping {unused} bytes between the tensors that are not padding")
        if shared:
            warn(f"{shared} bytes belong to several tensors: each gets a copy, one may be damaged")
        save_edits(model, changes, target, writing, policy="repack", title="repacking")
