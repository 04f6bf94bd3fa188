"""Every way a file is written, small enough to be broken off at each of its system calls."""

from __future__ import annotations

import io
import os
import struct
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pytest

from gguf_construct.core.chunks import Copy, Literal, Swap, WritePlan, Zeros
from gguf_construct.model import open_model
from gguf_construct.storage.inplace.edit import execute_in_place
from gguf_construct.storage.inplace.insertion_support import plan_insertion
from gguf_construct.storage.inplace.prepare import prepare
from gguf_construct.storage.inplace.recover import recover
from gguf_construct.storage.journal.journal_file import save_journal
from gguf_construct.storage.source.source import open_source
from gguf_construct.storage.system import syscalls
from gguf_construct.storage.system.syscalls import Unsupported
from gguf_construct.storage.write import windows
from gguf_construct.storage.write.new_file import write_plan
from gguf_construct.storage.write.stream import write_pieces
from gguf_construct.storage.write.tensor_file import export_tensor
from tests.support import builders as b

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from gguf_construct.planning.patches import Room

HEADER = bytes(range(1, 201)) * 35  # 7000 bytes: more than one page, no page bound at its end
DATA = bytes((7 * i) % 251 for i in range(9001))
OLD = HEADER + DATA
NEW_HEADER = b"new" * 1500
PATCHES = [(10, b"P" * 700), (4000, b"Q" * 2000), (6990, b"R" * 10)]


class Scenario(NamedTuple):
    """One way to write: what is there before, how it goes, what is there afterwards.

    `new` is the content afterwards; `old` what was there, None for nothing.  `lacking` names the
    system calls that this platform is told to lack.
    """

    name: str
    run: Callable[[Path], object]
    new: bytes
    old: bytes | None = OLD
    lacking: tuple[str, ...] = ()
    prepare: Callable[[Path], object] | None = None


def patched(content: bytes, patches: list[tuple[int, bytes]]) -> bytes:
    """What a patch makes of some bytes."""
    result = bytearray(content)
    for offset, data in patches:
        result[offset : offset + len(data)] = data
    return bytes(result)


def _new_file(path: Path, durable: bool | None = None) -> None:
    source = path.with_name("source.bin")
    source.write_bytes(OLD)
    try:
        with open_source(source) as opened:
            plan = WritePlan((Literal(NEW_HEADER), Zeros(60), Copy(7000, len(DATA))))
            write_plan(plan, [opened], path, durable=durable)
    finally:
        source.unlink()


def _new_synced(path: Path) -> None:
    _new_file(path, durable=True)


def _new_by_windows(path: Path) -> None:
    with small_windows():
        _new_file(path)


def _from_memory(path: Path) -> None:
    write_plan(WritePlan((Literal(b"ab"), Copy(1, 9000))), [open_source(DATA)], path)


def _replace(path: Path) -> None:
    with open_source(path) as source:
        plan = WritePlan((Literal(NEW_HEADER), Copy(7000, len(DATA))))
        write_plan(plan, [source], path, overwrite=True)


def _swap(path: Path) -> None:
    with open_source(path) as source:
        plan = WritePlan((Literal(NEW_HEADER), Swap(7000, 9000, ((2, 1), (1, 16)))))
        write_plan(plan, [source], path, overwrite=True)


def _through_link(path: Path) -> None:
    link = path.with_name("link.gguf")
    link.unlink(missing_ok=True)
    link.symlink_to(path)
    try:
        with open_source(link) as source:
            plan = WritePlan((Literal(NEW_HEADER), Copy(7000, len(DATA))))
            write_plan(plan, [source], link, overwrite=True)
        assert link.is_symlink()
    finally:
        link.unlink()


@contextmanager
def small_windows() -> Iterator[None]:
    """Have even small files written by windows."""
    window, applies = windows.WINDOW, windows.applies
    windows.WINDOW, windows.applies = 4096, lambda plan, fd, durable: True
    try:
        yield
    finally:
        windows.WINDOW, windows.applies = window, applies


