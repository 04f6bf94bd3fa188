"""docs/mutants.md: the rate, and every fault that lived."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import yaml

from tools.mutants.trial import REPOSITORY

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tools.mutants.faults import Fault
    from tools.mutants.trial import Trial

DOCUMENT = REPOSITORY / "docs" / "mutants.md"
_EQUIVALENT = REPOSITORY / "tools" / "mutants" / "equivalent.yaml"
_HEAD = """\
# Faults that the tests notice

Written by `make mutants`. It plants small faults in a copy of the package, one at a time: an
operator, a number, a condition, a call left out (an `fsync`, say), a lock not taken, an error not
raised. Then it runs the module's own test file, its folder, and the wider tests. A fault that some
test notices is killed. The sample is the same for the same seed and the same code.
"""


class Equivalent(NamedTuple):
    """A fault with which the program does the same, and why."""

    file: str
    scope: str
    old: str
    new: str
    reason: str


def load_equivalents() -> list[Equivalent]:
    """What tools/mutants/equivalent.yaml says."""
    entries = yaml.safe_load(_EQUIVALENT.read_text(encoding="utf-8"))
    return [Equivalent(**entry) for entry in entries]


def reason_why_equivalent(file: str, fault: Fault, known: Sequence[Equivalent]) -> str:
    """Why no test can notice this fault; empty when one should."""
    for one in known:
        if one[:4] == (file, fault.scope, fault.old, fault.new):
            return one.reason
    return ""


def rate(killed: int, total: int) -> str:
    """A share as a percentage with one decimal place, rounded down."""
    return f"{1000 * killed // total / 10} %" if total else "-"


def render(trials: Sequence[Trial], seed: int, known: Sequence[Equivalent]) -> str:
    """The text of docs/mutants.md."""
    return "\n".join(_lines(trials, seed, known))


def _lines(trials: Sequence[Trial], seed: int, known: Sequence[Equivalent]) -> Iterator[str]:
    lived = [trial for trial in trials if not trial.killed_by]
    reasons = {trial: reason_why_equivalent(trial.file, trial.fault, known) for trial in lived}
    same = [trial for trial in lived if reasons[trial]]
    missed = [trial for trial in lived if not reasons[trial]]
    yield _HEAD
    counted = len(trials) - len(same)
    yield (
        f"Seed {seed}: {len(trials)} faults, {len(same)} of them change nothing. Of the other "
        f"{counted}, the tests noticed {counted - len(missed)}: "
        f"**{rate(counted - len(missed), counted)}**."
    )
    yield ""
    yield from _table("room", trials, same, missed, lambda trial: trial.file.split("/")[1])
    yield from _table("kind", trials, same, missed, lambda trial: trial.fault.kind)
    yield from _list("Not noticed", [(trial, "") for trial in missed])
    yield from _list("Without effect", [(trial, reasons[trial]) for trial in same])


def _table(
    title: str, trials: Sequence[Trial], same: list[Trial], missed: list[Trial], key: _Key
) -> Iterator[str]:
    every, without, not_noticed = (Counter(map(key, group)) for group in (trials, same, missed))
    yield f"| {title} | faults | without effect | noticed | rate |"
    yield "|---|---|---|---|---|"
    for name in sorted(every):
        counted = every[name] - without[name]
        killed = counted - not_noticed[name]
        yield f"| {name} | {every[name]} | {without[name]} | {killed} | {rate(killed, counted)} |"
    yield ""


def _list(title: str, entries: list[tuple[Trial, str]]) -> Iterator[str]:
    if not entries:
        return
    yield f"## {title}"
    yield ""
    for trial, why in entries:
        yield f"- `{trial.file}` {trial.fault}" + (f": {why}" if why else "")
    yield ""


if TYPE_CHECKING:
    from collections.abc import Callable

    _Key = Callable[[Trial], str]
