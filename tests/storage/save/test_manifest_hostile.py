"""Mutated manifests and texts: either they are taken, or refused with an error of ours.

Invariant: whatever the bytes of the folder's files or of the edited text are, only GGUFError
escapes, and a refused text leaves the document as it was.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

import gguf_construct as gc
from gguf_construct.api import build_bytes, export_model
from gguf_construct.manifest.edit_text import apply_text, metadata_text
from gguf_construct.manifest.yaml_read import parse_yaml
from tests.support.cases import CASES

if TYPE_CHECKING:
    from pathlib import Path

NAMES = ("strings-v3-little", "all-float32-v3-big", "nested-v3-little", "tail", "vocabulary")
WORDS = (
    *(b"{", b"}", b"[", b"]", b": ", b"- ", b"\n", b"!uint32 ", b"!array ", b"!string ", b"'"),
    *(b"!bytes ", b'"', b"\\x", b"&a ", b"*a", b"? ", b"!!int ", b"~", b"-1", b"9" * 30, b"\x00"),
    *(b"nan(0x7fc00001)", b"1e999", b"../x", b"values: [1], ", b"fill: zeros, ", b"\xff", b"|\n"),
    *(b"offset: 18446744073709551615, ", b"data_size: 5\n", b"header_padding: x\n", b"<<: "),
    *(b"filler: [{at: 1, bytes: x}]\n", b"!keep 1", b"{file: manifest.yaml}", b"\n---\n"),
    *(b"{array: manifest.yaml}", b"#! ", b"%YAML 1.1\n---\n", b"]" * 50, b"[" * 50),
)


def mutated(data: bytes, chance: random.Random) -> bytes:
    out = bytearray(data)
    for _ in range(chance.choice([1, 1, 2, 4])):
        at = chance.randrange(len(out) + 1)
        kind = chance.randrange(4)
        if kind == 0:
            out[at:at] = chance.choice(WORDS)
        elif kind == 1:
            del out[at : at + chance.choice([1, 3, 20])]
        elif kind == 2:
            out[at : at + 1] = bytes([chance.randrange(256)])
        else:
            out[at : at + 8] = chance.choice(WORDS)
    return bytes(out)


@pytest.mark.parametrize("name", NAMES)
def test_mutated_folders(name: str, tmp_path: Path) -> None:
    chance = random.Random(name)
    with gc.open(CASES[name].data) as model:
        export_model(model, tmp_path / "d")
    paths = [path for path in (tmp_path / "d").rglob("*") if path.is_file()]
    weighted = [*paths, *[tmp_path / "d/manifest.yaml"] * len(paths)]
    outcomes = set()
    for _ in range(150):
        path = chance.choice(weighted)
        before = path.read_bytes()
        path.write_bytes(mutated(before, chance))
        try:
            with gc.open(build_bytes(tmp_path / "d")):
                outcomes.add("taken")
        except gc.GGUFError:
            outcomes.add("refused")
        path.write_bytes(before)
    assert outcomes == {"taken", "refused"}


@pytest.mark.parametrize("name", NAMES)
def test_mutated_texts(name: str) -> None:
    chance = random.Random(name)
    outcomes = set()
    with gc.open(CASES[name].data) as model:
        text = metadata_text(model).encode()
        start = model.metadata.snapshot()
        for _ in range(150):
            changed = mutated(text, chance).decode("utf-8", "surrogateescape")
            try:
                outcomes.add("same" if not apply_text(model, changed) else "changed")
                model.to_bytes()
                model.metadata.restore(start)
            except gc.GGUFError:
                outcomes.add("refused")
            assert not model.metadata.is_changed
    assert outcomes == {"same", "changed", "refused"}


def test_too_many_values_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gguf_construct.manifest.yaml_read._MAX_NODES", 100)
    with pytest.raises(gc.BuildError, match="more than 100 values"):
        parse_yaml("a: [" + "x, " * 200 + "]")
