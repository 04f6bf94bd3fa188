"""Count the branches of some modules that a run reaches, with nothing but `sys.settrace`.

A branch is one of the two ways out of an ``if``, ``for`` or ``while`` statement.  Tracing slows
the traced modules down some ten times and leaves the others nearly alone.
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import FrameType, ModuleType

T = TypeVar("T")


class Branches:
    """The branches of modules: all of them, and those that were reached."""

    def __init__(self, modules: Iterable[ModuleType]) -> None:
        self._tables = {str(m.__file__): _table(Path(str(m.__file__))) for m in modules}
        self.reached: set[tuple[str, int, bool]] = set()

    @property
    def total(self) -> int:
        """Number of branches there are."""
        return 2 * sum(map(len, self._tables.values()))

    def missed(self) -> list[str]:
        """``file:line yes`` or ``no`` for every branch that was not reached."""
        return [
            f"{Path(file).name}:{line} {'yes' if way else 'no'}"
            for file, table in self._tables.items()
            for line in sorted(table)
            for way in (True, False)
            if (file, line, way) not in self.reached
        ]

    def run(self, function: Callable[..., T], *args: Any) -> T:
        """Call a function and note the branches that it takes."""
        before = sys.gettrace()
        sys.settrace(self._enter)
        try:
            return function(*args)
        finally:
            sys.settrace(before)

    def _enter(self, frame: FrameType, event: str, arg: object) -> Any:
        file = frame.f_code.co_filename
        table = self._tables.get(file)
        if table is None:
            return None
        last: int | None = None

        def step(frame: FrameType, event: str, arg: object) -> Any:
            nonlocal last
            if event == "exception":
                last = None
            elif event in ("line", "return"):
                if last is not None and last in table:
                    goes_in = event == "line" and frame.f_lineno == table[last]
                    self.reached.add((file, last, goes_in))
                last = frame.f_lineno if event == "line" else None
            return step

        return step


def _table(path: Path) -> dict[int, int]:
    """The line of each branching statement, with the first line of its body."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {
        node.lineno: node.body[0].lineno
        for node in ast.walk(tree)
        if isinstance(node, (ast.If, ast.For, ast.While))
    }
