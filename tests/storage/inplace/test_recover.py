"""Recovery: refused where it would harm, and what it says it did."""

from __future__ import annotations

import os
import random
import re
from typing import TYPE_CHECKING

import pytest

from gguf_construct.errors import LockedError, WriteError
from gguf_construct.storage.inplace.recover import RecoverResult, find_journal, recover
from gguf_construct.storage.system.locking import writer_lock
from gguf_construct.storage.system.private_names import journal_path
from tests.storage.scenarios import (
    OLD,
    PATCHED,
    can_insert,
    cut_short_after,
    cut_short_before,
    cut_short_in_place,
    cut_short_insertion,
    without,
)

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "model.gguf"
    file.write_bytes(OLD)
    return file


def test_a_file_without_a_journal_is_left_alone(path: Path) -> None:
    with writer_lock(str(path)):  # nobody even asks for the lock
        assert recover(path) == RecoverResult(str(path), "nothing", 0)
    assert find_journal(path) is None
    assert recover(path.with_name("absent")).action == "nothing"


def test_nothing_is_recovered_while_somebody_writes(path: Path) -> None:
    cut_short_in_place(path)
    before, journal = path.read_bytes(), journal_path(str(path))
    with writer_lock(str(path)), pytest.raises(LockedError, match="is being written by another"):
        recover(path)
    assert path.read_bytes() == before
    assert os.path.exists(journal)
    assert recover(path).action == "rolled back"
    assert path.read_bytes() == OLD


def test_the_result_says_how_many_bytes_were_put_back(path: Path) -> None:
    cut_short_in_place(path)
    found = find_journal(path)
    assert found is not None
    assert found.journal is not None
    saved = sum(len(one.data) for one in found.journal.saved)
    assert recover(path) == RecoverResult(str(path), "rolled back", saved)
    cut_short_after(path)
    assert recover(path) == RecoverResult(str(path), "completed", 0)
    assert path.read_bytes() == PATCHED


def test_a_link_leads_to_the_file(path: Path) -> None:
    cut_short_in_place(path)
    link = path.with_name("link")
    link.symlink_to(path.name)
    assert find_journal(link) is not None
    result = recover(link)
    assert (result.path, result.action) == (str(link), "rolled back")
    assert path.read_bytes() == OLD


def test_an_insertion_is_taken_back_by_copying_where_it_cannot_be_cut_out(path: Path) -> None:
    if not can_insert(path.parent):
        pytest.skip("this file system cannot insert room")
    cut_short_insertion(path)
    with without(("collapse_range",)):
        result = recover(path)
    assert (result.action, result.nbytes_written) == ("rolled back", len(OLD))
    assert path.read_bytes() == OLD
    assert os.listdir(path.parent) == [path.name]


@pytest.mark.parametrize("is_longer", [True, False])
def test_another_file_is_not_touched(path: Path, is_longer: bool) -> None:
    cut_short_in_place(path)
    other = random.Random(1).randbytes(len(OLD) + is_longer)
    path.unlink()
    path.write_bytes(other)
    found = find_journal(path)
    assert found is not None
    assert found.state == "foreign"
    told = re.escape(f"it is in no state of the edit that {found.path} is about")
    with pytest.raises(WriteError, match=told) as caught:
        recover(path)
    assert f"remove {found.path}" in str(caught.value.hint)
    assert ("recover --force" in str(caught.value.hint)) is not is_longer
    if is_longer:
        with pytest.raises(WriteError, match=told):
            recover(path, force=True)
    assert path.read_bytes() == other
    assert os.path.exists(found.path)


def test_force_puts_the_old_bytes_back(path: Path) -> None:
    cut_short_in_place(path)
    damaged = bytearray(path.read_bytes())
    damaged[4000:6000] = bytes(2000)
    path.unlink()
    path.write_bytes(damaged)
    with pytest.raises(WriteError, match="it was replaced or changed since"):
        recover(path)
    assert recover(path, force=True).action == "rolled back"
    assert path.read_bytes() == OLD


def test_a_damaged_journal_stays(path: Path) -> None:
    cut_short_before(path)
    journal = journal_path(str(path))
    os.unlink(journal)
    os.mkdir(journal)
    for force in (False, True):
        with pytest.raises(WriteError, match=f"{journal}, is damaged: nothing was changed"):
            recover(path, force=force)
    assert os.path.isdir(journal)
    assert path.read_bytes() == OLD


def test_what_the_system_refuses_is_told(path: Path) -> None:
    cut_short_before(path)
    path.unlink()
    with pytest.raises(WriteError, match="cannot be recovered: No such file or directory"):
        recover(path)
    assert os.path.exists(journal_path(str(path)))
