"""Files that people hand to GGUF tools and that are something else."""

from __future__ import annotations

import gzip
import io
import json
import lzma
import struct
import tarfile
import zipfile
from typing import NamedTuple

from .builders import build
from .cases_valid import base


class NotGGUF(NamedTuple):
    """`words`: one of them must be in what the user is told (compared in lower case)."""

    name: str
    data: bytes
    words: tuple[str, ...]


LFS_POINTER = (
    b"version https://git-lfs.github.com/spec/v1\n"
    b"oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\n"
    b"size 253113024\n"
)


def _safetensors() -> bytes:
    header = {"weight": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + bytes(8)


def _zip(*names: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name in names:
            archive.writestr(zipfile.ZipInfo(name), b"\x80\x02}q\x00.")
    return out.getvalue()


def _tar() -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        info = tarfile.TarInfo("model.gguf")
        info.size = 4
        archive.addfile(info, io.BytesIO(b"GGUF"))
    return out.getvalue()


def _legacy(magic: int, version: int | None) -> bytes:
    # hparams of a llama file of 2023: vocabulary, width, mult, heads, layers, rot, type.
    words = [magic, *([version] if version is not None else []), 32000, 4096, 256, 32, 32, 128, 2]
    return struct.pack(f"<{len(words)}I", *words) + bytes(64)


def _npy() -> bytes:
    header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }".ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + bytes(8)


def _samples() -> tuple[NotGGUF, ...]:
    gguf = build(base()).data
    html = b"<!DOCTYPE html>\n<html><head><title>404</title></head><body>Not found</body></html>"
    api_error = b'{"error":"Repository not found"}'
    ggml = ("ggml", "legacy")
    elf = b"\x7fELF\x02\x01\x01" + bytes(57)
    onnx = b"\x08\x07\x12\x07pytorch\x1a\x032.0:\x10\n\x04\n\x01x\x12\x01y" + bytes(32)
    return (
        NotGGUF("git-lfs", LFS_POINTER, ("lfs",)),
        NotGGUF("html", html, ("html",)),
        NotGGUF("html-lower-case", b"\n  <html lang=en><p>Sign in</p></html>", ("html",)),
        NotGGUF("xml", b"<?xml version='1.0'?><Error><Code>AccessDenied</Code></Error>", ("xml",)),
        NotGGUF("json", api_error, ("json",)),
        NotGGUF("json-list", b'[{"error": "Entry not found"}]', ("json",)),
        NotGGUF("json-spaced", b'\n{\n  "error": "x"\n}\n', ("json",)),
        NotGGUF("text", b"Entry not found", ("text",)),
        NotGGUF("text-utf16", "GGUF model".encode("utf-16"), ("utf-16", "text")),
        NotGGUF("text-utf8-bom", b"\xef\xbb\xbfhello, this is text", ("text",)),
        NotGGUF("safetensors", _safetensors(), ("safetensors",)),
        NotGGUF("zip", _zip("readme.txt"), ("zip",)),
        NotGGUF("pytorch", _zip("archive/data.pkl", "archive/data/0"), ("pytorch", "pickle")),
        NotGGUF("pickle", b"\x80\x02}q\x00X\x01\x00\x00\x00aq\x01K\x01s.", ("pickle", "pytorch")),
        NotGGUF("gzip", gzip.compress(gguf, mtime=0), ("gzip",)),
        NotGGUF("xz", lzma.compress(gguf), ("xz",)),
        NotGGUF("zstd", b"\x28\xb5\x2f\xfd\x24\x00\x01\x00\x00" + bytes(8), ("zstd", "zstandard")),
        NotGGUF("bzip2", b"BZh91AY&SY" + bytes(16), ("bzip2",)),
        NotGGUF("7z", b"7z\xbc\xaf\x27\x1c\x00\x04" + bytes(24), ("7z", "7-zip")),
        NotGGUF("rar", b"Rar!\x1a\x07\x01\x00" + bytes(16), ("rar",)),
        NotGGUF("tar", _tar(), ("tar",)),
        NotGGUF("npy", _npy(), ("numpy", "npy")),
        NotGGUF("hdf5", b"\x89HDF\r\n\x1a\n" + bytes(40), ("hdf5",)),
        NotGGUF("elf", elf, ("elf", "program", "executable")),
        NotGGUF("onnx", onnx, ("onnx", "no gguf", "not gguf")),
        # ggml (no version), ggmf v1, ggjt v1 to v3, ggla: numbers, so both spellings occur.
        NotGGUF("legacy-ggml", _legacy(0x67676D6C, None), ggml),
        NotGGUF("legacy-ggml-reversed", b"ggml" + _legacy(0, None)[4:], ggml),
        NotGGUF("legacy-ggmf", _legacy(0x67676D66, 1), ("ggmf", "legacy")),
        NotGGUF("legacy-ggmf-reversed", b"ggmf" + _legacy(0, 1)[4:], ("ggmf", "legacy")),
        NotGGUF("legacy-ggjt", _legacy(0x67676A74, 3), ("ggjt", "legacy")),
        NotGGUF("legacy-ggjt-reversed", b"ggjt" + _legacy(0, 3)[4:], ("ggjt", "legacy")),
        NotGGUF("legacy-ggla", _legacy(0x67676C61, 1), ("ggla", "legacy", "lora")),
        NotGGUF("magic-reversed", b"FUGG" + gguf[4:], ("reversed", "byte order", "fugg")),
        NotGGUF("magic-lower", b"gguf" + gguf[4:], ("gguf",)),
        NotGGUF("magic-one-off", b"GGUE" + gguf[4:], ("gguf",)),
        NotGGUF("second-part", gguf[len(gguf) // 2 :], ("part", "gguf")),
        NotGGUF("shifted", b"\0" + gguf, ("gguf",)),
        NotGGUF("bom-before", b"\xef\xbb\xbf" + gguf, ("gguf",)),
        NotGGUF("empty", b"", ("empty", "0 bytes", "no bytes")),
        NotGGUF("one-byte", b"G", ("gguf", "1 byte", "short", "left")),
        NotGGUF("three-bytes", b"GGU", ("gguf", "3 bytes", "short", "left")),
        NotGGUF("zeros", bytes(4096), ("zero",)),
        NotGGUF("ones", b"\xff" * 4096, ("gguf",)),
        NotGGUF("noise", bytes((i * 151 + 17) % 256 for i in range(1024)), ("gguf",)),
    )


NOT_GGUF: tuple[NotGGUF, ...] = _samples()