def _direct(path: Path) -> None:
    with small_windows():
        _swap(path)


def _pieces(path: Path) -> None:
    write_pieces([NEW_HEADER, memoryview(DATA)], len(NEW_HEADER + DATA), path)


def _pieces_over(path: Path) -> None:
    write_pieces([NEW_HEADER, DATA], len(NEW_HEADER + DATA), path, overwrite=True)


def _export(path: Path, *, dequantize: bool = False) -> None:
    # The ending says the format: a link that has it leads to the file that is looked at.
    source, out = path.with_name("source.gguf"), path.with_name("out.npy")
    source.write_bytes(TENSOR_MODEL)
    out.unlink(missing_ok=True)
    out.symlink_to(path.name)
    try:
        with open_model(source) as model:
            export_tensor(model.tensors["t"], model.source, out, dequantize=dequantize)
    finally:
        source.unlink()
        out.unlink()


def _export_decoded(path: Path) -> None:
    _export(path, dequantize=True)


def _in_place(path: Path) -> None:
    with open_source(path) as source:
        execute_in_place(PATCHES, path, source=source, header_nbytes=len(HEADER))


def _insertion(path: Path) -> Room:
    found = plan_insertion(path, 7000, 100, 32)
    assert found is not None
    return found


def _insert(path: Path) -> None:
    with open_source(path) as source:
        room = _insertion(path)
        header = (NEW_HEADER * 20)[: 7000 + room.nbytes]
        execute_in_place(
            [(0, header)], path, source=source, insertion=room, header_nbytes=len(HEADER)
        )


