"""Field paths as data: ``metadata[3].value.elements[17]`` and slices such as ``elements[8:100]``.

A path is a list of steps; a step is a name, or a range of indices.  A span belongs to a wanted
path when its steps begin with the wanted ones.
"""

from __future__ import annotations

import re
from typing import TypeAlias

Step: TypeAlias = "str | range"
Steps: TypeAlias = "tuple[Step, ...]"

_STEP = re.compile(r"\.?([^.\[\]]+)|\[(\d+)(:(\d*))?\]|\[:(\d+)\]")
# Error messages show a name beside an item: metadata[3] 'general.name'.value
_LABEL = re.compile(r"(?<=\]) '(?:[^'\\]|\\.)*'(?=[.\[]|$)")
_MAX_INDEX = 1 << 64


def without_labels(path: str) -> str:
    """The path without the names that error messages show in it."""
    return _LABEL.sub("", path)


def parse_path(path: str) -> Steps | None:
    """The steps of a path; None for text that is not a path."""
    steps: list[Step] = []
    at = 0
    while at < len(path):
        found = _STEP.match(path, at)
        if found is None:
            return None
        name, first, colon, last, only_last = found.groups()
        if name is not None:
            steps.append(name)
        elif only_last is not None:
            steps.append(range(min(int(only_last), _MAX_INDEX)))
        else:
            start = min(int(first), _MAX_INDEX)
            steps.append(range(start, _stop(start, colon, last)))
        at = found.end()
    return tuple(steps) or None


def _stop(start: int, colon: str | None, last: str | None) -> int:
    if colon is None:
        return start + 1
    return min(int(last), _MAX_INDEX) if last else _MAX_INDEX


def covers(wanted: Steps, steps: Steps, *, is_run: bool = False) -> bool:
    """Whether a span with these steps lies, at least in part, below the wanted path.

    A folded run of elements (`is_run`) may hold what is wanted without naming it to the end.
    """
    if len(steps) < len(wanted) and not is_run:
        return False
    for want, step in zip(wanted, steps, strict=False):
        if isinstance(want, range) and isinstance(step, range):
            if not (want.start < step.stop and step.start < want.stop):
                return False
        elif want != step:
            return False
    return True


def literal_prefix(wanted: Steps) -> str:
    """Text with which every span below the wanted path starts."""
    text = ""
    for step in wanted:
        if isinstance(step, str):
            text += f".{step}" if text else step
        elif text.endswith((".elements", ".data")) or step.stop - step.start != 1:
            # The span may be a folded run: its text is another one.
            return f"{text}["
        else:
            text += f"[{step.start}]"
    return text
