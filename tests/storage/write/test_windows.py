"""Direct writes: any window of any plan is rendered right, and trouble falls back or surfaces."""

from __future__ import annotations

import errno
import os
import random
import threading
from functools import partial
from typing import TYPE_CHECKING

import pytest

from gguf_construct.core.chunks import Chunk, Copy, Literal, Swap, WritePlan, Zeros
from gguf_construct.errors import SourceChangedError, WriteError
from gguf_construct.storage.source.source import open_source
from gguf_construct.storage.system import syscalls
from gguf_construct.storage.system.syscalls import Unsupported
from gguf_construct.storage.write import new_file, windows
from gguf_construct.storage.write.new_file import write_plan
from gguf_construct.storage.write.swapping import swap_blocks

if TYPE_CHECKING:
    from pathlib import Path

LAYOUTS = [((2, 1),), ((2, 1), (1, 16)), ((1, 200), (2, 1), (4, 3)), ((8, 1),)]


def expected(plan: WritePlan, content: bytes) -> bytes:
    """The plan's bytes, in the obvious way."""
    parts: list[bytes] = []
    for chunk in plan.chunks:
        if isinstance(chunk, Literal):
            parts.append(chunk.data)
        elif isinstance(chunk, Zeros):
            parts.append(bytes(chunk.nbytes))
        else:
            part = bytearray(content[chunk.start : chunk.start + chunk.nbytes])
            if isinstance(chunk, Swap):
                swap_blocks(part, chunk.layout)
            parts.append(bytes(part))
    return b"".join(parts)


