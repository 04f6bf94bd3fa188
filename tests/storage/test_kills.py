"""A child is killed (SIGKILL) before, inside and after each system call of each way to write.

A selection by default; everywhere, more than 500 kills, with GGUF_CONSTRUCT_ALL_KILLS set.
"""

from __future__ import annotations

import os
import signal
import sys
import warnings
from typing import TYPE_CHECKING

import pytest

from tests.storage import faults
from tests.storage.scenarios import SCENARIOS, Scenario, can_insert, expected, start, without
from tests.storage.test_faults import MOST_CALLS, check_whole

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")

ACTIONS = {
    "before": faults.kill_before,
    "halfway": faults.kill_halfway,
    "after": faults.kill_after,
}


def run_killed(scenario: Scenario, path: Path, number: int, action: str) -> bool:
    """Run the scenario in a child that dies at a call; whether it came that far."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # forking beside pytest's threads
        child = os.fork()
    if child == 0:
        status = 1
        try:
            with without(scenario.lacking), faults.at_call(number, ACTIONS[action]):
                scenario.run(path)
            status = 0
        finally:
            sys.stderr.flush()
            os._exit(status)
    _, code = os.waitpid(child, 0)
    killed = os.WIFSIGNALED(code) and os.WTERMSIG(code) == signal.SIGKILL
    assert killed or code == 0, f"the child failed by itself: {code}"
    return killed


def kill_everywhere(scenario: Scenario, folder: Path, action: str, step: int) -> int:
    """Kill at every `step`-th call; the number of kills."""
    new = expected(scenario, folder)
    path = folder / "model.gguf"
    kills = 0
    for number in range(1, MOST_CALLS, step):
        start(scenario, path)
        if not run_killed(scenario, path, number, action):
            break
        kills += 1
        what = f"{scenario.name}, killed {action} call {number}"
        # A name that is claimed before the rename is the one thing a kill can leave empty.
        claimed = scenario.name == "new-by-claim" and path.exists() and not path.stat().st_size
        if claimed:
            path.unlink()
        check_whole(path, scenario.old, new, what)
        run_again(scenario, path, new, what)
    assert path.read_bytes() == new
    return kills


def run_again(scenario: Scenario, path: Path, new: bytes, what: str) -> None:
    """What a kill left does not stand in the way of the next try."""
    if scenario.old is None:
        path.unlink(missing_ok=True)
    elif path.read_bytes() != scenario.old:
        return
    with without(scenario.lacking):
        scenario.run(path)
    assert path.read_bytes() == new, what


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_killed_at_some_calls(tmp_path: Path, scenario: Scenario) -> None:
    assert kill_everywhere(scenario, tmp_path, "halfway", 3) > 1


@pytest.mark.slow
@pytest.mark.skipif(
    not os.environ.get("GGUF_CONSTRUCT_ALL_KILLS"), reason="GGUF_CONSTRUCT_ALL_KILLS is not set"
)
def test_killed_at_every_call(tmp_path: Path) -> None:
    able = [it for it in SCENARIOS if "insert" not in it.name or can_insert(tmp_path)]
    kills = sum(
        kill_everywhere(scenario, tmp_path, action, 1) for scenario in able for action in ACTIONS
    )
    assert kills >= (500 if len(able) == len(SCENARIOS) else 300)
