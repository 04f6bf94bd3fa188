"""convert: where it writes, what it refuses, what it says; and what a kill leaves behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import gguf_construct as gc
from gguf_construct.cli.main import run
from tests.support import builders as b
from tests.support.cases import CASES
from tests.support.llama import inspect_many, needs_llama
from tests.support.shared import needs_shared, shared_path

Text = pytest.CaptureFixture[str]
LITTLE, BIG = CASES["type-Q4_K-little"].data, CASES["type-Q4_K-big"].data


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A little-endian file with a Q4_K tensor."""
    path = tmp_path / "model.gguf"
    path.write_bytes(LITTLE)
    return path


def test_to_a_new_file_and_back(model: Path, tmp_path: Path, capsys: Text) -> None:
    big, back = tmp_path / "big.gguf", tmp_path / "back.gguf"
    assert run(["convert", str(model), "--endian", "big", "-o", str(big)]) == 0
    assert big.read_bytes() == BIG
    assert "wrote" in capsys.readouterr().err
    assert run(["convert", str(big), "--endian", "little", "-o", str(back)]) == 0
    assert back.read_bytes() == model.read_bytes() == LITTLE


def test_in_place_is_a_replacement(model: Path, capsys: Text) -> None:
    before = model.stat().st_ino
    assert run(["convert", str(model), "--endian", "big", "-i"]) == 0
    assert model.read_bytes() == BIG
    assert model.stat().st_ino != before
    assert [path.name for path in model.parent.iterdir()] == [model.name]
    assert "replacement" in capsys.readouterr().err


def test_the_reserve_is_still_there(model: Path, tmp_path: Path, capsys: Text) -> None:
    big = tmp_path / "big.gguf"
    with gc.open(model) as opened:
        opened.save(reserve=100, overwrite=True)
        left = opened.metadata["gguf_construct.padding"].nbytes
    assert run(["convert", str(model), "--endian", "big", "-o", str(big)]) == 0
    assert f"{left} bytes are in reserve" in capsys.readouterr().err
    with gc.open(big) as opened:
        assert opened.metadata["gguf_construct.padding"].nbytes == left


def test_json(tmp_path: Path, capsys: Text) -> None:
    source, target = tmp_path / "v1.gguf", tmp_path / "out.gguf"
    source.write_bytes(CASES["strings-v1-little"].data)
    assert run(["convert", str(source), "--endian", "big", "-o", str(target), "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert (shown["schema"], shown["path"]) == (1, str(target))
    assert 0 < shown["bytes_written"] <= target.stat().st_size  # padding is not written
    assert [(it["key"], it["old"], it["new"]) for it in shown["changes"]] == [
        ("byte_order", "little", "big"),
        ("version", 1, 3),
    ]


def test_nothing_to_convert(model: Path, tmp_path: Path, capsys: Text) -> None:
    """In place the file is left alone; a new file is a copy, so that scripts can rely on it."""
    before = model.stat()
    assert run(["convert", str(model), "--endian", "little", "--to-version", "3", "-i"]) == 0
    now = model.stat()
    assert (now.st_ino, now.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert "nothing" in capsys.readouterr().err
    out = tmp_path / "out.gguf"
    assert run(["convert", str(model), "--endian", "little", "-o", str(out)]) == 0
    assert out.read_bytes() == LITTLE
    assert "already was little-endian" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["--endian", "big"], 2, "-o OUT"),
        (["-o", "OUT"], 2, "--endian"),
        (["--endian", "middle", "-o", "OUT"], 2, "middle"),
        (["--to-version", "1", "-o", "OUT"], 2, "1"),
        (["--endian", "big", "-i", "-o", "OUT"], 2, "exclude"),
        (["--endian", "big", "--to-version", "2", "-o", "OUT"], 2, "version 3"),
        (["--endian", "big", "-o", "THERE"], 4, "exists"),
    ],
)
def test_refusals(
    arguments: list[str], code: int, words: str, model: Path, tmp_path: Path, capsys: Text
) -> None:
    out, there = tmp_path / "out.gguf", tmp_path / "there.gguf"
    there.write_bytes(b"precious")
    names = {"OUT": str(out), "THERE": str(there)}
    assert run(["convert", str(model), *(names.get(word, word) for word in arguments)]) == code
    assert words in capsys.readouterr().err
    assert not out.exists()
    assert (model.read_bytes(), there.read_bytes()) == (LITTLE, b"precious")


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("block-33", 2),
        ("removed-Q4_2", 2),
        ("future-last", 2),
        ("offset-overlap", 2),
        ("offset-past-end", 3),
    ],
)
def test_files_that_cannot_be_swapped(name: str, code: int, tmp_path: Path, capsys: Text) -> None:
    source = tmp_path / "in.gguf"
    source.write_bytes(CASES[name].data)
    assert run(["convert", str(source), "--endian", "big", "-o", str(tmp_path / "out")]) == code
    told = capsys.readouterr().err
    assert "tensor_infos[" in told
    assert "0x" in told
    assert run(["convert", str(source), "--endian", "big", "-i"]) == code
    assert source.read_bytes() == CASES[name].data
    assert [path.name for path in tmp_path.iterdir()] == ["in.gguf"]


