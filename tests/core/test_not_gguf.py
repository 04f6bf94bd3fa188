"""What a file is that is no GGUF file: kinds, places, boundaries."""

from __future__ import annotations

import struct

import pytest

from gguf_construct.core.not_gguf import JOIN_HINT, advise_joining, is_piece_name, not_gguf
from gguf_construct.errors import ParseError
from tests.support.not_gguf import NOT_GGUF, NotGGUF


@pytest.mark.parametrize("sample", NOT_GGUF, ids=lambda sample: sample.name)
def test_every_sample_has_a_kind_and_advice(sample: NotGGUF) -> None:
    error = not_gguf(sample.data)
    assert (error.offset, error.path) == (0, "magic")
    assert error.kind
    assert error.hint


KINDS = [
    (b"", "empty"),
    (b"GGU", "cut"),
    (b"FUGG", "reversed"),
    (b"GGUE", "text"),
    (b"<!DOCTYPE html>", "html"),
    (b"\xef\xbb\xbf \n<HTML>", "html"),
    (b"x<html>", "text"),
    (b" BZh9", "text"),
    (bytes(257) + b"ustar", "tar"),
    (bytes(256) + b"ustar", "unknown"),
    (b"abcdTFL3", "tflite"),
    (bytes(4096), "zeros"),
    (bytes(4), "zeros"),
    (b"lmgg" + struct.pack("<6I", 51865, 1500, 1024, 16, 24, 448), "whisper"),
    (b"lmgg" + struct.pack("<6I", 32000, 1500, 1024, 16, 24, 448), "ggml"),
    (b"\0GGUF", "prefixed"),
    (b" {", "cut"),
    (b"  {}", "json"),
    (b"\n[1]", "json"),
    (b"text\n\t", "text"),
    (b"text\x1b", "unknown"),
    ("text é".encode()[:-1], "text"),
    (b"text\xff\xff", "unknown"),
]


@pytest.mark.parametrize(("data", "kind"), KINDS)
def test_kinds(data: bytes, kind: str) -> None:
    assert not_gguf(data).kind == kind


@pytest.mark.parametrize(
    ("length", "extra", "kind"),
    [
        (2, 2, "safetensors"),
        (2, 1, "unknown"),
        (1, 9, "unknown"),
        (9, 9, "safetensors"),
        (10, 9, "unknown"),
    ],
)
def test_safetensors_need_room_for_their_header(length: int, extra: int, kind: str) -> None:
    data = struct.pack("<Q", length) + (b"{" + b"}" * 20)[:extra]
    assert not_gguf(data).kind == kind
    assert not_gguf(struct.pack("<Q", 9) + b"[" * 9).kind == "unknown"


def test_the_place_of_the_magic_is_told() -> None:
    error = not_gguf(b"x" * 100 + b"\0GGUF")
    assert "occurs at byte 101" in str(error)
    assert "cut off the first 101 bytes" in str(error.hint)
    assert not_gguf(b"\0" + b"x" * 4095 + b"GGUF").kind == "unknown"
    assert "it starts with 00 78 78 78, not with 47 47 55 46" in str(not_gguf(b"\0xxx\1"))


@pytest.mark.parametrize(
    ("name", "is_piece"),
    [
        ("m.gguf.part1of2", True),
        ("m.gguf-part-1of2", True),
        ("m.gguf.PART_3", True),
        ("m.gguf.part-aa", True),
        ("m.gguf-split-a", True),
        ("m.gguf.001", True),
        ("m.gguf.101", False),
        ("m.gguf.part", False),
        ("m.gguf.partabc", False),
        ("m-00001-of-00002.gguf", False),
        ("m.gguf", False),
        ("part1of2", False),
    ],
)
def test_pieces_have_names(name: str, is_piece: bool) -> None:
    assert is_piece_name(name) is is_piece
    error = ParseError("x", hint="before")
    advise_joining(error, name)
    assert error.hint == (JOIN_HINT if is_piece else "before")
