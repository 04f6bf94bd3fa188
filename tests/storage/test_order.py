"""The order of write, sync and rename in every way to write, as a power cut needs it.

New bytes are on the disk before the name leads to them; what takes an edit back is on the disk,
and its name too, before the file is touched; and what was promised is on the disk, by name and by
content, before the lock is given up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.storage.recorder import recorded
from tests.storage.scenarios import SCENARIOS, Scenario, expected, start, without

if TYPE_CHECKING:
    from pathlib import Path

JOURNAL = (
    "create private",
    "write private",
    "sync private",
    "publish as journal",
    "sync folder",
)
FORGET = ("unlink journal", "sync folder")
NEW = ("create private", "write private")
PUBLISH = ("sync private", "publish as target", "sync folder")
UNLOCK = ("unlink lock",)

ORDERS = {
    # What replaces nothing is left to the kernel, unless somebody asks for more.
    "new-file": (*NEW, "publish as target"),
    "new-synced": (*NEW, *PUBLISH),
    "new-by-windows": (*NEW, "publish as target"),
    "new-by-link": (*NEW, "publish as target", "unlink private"),
    "new-by-claim": (*NEW, "create target", "publish as target"),
    "from-memory": (*NEW, "publish as target"),
    "replace": (*NEW, *PUBLISH, *UNLOCK),
    "replace-plain": (*NEW, *PUBLISH, *UNLOCK),
    "swap": (*NEW, *PUBLISH, *UNLOCK),
    "direct": (*NEW, *PUBLISH, *UNLOCK),
    "through-link": (*NEW, *PUBLISH, *UNLOCK),
    "pieces": (*NEW, *PUBLISH),
    "pieces-over": (*NEW, *PUBLISH, *UNLOCK),
    "tensor": (*NEW, "publish as target"),
    "tensor-decoded": (*NEW, *PUBLISH),
    "in-place": (*JOURNAL, "write target", "sync target", *FORGET, *UNLOCK),
    "insert": (*JOURNAL, "insert target", "write target", "sync target", *FORGET, *UNLOCK),
    "recover": ("write target", "sync target", *FORGET, *UNLOCK),
    "recover-insertion": ("collapse target", "write target", "sync target", *FORGET, *UNLOCK),
    "recover-insert-by-copy": (*NEW, *PUBLISH, *FORGET, *UNLOCK),
    "recover-discard": (*FORGET, *UNLOCK),
    "recover-complete": ("sync target", *FORGET, *UNLOCK),
}


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_calls_come_in_this_order(tmp_path: Path, scenario: Scenario) -> None:
    expected(scenario, tmp_path)
    path = tmp_path / "model.gguf"
    start(scenario, path)
    with without(scenario.lacking), recorded(path) as recorder:
        scenario.run(path)
    assert tuple(recorder.calls) == ORDERS[scenario.name]