def random_plan(rng: random.Random, size: int) -> WritePlan:
    chunks: list[Chunk] = []
    for _ in range(rng.randrange(1, 12)):
        start, nbytes = rng.randrange(size // 2), rng.randrange(size // 2)
        layout = rng.choice(LAYOUTS)
        block = sum(width * count for width, count in layout)
        choices: list[Chunk] = [
            Literal(rng.randbytes(nbytes // 9)),
            Copy(start, nbytes),
            Swap(start, nbytes // block * block, layout),
            Zeros(nbytes // 5),
        ]
        chunks.append(rng.choice(choices))
    return WritePlan(tuple(chunks))


@pytest.fixture(params=[True, False], ids=["past the cache", "through the cache"])
def forced(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(windows, "WINDOW", 4096)
    monkeypatch.setattr(windows, "applies", lambda plan, fd, durable: True)
    chosen = partial(new_file.write_plan, durable=request.param)
    monkeypatch.setitem(globals(), "write_plan", chosen)


@pytest.mark.usefixtures("forced")
@pytest.mark.parametrize("seed", range(30))
def test_random_plans(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    content = rng.randbytes(30_000)
    (tmp_path / "source").write_bytes(content)
    plan = random_plan(rng, len(content))
    seen: list[tuple[int, int]] = []
    with open_source(tmp_path / "source") as source:
        write_plan(plan, [source], tmp_path / "out", progress=lambda *at: seen.append(at))
    assert (tmp_path / "out").read_bytes() == expected(plan, content)
    assert not plan.nbytes or seen[-1] == (plan.nbytes, plan.nbytes)
    assert seen == sorted(seen)


@pytest.mark.parametrize("seed", range(5))
def test_every_window_of_a_plan(seed: int) -> None:
    rng = random.Random(seed)
    content = rng.randbytes(2000)
    plan = random_plan(rng, len(content))
    whole = expected(plan, content)
    renderer = windows.Renderer(plan, [open_source(content)])
    for nbytes in (1, 3, 64, 333):
        for at in range(0, len(whole) - nbytes, 7):
            buffer = bytearray(b"?" * nbytes)
            renderer.fill(at, buffer, nbytes)
            assert buffer == whole[at : at + nbytes]


def test_where_it_applies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(windows, "_SMALLEST", 10)
    moved, in_its_place = WritePlan((Literal(b"x"), Copy(0, 10))), WritePlan((Copy(4096, 10),))
    for kind, plan, answer in [
        (0xEF53, moved, True),
        (0xEF53, in_its_place, True),
        (0xEF53, WritePlan((Literal(b"x"),)), False),
        (0x58465342, moved, True),
        (0x58465342, in_its_place, False),
        (0x9123683E, moved, False),  # btrfs
        (None, moved, False),
    ]:
        monkeypatch.setattr(syscalls, "filesystem_type", lambda fd, kind=kind: kind)
        assert windows.applies(plan, 0, durable=True) is answer


def test_where_it_applies_when_nobody_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    copied = WritePlan((Copy(0, 64 << 20),))
    moved = WritePlan((Literal(b"x"), Copy(0, 64 << 20)))
    swapped = WritePlan((Swap(0, 64 << 20, ((2, 1),)),))
    for kind, plan, answer in [
        (0xEF53, copied, True),
        (0x01021994, copied, True),  # tmpfs
        (0x58465342, copied, False),  # xfs may share the blocks
        (0x58465342, moved, True),
        (0x794C7630, copied, False),  # overlayfs, too
        (0x794C7630, moved, True),
        (0x9123683E, copied, False),  # btrfs, too
        (None, copied, False),
        (0x9123683E, swapped, True),
        (None, swapped, True),
        (0xEF53, WritePlan((Copy(0, 100),)), False),
    ]:
        monkeypatch.setattr(syscalls, "filesystem_type", lambda fd, kind=kind: kind)
        assert windows.applies(plan, 0, durable=False) is answer


@pytest.mark.usefixtures("forced")
@pytest.mark.parametrize("name", ["open_direct", "pwrite_direct"])
def test_a_disk_that_does_not_take_it_is_written_another_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    def refuse(*arguments: object) -> None:
        raise Unsupported

    monkeypatch.setattr(syscalls, name, refuse)
    write_plan(WritePlan((Literal(b"x" * 9000),)), [], tmp_path / "out")
    assert (tmp_path / "out").read_bytes() == b"x" * 9000


@pytest.mark.usefixtures("forced")
def test_a_file_that_may_not_be_opened_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: str) -> int:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)

    monkeypatch.setattr(syscalls, "open_existing", refuse)
    monkeypatch.setattr(syscalls, "open_direct", refuse)
    write_plan(WritePlan((Literal(b"x" * 90_000),)), [], tmp_path / "out")
    assert (tmp_path / "out").read_bytes() == b"x" * 90_000


@pytest.mark.usefixtures("forced")
def test_a_full_disk_surfaces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(syscalls, "pwrite", refuse)
    monkeypatch.setattr(syscalls, "pwrite_direct", refuse)
    with pytest.raises(WriteError, match="No space left"):
        write_plan(WritePlan((Literal(b"x" * 90_000),)), [], tmp_path / "out")
    assert os.listdir(tmp_path) == []


@pytest.mark.usefixtures("forced")
def test_a_source_that_shrinks_surfaces(tmp_path: Path) -> None:
    path = tmp_path / "source"
    path.write_bytes(bytes(1 << 20))

    def shrink(done: int, total: int) -> None:
        os.truncate(path, 100)

    plan = WritePlan((Literal(b"x"), Copy(0, 1 << 20)))
    with open_source(path) as source, pytest.raises(SourceChangedError):
        write_plan(plan, [source], tmp_path / "out", progress=shrink)
    assert os.listdir(tmp_path) == [path.name]


@pytest.mark.usefixtures("forced")
def test_without_another_thread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    write_plan(WritePlan((Literal(b"x" * 90_000),)), [], tmp_path / "out")
    assert (tmp_path / "out").read_bytes() == b"x" * 90_000


@pytest.mark.usefixtures("forced")
def test_an_interrupt_while_the_thread_starts_stops_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start, started = threading.Thread.start, []

    def interrupted(self: threading.Thread) -> None:
        start(self)
        started.append(self)
        raise KeyboardInterrupt

    monkeypatch.setattr(threading.Thread, "start", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_plan(WritePlan((Literal(bytes(64 << 20)),)), [], tmp_path / "out")
    assert not any(thread.is_alive() for thread in started)
    assert len(started) == 1
    assert os.listdir(tmp_path) == []
