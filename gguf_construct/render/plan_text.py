"""What a save is going to do, before it is done: for people and for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ..core.chunks import Copy, Literal, Swap
from ..planning.options import STRATEGIES
from ..planning.reserve import reserve_key
from .json_text import changes_json
from .sizes import size_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.chunks import Chunk
    from ..editing.changes import Change
    from ..planning.strategy import SavePlan
    from ..storage.inplace.recover import RecoverResult


_SHOWN = 20


class PlanRow(NamedTuple):
    """A step: `what` is write, zeros, copy, swap, insert or move; `source` an offset or None."""

    what: str
    offset: int
    nbytes: int
    source: int | None


def plan_rows(planned: SavePlan) -> list[PlanRow]:
    """The steps in order; offsets are those of the new file."""
    if planned.strategy == "none":
        return []
    if planned.strategy in ("in-place", "insert"):
        rows = [PlanRow("write", at, len(data), None) for at, data in planned.patches]
        room = planned.room
        if room is None:
            return rows
        end = room.offset + room.nbytes
        moved = PlanRow("move", end, planned.plan.nbytes - end, room.offset)
        return [PlanRow("insert", room.offset, room.nbytes, None), moved, *rows]
    rows, at = [], 0
    for chunk in planned.plan.chunks:
        rows.append(_row(chunk, at))
        at += chunk.nbytes
    return rows


def _row(chunk: Chunk, at: int) -> PlanRow:
    match chunk:
        case Literal():
            return PlanRow("write", at, chunk.nbytes, None)
        case Copy():
            return PlanRow("copy", at, chunk.nbytes, chunk.start)
        case Swap():
            return PlanRow("swap", at, chunk.nbytes, chunk.start)
        case _:
            return PlanRow("zeros", at, chunk.nbytes, None)


def _totals(rows: Sequence[PlanRow]) -> dict[str, int]:
    """Bytes written (from memory), copied (swapped too) and moved (by the file system)."""
    totals = {"written": 0, "copied": 0, "moved": 0}
    kinds = {"write": "written", "zeros": "written", "copy": "copied", "swap": "copied"}
    for row in rows:
        kind = kinds.get(row.what, "moved" if row.what == "move" else "")
        if kind:
            totals[kind] += row.nbytes
    return totals


def plan_summary(planned: SavePlan) -> list[tuple[str, str]]:
    """What a person wants to know of a plan: name and text."""
    totals = _totals(plan_rows(planned))
    rows = [("strategy", STRATEGIES[planned.strategy])]
    if planned.why:
        rows.append(("because", planned.why))
    is_journaled = planned.strategy in ("in-place", "insert")
    journal = ", and the old bytes to a journal" if is_journaled else ""
    rows.append(("written", f"{size_text(totals['written'])}{journal}"))
    rows.append(("copied", size_text(totals["copied"])))
    if totals["moved"]:
        rows.append(("moved", f"{size_text(totals['moved'])}, by the file system, without copying"))
    if planned.reserve is not None:
        rows.append(("reserve", f"{planned.reserve} bytes in {reserve_key()}"))
    rows.append(("file size", f"{planned.plan.nbytes} bytes"))
    return rows


def plan_table(planned: SavePlan) -> tuple[list[tuple[str, str, str, str]], int]:
    """The first steps as cells (what, to, from, size), and how many more there are."""
    rows = plan_rows(planned)
    shown = [
        (
            row.what,
            f"0x{row.offset:x}",
            "" if row.source is None else f"0x{row.source:x}",
            size_text(row.nbytes),
        )
        for row in rows[:_SHOWN]
    ]
    return shown, max(len(rows) - _SHOWN, 0)


def plan_json(planned: SavePlan, path: str, changes: Sequence[Change]) -> dict[str, Any]:
    """The document of a verb that was only to say what it would do."""
    rows = plan_rows(planned)
    totals = _totals(rows)
    return {
        "path": path,
        "dry_run": True,
        "strategy": STRATEGIES[planned.strategy],
        "why": planned.why or None,
        **{f"bytes_{kind}": nbytes for kind, nbytes in totals.items()},
        "file_size": planned.plan.nbytes,
        "reserve": planned.reserve,
        "steps": [row._asdict() for row in rows],
        "changes": changes_json(changes),
    }


def recovery_text(result: RecoverResult) -> str:
    """What was done about an edit that had been cut short."""
    words = {
        "nothing": "no edit was cut short, nothing to do",
        "discarded": "an edit was cut short before it had begun: its journal was removed",
        "rolled back": "an edit was cut short: the file is again as it was before it",
        "completed": "an edit had been finished but for its journal, which was removed",
    }
    return f"{result.path}: {words[result.action]}"
