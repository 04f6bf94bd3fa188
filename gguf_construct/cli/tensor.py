"""``tensor``: one tensor, from its statistics down to a single block."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import click

from ..model import open_model
from .shared.exit_codes import FINDINGS, FINE, UNDECIDED, decide
from .shared.messages import about_file
from .shared.options import (
    NEW_FILE,
    file_argument,
    force_option,
    json_option,
    limits_option,
    quiet_option,
)
from .shared.output import print_json, print_line, print_rows
from .shared.reading import open_given

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .._generated.types import Limits
    from ..core.tensors import TensorInfo
    from ..model import Model

_EPILOG = """\b
Examples:
  gguf-construct tensor model.gguf token_embd.weight
  gguf-construct tensor model.gguf blk.0.attn_q.weight --block 0
  gguf-construct tensor model.gguf output.weight --export w.npy --dequantize
  gguf-construct tensor model.gguf output.weight --compare original.gguf
  gguf-construct tensor model.gguf output.weight --compare model.safetensors:lm_head.weight

\b
--block prints each field with its offset in the file, as xxd -s OFFSET shows it.
--export writes .npy or .safetensors: the stored numbers, for quantised types the bytes of
the blocks row by row, or with --dequantize float32. Errors of --compare are also given in
quantisation steps. Exit code 1: --compare found a difference."""


def _complete_tensor(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    try:
        with open_model(ctx.params["file"]) as model:
            return [name for name in model.tensors if name.startswith(incomplete)]
    except (KeyError, OSError, TypeError, ValueError):
        return []


@click.command("tensor", epilog=_EPILOG)
@file_argument
@click.argument("name", shell_complete=_complete_tensor)
@click.option("--occurrence", type=int, metavar="N", help="Which one, from 0, if the name repeats.")
@click.option("--stats", is_flag=True, help="Statistics and a histogram; the default.")
@click.option("--block", type=int, metavar="N", help="Take block N apart, from 0.")
@click.option("--export", type=NEW_FILE, metavar="OUT", help="Write a .npy or .safetensors.")
@click.option("--dequantize", is_flag=True, help="Export decoded values.")
@click.option("--compare", metavar="OTHER[:NAME]", help="A .gguf, .safetensors or .npy file.")
@force_option
@quiet_option
@json_option
@limits_option
def command(
    file: str,
    name: str,
    occurrence: int | None,
    stats: bool,
    block: int | None,
    export: str | None,
    dequantize: bool,
    compare: str | None,
    force: bool,
    quiet: bool,
    as_json: bool,
    limits: Limits | None,
) -> int:
    """Show, take apart, export or compare the tensor NAME of FILE."""
    if dequantize and export is None:
        raise click.UsageError("--dequantize needs --export OUT")
    with open_given(file, limits) as model:
        tensor = _find(model, name, occurrence)
        decide(FINE if compare is None else UNDECIDED)
        report = _Report(model, tensor, as_json)
        report.info()
        if stats or (block is None and export is None and compare is None):
            report.stats()
        if block is not None:
            report.block(block)
        if export is not None:
            report.export(export, dequantize, force, quiet)
        differs = compare is not None and report.compare(compare)
        report.finish()
    return decide(FINDINGS if differs else FINE)


def _find(model: Model, name: str, occurrence: int | None) -> TensorInfo:
    found = [tensor for tensor in model.tensors.all if tensor.name == name]
    if not found:
        return model.tensors[name]  # raises, with close matches
    if occurrence is None and len(found) > 1:
        places = ", ".join(f"{at}: 0x{one.data_offset:x}" for at, one in enumerate(found))
        raise click.UsageError(
            f"{name!r} occurs {len(found)} times (at {places}); choose with --occurrence"
        )
    if not 0 <= (occurrence or 0) < len(found):
        raise click.UsageError(f"{name!r} has no occurrence {occurrence}")
    return found[occurrence or 0]


class _Report:
    """Prints what is found out, or collects it for one JSON document."""

    def __init__(self, model: Model, tensor: TensorInfo, as_json: bool) -> None:
        self.model = model
        self.tensor = tensor
        self.document: dict[str, Any] | None = {"path": model.path} if as_json else None

    def info(self) -> None:
        if self.document is not None:
            from ..render.tensor_json import entry_json

            self.document["tensor"] = entry_json(self.tensor)
        else:
            from ..render.tensor_text import info_rows

            print_rows(info_rows(self.tensor))

    def stats(self) -> None:
        from ..comparison.tensor_stats import tensor_stats
        from ..comparison.tensor_values import tensor_values
        from ..render.tensor_json import stats_json
        from ..render.tensor_text import stats_lines

        found = tensor_stats(tensor_values(self.tensor))
        self._add("stats", stats_json(found), stats_lines(found))

    def block(self, index: int) -> None:
        from ..quants import block_fields
        from ..render.tensor_json import block_json
        from ..render.tensor_text import block_lines

        tensor = self.tensor
        nbytes = tensor.require_layout().nbytes
        count = tensor.size // nbytes
        if not 0 <= index < count:
            which = f"blocks 0 to {count - 1}" if count else "no blocks"
            raise click.UsageError(f"--block {index}: {tensor.name!r} has {which}")
        start = index * nbytes
        data = tensor.pieces[start : start + nbytes]
        found = block_fields(data, tensor.type, tensor.byte_order)
        moved = tuple(one._replace(offset=start + one.offset) for one in found.fields)
        found = found._replace(fields=moved)
        self._add("block", block_json(tensor, index, found), block_lines(tensor, index, found))

    def export(self, path: str, dequantize: bool, force: bool, quiet: bool) -> None:
        from ..storage.write.tensor_file import export_tensor
        from .shared.writing import progress_bar, report_write

        with progress_bar(quiet, "exporting") as progress:
            result = export_tensor(
                self.tensor,
                self.model.source,
                path,
                dequantize=dequantize,
                overwrite=force,
                progress=progress,
            )
        if self.document is not None:
            self.document["export"] = {"path": path, "bytes_written": result.nbytes_written}
        report_write(result, (), quiet=quiet, as_json=False)

    def compare(self, reference: str) -> bool:
        """Whether any value differs."""
        from ..comparison.tensor_errors import compare_values
        from ..comparison.tensor_values import tensor_values
        from ..render.tensor_json import comparison_json
        from ..render.tensor_text import comparison_lines
        from ..storage.read.tensor_file import open_values, split_reference

        path, name = split_reference(reference)
        with ExitStack() as stack:
            with about_file(path):
                other = stack.enter_context(open_values(path, name, self.tensor.name))
            label = f"{other.name} ({other.type_name}) of {path}"
            found = compare_values(tensor_values(self.tensor), other)
        differs = found.num_different > 0
        decide(FINDINGS if differs else FINE)
        own = f"{self.tensor.name} ({self.tensor.type_name})"
        self._add("compare", comparison_json(label, found), comparison_lines(own, label, found))
        return differs

    def finish(self) -> None:
        if self.document is not None:
            print_json(self.document)

    def _add(self, name: str, shown: dict[str, Any], lines: Iterable[str]) -> None:
        if self.document is not None:
            self.document[name] = shown
            return
        print_line()
        for line in lines:
            print_line(line)