def test_warning_of_types_that_ggml_cannot_decode(tmp_path: Path, capsys: Text) -> None:
    source = tmp_path / "in.gguf"
    source.write_bytes(CASES["type-IQ3_S-little"].data)
    assert run(["convert", str(source), "--endian", "big", "-o", str(tmp_path / "out")]) == 0
    told = capsys.readouterr().err
    assert "warning:" in told
    assert "IQ3_S" in told


def test_from_python(model: Path, tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    out = tmp_path / "out.gguf"
    result = gc.convert(model, out, byte_order="big", progress=lambda *it: seen.append(it))
    assert out.read_bytes() == BIG
    assert result.nbytes_total == len(BIG)
    assert seen[-1] == (len(BIG), len(BIG))
    gc.convert(out, byte_order="little")
    assert out.read_bytes() == LITTLE
    with gc.open(model) as opened, pytest.raises(gc.WriteError):
        gc.convert(opened, out, byte_order="big")
    with gc.open(model) as opened:
        opened.metadata["general.name"] = "edited"
        gc.convert(opened, out, byte_order="big", overwrite=True)
    with gc.open(out) as opened:
        assert (opened.byte_order, opened.metadata["general.name"]) == ("big", "edited")


# ---- interrupted -----------------------------------------------------------------------------


def _large_model(path: Path) -> bytes:
    """Some 48 MB, so that there is time to interrupt; zeros that are really written."""
    blocks = b"\1\2" + bytes(range(16))
    dims = (32 * 64, 40960)
    data = blocks * (dims[0] * dims[1] // 32)
    built = b.build(b.Model(tensors=(b.Tensor(b"w", dims, 2, data),)))
    path.write_bytes(built.data)
    return built.data


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs POSIX signals")
@pytest.mark.parametrize("number", [signal.SIGINT, getattr(signal, "SIGKILL", 9)])
@pytest.mark.parametrize("in_place", [False, True])
def test_interrupted(number: int, in_place: bool, tmp_path: Path) -> None:
    source, out = tmp_path / "source.gguf", tmp_path / "out.gguf"
    data = _large_model(source)
    where = ["-i"] if in_place else ["-o", str(out)]
    # What runs in the background may have SIGINT ignored, and children inherit that.
    code = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from gguf_construct.cli.main import main; main()\n"
    )
    command = [sys.executable, "-c", code, "convert", str(source)]
    child = subprocess.Popen(
        [*command, "--endian", "big", *where],
        stderr=subprocess.DEVNULL,
        cwd=Path(__file__).resolve().parents[2],
    )
    # The private file appears beside the target: then writing has begun.
    while len(list(tmp_path.iterdir())) < 2 and child.poll() is None:
        time.sleep(0.0005)
    os.kill(child.pid, number)
    ended = child.wait()
    if ended == 0:
        pytest.skip("it was done before the signal came")
    assert ended == (130 if number == signal.SIGINT else -number)
    assert source.read_bytes() == data
    assert not out.exists()
    if number == signal.SIGINT:
        assert [path.name for path in tmp_path.iterdir()] == ["source.gguf"]


# ---- real files ------------------------------------------------------------------------------


def _tiny() -> list[Path]:
    folder = shared_path()
    return sorted((folder / "fixtures" / "tiny").glob("*.gguf")) if folder else []


@needs_shared
@needs_llama
@pytest.mark.engine
@pytest.mark.slow
def test_tiny_models_come_back_and_still_load(tmp_path: Path) -> None:
    backs = []
    for path in _tiny():
        big, back = tmp_path / f"{path.stem}-be.gguf", tmp_path / path.name
        assert run(["convert", str(path), "--endian", "big", "-o", str(big), "-q"]) == 0
        assert run(["convert", str(big), "--endian", "little", "-o", str(back), "-q"]) == 0
        assert back.read_bytes() == path.read_bytes()
        if "imatrix" not in path.name:
            backs.append(back)
    assert len(backs) > 30
    for path, found in zip(backs, inspect_many(backs, facts=False), strict=True):
        assert found.ok, f"{path.name}: {found.message}"
