"""get: raw values that pipe cleanly, and valid JSON whatever the value."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from gguf_construct.cli.main import run
from tests.support import builders as b
from tests.support.files import write_vocabulary_model

if TYPE_CHECKING:
    from pathlib import Path

Captured = pytest.CaptureFixture[bytes]


def test_a_string_is_printed_byte_for_byte(tmp_path: Path, capfdbinary: Captured) -> None:
    text = b"{% x %}\r\n\0\xff\n\n"
    path = write_vocabulary_model(tmp_path, b.Pair(b"x.text", b.Value(b.STRING, text)))
    assert run(["get", str(path), "x.text"]) == 0
    assert capfdbinary.readouterr().out == text


RAW = [
    (b.Value(b.UINT64, 2**64 - 1), "18446744073709551615", 2**64 - 1),
    (b.Value(b.INT8, -128), "-128", -128),
    (b.Value(b.BOOL, 2), "true", True),
    (b.Value(b.FLOAT32, b.f32_bits(0.5)), "0.5", 0.5),
    (b.Value(b.FLOAT32, 0x7FC00001), "nan", "NaN"),
    (b.Value(b.FLOAT64, b.f64_bits(float("-inf"))), "-inf", "-Infinity"),
]


@pytest.mark.parametrize(("value", "raw", "in_json"), RAW)
def test_scalars(
    value: b.Value, raw: str, in_json: object, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = write_vocabulary_model(tmp_path, b.Pair(b"x.value", value))
    assert run(["get", str(path), "x.value"]) == 0
    assert capfd.readouterr().out == raw + "\n"
    assert run(["get", str(path), "x.value", "--json"]) == 0
    shown = json.loads(capfd.readouterr().out)
    assert shown["value"] == in_json
    assert (shown["schema"], shown["key"]) == (1, "x.value")


def test_arrays_are_json_with_base64_for_bad_bytes(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = write_vocabulary_model(tmp_path)
    assert run(["get", str(path), "tokenizer.ggml.tokens"]) == 0
    tokens = json.loads(capfd.readouterr().out)
    assert tokens == ["<unk>", "<s>", "</s>", "hello", {"base64": "//4="}]


def test_an_unknown_key_suggests_others(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = write_vocabulary_model(tmp_path)
    assert run(["get", str(path), "general.nam"]) == 2
    assert "general.name" in capfd.readouterr().err


def test_a_repeated_key_must_be_chosen(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    twice = [b.Pair(b"x.twice", b.Value(b.UINT8, n)) for n in (1, 2)]
    path = write_vocabulary_model(tmp_path, *twice)
    assert run(["get", str(path), "x.twice"]) == 2
    assert "2 times" in capfd.readouterr().err
    for number in (0, 1):
        assert run(["get", str(path), "x.twice", "--occurrence", str(number)]) == 0
        assert capfd.readouterr().out == f"{number + 1}\n"
    assert run(["get", str(path), "x.twice", "--occurrence", "2"]) == 2


def test_a_missing_file(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["get", str(tmp_path / "none.gguf"), "x"]) == 4
    assert "No such file" in capfd.readouterr().err
