"""Every system call of every way to write is made to fail in turn: old or new, nothing between."""

from __future__ import annotations

import errno
import gc
import os
from typing import TYPE_CHECKING

import pytest

from gguf_construct.errors import GGUFError
from gguf_construct.storage.inplace.recover import recover
from gguf_construct.storage.source.source import open_source
from tests.storage import faults
from tests.storage.scenarios import SCENARIOS, Scenario, expected, start, without
from tests.support.open_files import open_files

if TYPE_CHECKING:
    from pathlib import Path

ACTIONS = {
    "ENOSPC": faults.fail(errno.ENOSPC),
    "EIO": faults.fail(errno.EIO),
    "EINTR": faults.fail(errno.EINTR),
    "short": faults.halve,
    "ctrl-c": faults.interrupt,
    "sigterm": faults.terminate,
}
SIGNALS = ("ctrl-c", "sigterm")
MOST_CALLS = 200


def check_whole(path: Path, old: bytes | None, new: bytes, what: str) -> None:
    """A reader sees the old or the new content, before and after recovery."""
    if old is None and not path.exists():
        return
    with open_source(path) as source:
        assert bytes(source.buffer[:]) in (old, new), f"{what}: a reader sees a mix"
    recover(path)
    assert path.read_bytes() in (old, new), f"{what}: a mix is left"


def close_lost(before: set[tuple[str, str]]) -> None:
    """Close the temporary file of which a signal took the number.

    Where it comes between open and the name for its result, Python gives nobody the descriptor.
    """
    if not open_files() - before:
        return
    gc.collect()  # what an exception or a cycle still held
    for number, _ in open_files() - before:
        os.close(int(number))


@pytest.mark.parametrize("action", ACTIONS)
@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_each_call_fails_once(tmp_path: Path, scenario: Scenario, action: str) -> None:
    new = expected(scenario, tmp_path)
    path = tmp_path / "model.gguf"
    opened = open_files()
    for number in range(1, MOST_CALLS):
        start(scenario, path)
        raised = False
        with without(scenario.lacking), faults.at_call(number, ACTIONS[action]) as counter:
            try:
                scenario.run(path)
            except (GGUFError, KeyboardInterrupt, SystemExit):
                raised = True
        if not counter.hit:
            break
        if action in SIGNALS:
            close_lost(opened)
        what = f"{action} at call {number}, {counter.hit}"
        left = {entry.name for entry in tmp_path.iterdir()} - {path.name}
        if counter.hit not in ("unlink", "open_existing", "close"):
            journal = [name for name in left if name.endswith("journal")]
            assert left == set(journal) if scenario.prepare else not left, f"{what} leaves {left}"
        check_whole(path, scenario.old, new, what)
        if action == "short":
            assert not raised, f"{what}: a short count is no failure"
            assert path.read_bytes() == new
    else:
        pytest.fail("the scenario never ends")
    assert number > 4
    assert path.read_bytes() == new
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]
