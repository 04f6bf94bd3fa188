"""Whether, where and how much room can be made inside a file."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from gguf_construct.planning.patches import Room
from gguf_construct.storage.inplace import insertion_support
from gguf_construct.storage.inplace.insertion_support import (
    can_insert,
    is_open_elsewhere,
    is_safe,
    plan_insertion,
)
from gguf_construct.storage.system import syscalls

if TYPE_CHECKING:
    from pathlib import Path

linux = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "model.gguf"
    file.write_bytes(bytes(20000))
    return file


@pytest.mark.parametrize(
    ("at", "grow", "alignment", "room"),
    [
        (0, 1, 1, (0, 4096)),
        (4095, 4096, 1, (0, 4096)),
        (4096, 4097, 1, (4096, 8192)),
        (9000, 1, 32, (8192, 4096)),
        (9000, 1, 96, (8192, 12288)),
        (19999, 1, 1, (16384, 4096)),
    ],
)
def test_room_begins_and_ends_at_blocks(
    path: Path, at: int, grow: int, alignment: int, room: tuple[int, int]
) -> None:
    if os.statvfs(path).f_frsize != 4096:
        pytest.skip("blocks of another size")
    assert plan_insertion(path, at, grow, alignment) == Room(*room)


def test_nothing_follows_the_end(path: Path) -> None:
    assert plan_insertion(path, 20000, 1) is None
    assert plan_insertion(path, 20001, 1) is None


@pytest.mark.parametrize(
    ("kind", "can"),
    [(0xEF53, True), (0x58465342, True), (0xF2F52010, True), (0x1234, False), (None, False)],
)
def test_file_systems_that_can(
    path: Path, kind: int | None, can: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(syscalls, "filesystem_type", lambda fd: kind)
    assert can_insert(str(path)) is can
    assert not can_insert(str(path.with_name("absent")))


@pytest.mark.parametrize(
    ("can", "is_open", "safe"), [(True, False, True), (True, True, False), (False, False, False)]
)
def test_safe_is_both(
    can: bool, is_open: bool, safe: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(insertion_support, "can_insert", lambda path: can)
    monkeypatch.setattr(insertion_support, "is_open_elsewhere", lambda path: is_open)
    assert is_safe("x") is safe


HOLDERS = {
    "open": "file = open(sys.argv[1], 'rb')",
    "mapped": (
        "import mmap\nwith open(sys.argv[1], 'rb') as file:"
        "\n    view = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)\n"
        "import os\nfor fd in range(3, 20):\n"
        "    try: os.close(fd)\n    except OSError: pass"
    ),
    "neither": "pass",
}


@linux
@pytest.mark.parametrize("how", HOLDERS)
def test_who_else_has_it_open(path: Path, how: str) -> None:
    code = f"import sys\n{HOLDERS[how]}\nprint('ready', flush=True)\nsys.stdin.read()"
    assert not is_open_elsewhere(str(path))
    with (
        open(path, "rb"),  # our own descriptor does not count
        subprocess.Popen(
            [sys.executable, "-c", code, str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        ) as child,
    ):
        assert child.stdout is not None
        assert child.stdout.readline() == b"ready\n"
        assert is_open_elsewhere(str(path)) is (how != "neither")
        assert not is_open_elsewhere(str(path.with_name("other")))
    assert not is_open_elsewhere(str(path))


def test_without_proc_nobody_is_seen(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(insertion_support, "_PROCESSES", str(path.with_name("absent")))
    assert not is_open_elsewhere(str(path))
