"""Edits of tensors from the command line: the options taken apart, done, and written."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, NamedTuple

import click

from ...errors import RefusedError
from .editing import open_to_write
from .messages import warn
from .reading import open_given
from .writing import choose_target, save_edits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ..._generated.types import Limits
    from ...editing.changes import Change
    from ...model import Model
    from .options import Writing

Pairs = list[tuple[str, str]]


class TensorEdits(NamedTuple):
    """What is to be done, in this order; each a row of patterns, or of pairs of them."""

    drop: Sequence[str]
    rename: Pairs
    take: Pairs
    requantize: Pairs
    order: Sequence[str]


def pair_of(form: str) -> Callable[[click.Context, click.Parameter, Sequence[str]], Pairs]:
    """A callback that takes values of a form such as OLD=NEW apart; a NEW may hold ``=``."""
    mark = ":" if ":" in form else "="

    def parse(ctx: click.Context, param: click.Parameter, values: Sequence[str]) -> Pairs:
        pairs = []
        for value in values:
            split = value.partition if form.startswith("OLD") else value.rpartition
            left, _, right = split(mark)
            if not left or not right:
                raise click.BadParameter(f"{value!r} is not {form}", ctx, param)
            pairs.append((left, right))
        return pairs

    return parse


def edit_tensors(
    file: str, edits: TensorEdits, writing: Writing, limits: Limits | None, *, force: bool
) -> None:
    """Edit the tensors of a file and write it; with `force` although llama.cpp cannot load it."""
    from ...validation.edits import refuse_broken_tensors, tensor_errors

    target = choose_target(file, writing)
    with ExitStack() as opened:
        model = opened.enter_context(open_to_write(file, target, writing, limits))
        others = {
            name: opened.enter_context(open_given(name, limits))
            for name in dict.fromkeys(name for name, _ in edits.take)
        }
        count = len(model.tensors.all)
        before = tensor_errors(model)
        changes = [*_changes(model, edits, others)]
        try:
            _refuse_shard(model, count)
            refuse_broken_tensors(model, before)
        except RefusedError as error:
            if not force:
                raise
            warn(error.message)
        save_edits(model, changes, target, writing)


def _changes(model: Model, edits: TensorEdits, others: dict[str, Model]) -> Iterator[Change]:
    from ...editing import tensors

    if edits.drop:
        yield from tensors.drop_tensors(model, edits.drop)
    if edits.rename:
        yield from tensors.rename_tensors(model, edits.rename)
    for name, pattern in edits.take:
        yield from tensors.take_tensors(model, others[name], pattern)
    for pattern, type in edits.requantize:
        yield from tensors.requantize_tensors(model, pattern, type)
    if edits.order:
        yield from tensors.order_tensors(model, edits.order)


def _refuse_shard(model: Model, count: int) -> None:
    """Every shard says how many tensors the whole set has: one alone cannot change that."""
    from ...core.shard_names import shard_of

    if shard_of(model) is not None and len(model.tensors.all) != count:
        raise RefusedError(
            "this is a shard, and split.tensors.count counts the tensors of all shards",
            hint="merge the shards first, or pass --force-value to insist",
        )
