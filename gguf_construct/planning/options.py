"""How a model is saved: the names of the strategies, and the options of a save in one piece."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..core.tensors import TensorInfo

STRATEGIES = {
    "none": "none",
    "in-place": "in place",
    "insert": "in place, room inserted",
    "replace": "replacement",
    "new-file": "new file",
    "repair": "repaired",
}
"""Every strategy by the name that options, plans and results use: what reports and JSON say."""

CHOICES = ("auto", "in-place", "insert", "replace", "new-file")
"""What may be asked for."""


@dataclass(frozen=True)
class SaveOptions:
    """The options of a save, handed on whole from the caller to the disk.

    Attributes:
        strategy: one of `CHOICES`; ``auto`` takes the cheapest.
        policy: ``keep`` or ``repack``; see `planning.layout.plan_layout`.
        order: with ``repack``, all tensors in their new order.
        reserve: bytes to keep free for later edits, at least; 0 gives the reserve up, None leaves
            it as it is.
        reserve_if_moved: bytes to keep free where the data section has to move anyway.
        overwrite: allow a new file to replace an existing one.
        verify: how the result is checked before it counts; see `storage.save.verify`.
        sync: wait until a new file is on the disk; one that is replaced or changed always is.
        progress: called with (bytes done, bytes in all).
        force: save edits that break the model.
    """

    strategy: str = "replace"
    policy: str | None = None
    order: Sequence[TensorInfo] | None = None
    reserve: int | None = None
    reserve_if_moved: int | None = None
    overwrite: bool = False
    verify: str = "header"
    sync: bool = False
    progress: Callable[[int, int], None] | None = None
    force: bool = False
