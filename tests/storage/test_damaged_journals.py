"""Journals damaged at random, at every stage of every edit: a sample of `tests.storage.damage`."""

from __future__ import annotations

import os
import random
from typing import TYPE_CHECKING

import pytest

from tests.storage import damage

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")

_PER_STAGE = 8


@pytest.mark.slow
def test_a_file_is_old_or_new_or_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "fsync", lambda fd: None)
    chance = random.Random(1)
    trial = damage.Trial(tmp_path)
    found = damage.all_stages(trial)
    assert len(found) > 10
    for stage, other in damage.swaps(found):
        trial.check(stage, other.journal, f"journal of {other.edit}, {other.call}")
    for stage in found:
        trial.check(stage, stage.journal, "none")
        every = list(damage.damages(stage.journal, chance))
        for name, journal in chance.sample(every, _PER_STAGE):
            trial.check(stage, journal, name)
    assert set(trial.counts) == {"old", "new", "refused"}
