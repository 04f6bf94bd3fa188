"""Slices of a map are read: a file that shrinks or goes gives an error, and never a signal."""

from __future__ import annotations

import os
import random
import shutil
import time
import warnings
from io import StringIO
from typing import TYPE_CHECKING

import pytest

import gguf_construct as gc
from gguf_construct.cli.main import run
from gguf_construct.errors import SourceChangedError
from gguf_construct.storage.source.file_map import FileMap
from gguf_construct.storage.source.source import open_source
from tests.support import builders as b
from tests.support.cases_valid import base
from tests.support.files import write_vocabulary_model

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CONTENT = bytes(range(256)) * 40


def _map(path: Path) -> FileMap:
    with path.open("rb") as file:
        return FileMap.of(file.fileno(), str(path))


def test_slices_are_those_of_bytes(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(CONTENT)
    found = _map(path)
    for part in (slice(None), slice(5, 9), slice(9, 5), slice(-4, None), slice(3, 99, 7)):
        assert found[part] == CONTENT[part]
    assert (found[0], found[-1], len(found)) == (CONTENT[0], CONTENT[-1], len(CONTENT))
    with pytest.raises(IndexError):
        found[len(CONTENT)]
    assert bytes(memoryview(found)) == CONTENT
    found.close()
    found.close()


def test_no_descriptor_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(CONTENT)
    if not os.path.isdir("/proc/self/fd"):
        pytest.skip("needs /proc")
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        with open_source(path) as source:
            view = memoryview(source.buffer)
        view.release()
        del view, source
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_file_that_shrank_gives_an_error(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(CONTENT)
    found = _map(path)
    os.truncate(path, 100)
    assert found[:100] == CONTENT[:100]
    for part in (slice(None), slice(50, 101), slice(5000, 5001)):
        with pytest.raises(SourceChangedError, match="was cut while it was in use"):
            found[part]
    found.close()


READS: list[Callable[[gc.Model], object]] = [
    lambda model: model.tensors["weight"].dequantize(),
    lambda model: model.tensors["weight"].raw,
    lambda model: gc.hash_model(model),
    lambda model: gc.validate(model, data=True),
    lambda model: model.to_bytes(),
]


@pytest.mark.parametrize("number", range(len(READS)))
def test_what_reads_data_of_a_file_that_shrank(tmp_path: Path, number: int) -> None:
    with gc.open(write_vocabulary_model(tmp_path)) as model:
        values = dict(model.metadata)
        os.truncate(str(model.path), 30)
        with pytest.raises(SourceChangedError):
            READS[number](model)
        assert list(model.metadata["tokenizer.ggml.tokens"]) == list(
            values["tokenizer.ggml.tokens"]
        )


VERBS = [
    ["get", "FILE", "tokenizer.ggml.tokens"],
    ["show", "FILE"],
    ["validate", "FILE", "--data"],
    ["tensor", "FILE", "big.weight"],
    ["tensor", "FILE", "big.weight", "--export", "OUT.npy", "--dequantize"],
    ["export", "FILE", "OUT.d"],
    ["hash", "FILE"],
    ["diff", "FILE", "OTHER"],
    ["map", "FILE"],
    ["set", "FILE", "-o", "OUT.gguf", "general.name=x"],
    ["convert", "FILE", "-o", "OUT.gguf", "--endian", "big"],
    ["token", "find", "FILE", "hello"],
]


def _truncate(path: Path, chance: random.Random) -> None:
    os.truncate(path, chance.randrange(path.stat().st_size))


def _replace(path: Path, chance: random.Random) -> None:
    other = path.with_name("newer")
    other.write_bytes(path.read_bytes()[: chance.randrange(path.stat().st_size)])
    other.replace(path)


def _overwrite(path: Path, chance: random.Random) -> None:
    with path.open("r+b") as file:
        file.seek(chance.randrange(path.stat().st_size))
        file.write(chance.randbytes(3000))
        file.truncate()


CHANGES = [_truncate, _replace, _overwrite]
ROUNDS = 70 if os.environ.get("GGUF_CONSTRUCT_ALL_KILLS") else 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: " ".join(verb[:1] + verb[3:4]))
def test_no_verb_dies_of_a_file_that_changes(tmp_path: Path, verb: list[str]) -> None:
    chance = random.Random(repr(verb))
    weight = b.Tensor(b"big.weight", (1 << 19,), data=chance.randbytes(1 << 16) * 32)
    tokens = b.array(b.STRING, *(b"token%d" % number for number in range(20000)))
    content = b.build(base(b.Pair(b"tokenizer.ggml.tokens", tokens), tensors=(weight,))).data
    names = {"FILE": tmp_path / "m.gguf", "OTHER": tmp_path / "o.gguf"}
    names["OTHER"].write_bytes(content)
    command = [str(names.get(word, tmp_path / word if "OUT" in word else word)) for word in verb]
    for change in CHANGES * ROUNDS:
        names["FILE"].write_bytes(content)
        code = _run_and_change(command, names["FILE"], change, chance)
        assert os.WIFEXITED(code), f"{change.__name__}: signal {os.WTERMSIG(code)}"
        assert os.WEXITSTATUS(code) in (0, 1, 2, 3, 4), change.__name__
        for left in tmp_path.glob("OUT*"):
            shutil.rmtree(left) if left.is_dir() else left.unlink()


def _run_and_change(
    command: list[str],
    path: Path,
    change: Callable[[Path, random.Random], None],
    chance: random.Random,
) -> int:
    """Run a verb in a child, and change its file meanwhile: the child's status."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        import sys

        status = 70
        try:
            sys.stdout = sys.stderr = StringIO()
            status = run(command)
        finally:
            os._exit(status)
    time.sleep(chance.random() * 0.1)
    change(path, chance)
    return os.waitpid(child, 0)[1]
