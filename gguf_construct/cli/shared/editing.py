"""What verbs that edit share: the file that is meant (of shards, the first), one value a key."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

import click

from ...errors import RefusedError
from .messages import note, warn
from .reading import open_given
from .writing import Target, choose_target, recover_first, save_edits

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ..._generated.types import Limits
    from ...editing.changes import Change
    from ...model import Model
    from .options import Writing

ANY_KEY = ("*",)
"""For `editing`, where any key may be edited."""


class Edit(NamedTuple):
    """A model that is edited, and where it will be written."""

    model: Model
    target: Target
    writing: Writing

    def save(self, changes: Sequence[Change]) -> None:
        """Write the model and say what was done; an edit that was forced, also what it breaks."""
        if self.model.metadata.is_forced:
            from ...validation.edits import errors_added, errors_text

            added = errors_added(self.model)
            if added:
                warn(f"this edit adds {errors_text(added)}")
        save_edits(self.model, changes, self.target, self.writing)


def open_to_write(
    file: str, target: Target, writing: Writing, limits: Limits | None = None
) -> Model:
    """The model that will be written; an edit of its file that was cut short is finished first."""
    if target.in_place:
        recover_first(file, writing)
    return open_given(file, limits)


@contextmanager
def editing(
    file: str, keys: Sequence[str], writing: Writing, limits: Limits | None
) -> Iterator[Edit]:
    """Open the model whose `keys` are to be edited, and choose where to write it.

    Later shards hold only split.* keys and tensors; all other metadata is in the first one.  In
    place, an edit goes there whichever shard was named; the other shards stay untouched.

    Raises:
        RefusedError: the file is a later shard, and its first one is not beside it or the
            output is a new file.
    """
    from ...core.shard_names import shard_of, sibling_name

    target = choose_target(file, writing)
    with open_to_write(file, target, writing, limits) as model:
        shard = shard_of(model)
        if shard is None or shard.number <= 0 or all(key.startswith("split.") for key in keys):
            yield Edit(model, target, writing)
            return
    folder, own = os.path.split(file)
    name = sibling_name(own, 0)
    first = os.path.join(folder, name) if name else None
    what = f"{file} is shard {shard.number + 1} of {shard.total}, which holds no metadata"
    if first is None or not os.path.exists(first):
        raise RefusedError(what, hint="edit the first shard of the set")
    if not target.in_place:
        raise RefusedError(what, hint=f"edit {first} instead")
    note(f"{what}: editing {first}")
    with open_to_write(first, target, writing, limits) as model:
        yield Edit(model, target._replace(path=first), writing)


def refuse_repeated(names: Iterable[str]) -> None:
    """Refuse two values for one key or role: only the last would be seen.  Raises UsageError."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise click.UsageError(f"{name} is given twice")
        seen.add(name)
