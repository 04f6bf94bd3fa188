"""A private file gets its name in one step, and never that of another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gguf_construct.storage.system import syscalls
from gguf_construct.storage.system.placing import place_new
from tests.storage.scenarios import without

if TYPE_CHECKING:
    from pathlib import Path

LACKING = [(), ("rename_new",), ("rename_new", "link")]


@pytest.mark.parametrize("lacking", LACKING)
def test_a_name_is_taken_once(tmp_path: Path, lacking: tuple[str, ...]) -> None:
    private, path = tmp_path / "private", tmp_path / "out"
    private.write_bytes(b"new")
    with without(lacking):
        place_new(str(private), str(path))
    assert path.read_bytes() == b"new"
    assert private.exists() is (lacking == ("rename_new",))
    private.write_bytes(b"newer")
    with without(lacking), pytest.raises(FileExistsError, match="exists"):
        place_new(str(private), str(path))
    assert path.read_bytes() != b"newer" or lacking == ("rename_new",)


@pytest.mark.parametrize("name", ["close", "replace"])
def test_a_claim_is_given_up_when_it_fails(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    private, path = tmp_path / "private", tmp_path / "out"
    private.write_bytes(b"new")
    real = getattr(syscalls, name)

    def fail(*arguments: object) -> None:
        if name == "close":
            real(*arguments)
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(syscalls, name, fail)
    with without(("rename_new", "link")), pytest.raises(OSError, match="Input/output error"):
        place_new(str(private), str(path))
    assert not path.exists()
    assert private.read_bytes() == b"new"


def test_a_claimed_name_is_private_until_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    private, path = tmp_path / "private", tmp_path / "out"
    private.write_bytes(b"new")
    modes: list[int] = []
    real = syscalls.replace

    def look(source: str, target: str) -> None:
        modes.append(path.stat().st_mode & 0o777)
        real(source, target)

    monkeypatch.setattr(syscalls, "replace", look)
    with without(("rename_new", "link")):
        place_new(str(private), str(path))
    assert modes == [0o600]