def _cut_short(path: Path, insertion: Room | None, patches: list[tuple[int, bytes]]) -> None:
    """Leave what a kill in the middle of the last patch leaves."""
    fd = os.open(path, os.O_RDWR)
    try:
        journal, writes = prepare(fd, path.name, patches, insertion, len(HEADER))
        save_journal(journal, str(path))
        if insertion:
            syscalls.insert_range(fd, *insertion)
        for offset, data in writes[:-1]:
            os.pwrite(fd, data, offset)
        offset, data = writes[-1]
        os.pwrite(fd, data[: len(data) // 2], offset)
    finally:
        os.close(fd)


def cut_short(path: Path, patches: list[tuple[int, bytes]]) -> None:
    """Leave a half-done edit of any file in place."""
    _cut_short(path, None, patches)


def cut_short_in_place(path: Path) -> None:
    """Leave a half-done edit of `OLD` in place."""
    _cut_short(path, None, PATCHES)


def cut_short_before(path: Path) -> None:
    """Leave a journal of a file that is not touched yet."""
    cut_short_in_place(path)
    path.write_bytes(OLD)


def cut_short_after(path: Path) -> None:
    """Leave an edit that lacks only the removal of its journal."""
    path.write_bytes(OLD)
    cut_short_in_place(path)
    with path.open("r+b") as file:  # the same file: its inode must stay
        file.write(PATCHED)


def cut_short_insertion(path: Path) -> None:
    """Leave a half-done edit of `OLD` with room inserted."""
    room = _insertion(path)
    _cut_short(path, room, [(0, (NEW_HEADER * 20)[: 7000 + room.nbytes])])


SWAPPED = NEW_HEADER + b"".join(
    DATA[i + 1 : i + 2] + DATA[i : i + 1] + DATA[i + 2 : i + 18] for i in range(0, 9000, 18)
)


PATCHED = patched(OLD, PATCHES)
BLOCKS = b"".join(struct.pack("<e", row + 1) + bytes(range(32)) for row in range(40))
TENSOR_MODEL = b.build(b.Model(tensors=(b.Tensor(b"t", (32, 40), 8, BLOCKS),))).data


def npy(array: Any) -> bytes:
    """The array as numpy itself writes it."""
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


RAW_ARRAY = npy(np.frombuffer(BLOCKS, np.uint8).reshape(40, 34))
# Decoded values are exported in the byte order of the file, whatever the host's.
DECODED_ARRAY = npy(np.outer(np.arange(1, 41, dtype="<f4"), np.arange(32)).astype("<f4"))


def inserted(room: int) -> bytes:
    """What `insert` makes of `OLD` when the room is that large."""
    return (NEW_HEADER * 20)[: 7000 + room] + DATA


SCENARIOS = [
    Scenario("new-file", _new_file, NEW_HEADER + bytes(60) + DATA, None),
    Scenario("new-synced", _new_synced, NEW_HEADER + bytes(60) + DATA, None),
    Scenario("new-by-windows", _new_by_windows, NEW_HEADER + bytes(60) + DATA, None),
    Scenario("new-by-link", _new_file, NEW_HEADER + bytes(60) + DATA, None, ("rename_new",)),
    Scenario(
        "new-by-claim", _new_file, NEW_HEADER + bytes(60) + DATA, None, ("rename_new", "link")
    ),
    Scenario("from-memory", _from_memory, b"ab" + DATA[1:9001], None),
    Scenario("replace", _replace, NEW_HEADER + DATA),
    Scenario(
        "replace-plain",
        _replace,
        NEW_HEADER + DATA,
        OLD,
        ("copy_file_range", "allocate"),
    ),
    Scenario("swap", _swap, SWAPPED),
    Scenario("direct", _direct, SWAPPED),
    Scenario("pieces", _pieces, NEW_HEADER + DATA, None),
    Scenario("pieces-over", _pieces_over, NEW_HEADER + DATA),
    Scenario("tensor", _export, RAW_ARRAY, None),
    Scenario("tensor-decoded", _export_decoded, DECODED_ARRAY, None),
    Scenario("in-place", _in_place, PATCHED),
    Scenario("insert", _insert, b""),
    Scenario("recover", recover, OLD, OLD, (), cut_short_in_place),
    Scenario("recover-insertion", recover, OLD, OLD, (), cut_short_insertion),
    Scenario("recover-insert-by-copy", recover, OLD, OLD, ("collapse_range",), cut_short_insertion),
    Scenario("recover-discard", recover, OLD, OLD, (), cut_short_before),
    Scenario("recover-complete", recover, PATCHED, PATCHED, (), cut_short_after),
    Scenario("through-link", _through_link, NEW_HEADER + DATA),
]


def can_insert(folder: Path) -> bool:
    """Whether this file system makes room inside files."""
    path = folder / "probe"
    path.write_bytes(OLD)
    fd = os.open(path, os.O_RDWR)
    try:
        room = plan_insertion(path, 7000, 1)
        if room is None:
            return False
        syscalls.insert_range(fd, *room)
    except Unsupported:
        return False
    finally:
        os.close(fd)
        path.unlink()
    return True


def expected(scenario: Scenario, folder: Path) -> bytes:
    """The content after the scenario; skips the test where the file system cannot do it."""
    if "insert" not in scenario.name:
        return scenario.new
    if not can_insert(folder):
        pytest.skip("this file system cannot insert room")
    if scenario.name != "insert":
        return scenario.new
    path = folder / "probe"
    path.write_bytes(OLD)
    room = _insertion(path)
    path.unlink()
    return inserted(room.nbytes)


@contextmanager
def without(names: tuple[str, ...]) -> Iterator[None]:
    """Pretend that the platform lacks some system calls."""
    originals = {name: getattr(syscalls, name) for name in names}

    def refuse(*arguments: object) -> None:
        raise Unsupported

    try:
        for name in names:
            setattr(syscalls, name, refuse)
        yield
    finally:
        for name, original in originals.items():
            setattr(syscalls, name, original)


def start(scenario: Scenario, path: Path) -> None:
    """Put the file into the state that the scenario begins with."""
    for left in path.parent.iterdir():
        left.unlink()
    if scenario.old is not None:
        path.write_bytes(scenario.old)
    if scenario.prepare:
        scenario.prepare(path)
