"""Say what a file is that is not GGUF, or only a piece of one, and what to do about it.

Source of the signatures: the public descriptions of each format; of the names of pieces: what
download mirrors, hf-splitters, `split` and 7-Zip write.
"""

from __future__ import annotations

import re
from codecs import getincrementaldecoder
from typing import TYPE_CHECKING, NamedTuple

from .._generated.types import MAGIC
from ..errors import NotGGUFError

if TYPE_CHECKING:
    from ..errors import ParseError
    from ..runtime.views import Buffer

JOIN_HINT = (
    "join the pieces in order (cat m.gguf.part1of2 m.gguf.part2of2 > m.gguf); "
    "these are not shards, which are models of their own"
)
"""What to do with the pieces of a file that was cut by bytes."""

_PIECE_NAME = r"(?i)[.-](part[-_.]?\d+of\d+|part[-_.]?(\d+|[a-z]{1,2})|split-[a-z]{1,2}|0\d\d)$"


def is_piece_name(name: str) -> bool:
    """Whether a file is named like one of the pieces that a larger file was cut into."""
    return re.search(_PIECE_NAME, name) is not None


def advise_joining(error: ParseError, name: str) -> None:
    """Hint at joining, where a file that cannot be read is named like a piece."""
    if is_piece_name(name):
        error.hint = JOIN_HINT


class _Signature(NamedTuple):
    """Bytes at an offset that give a format away."""

    kind: str
    data: bytes
    what: str
    hint: str
    offset: int = 0


_DOWNLOAD = "download the model file itself"
_CONVERT = "convert the model to GGUF with llama.cpp's conversion script"
_UNPACK = "unpack it first"

_SIGNATURES = (
    _Signature("git-lfs", b"version https://git-lfs", "a git-lfs pointer, not the file itself",
               "run `git lfs pull` in the repository, or download the file itself"),
    _Signature("xet", b"version https://xet", "a xet pointer, not the file itself",
               "download the file itself"),
    _Signature("html", b"<!doctype html", "an HTML page, probably an error or log-in", _DOWNLOAD),
    _Signature("html", b"<html", "an HTML page, probably an error or log-in", _DOWNLOAD),
    _Signature("xml", b"<?xml", "an XML document, probably an error message", _DOWNLOAD),
    _Signature("ggml", b"lmgg", "a legacy GGML file (2023, before GGUF)", _CONVERT),
    _Signature("ggml", b"ggml", "a legacy GGML file (2023, before GGUF)", _CONVERT),
    _Signature("ggmf", b"fmgg", "a legacy GGMF file (2023, before GGUF)", _CONVERT),
    _Signature("ggmf", b"ggmf", "a legacy GGMF file (2023, before GGUF)", _CONVERT),
    _Signature("ggjt", b"tjgg", "a legacy GGJT file (2023, before GGUF)", _CONVERT),
    _Signature("ggjt", b"ggjt", "a legacy GGJT file (2023, before GGUF)", _CONVERT),
    _Signature("ggla", b"algg", "a legacy GGLA adapter (2023, before GGUF)", _CONVERT),
    _Signature("ggla", b"ggla", "a legacy GGLA adapter (2023, before GGUF)", _CONVERT),
    _Signature("ggsn", b"nsgg", "a llama.cpp session (a saved prompt, no model)", _DOWNLOAD),
    _Signature("ggsn", b"ggsn", "a llama.cpp session (a saved prompt, no model)", _DOWNLOAD),
    _Signature("zip", b"PK\x03\x04", "a zip archive; PyTorch checkpoints (.bin, .pt) are too",
               f"{_UNPACK}, or {_CONVERT}"),
    _Signature("zip", b"PK\x05\x06", "an empty zip archive", _DOWNLOAD),
    _Signature("gzip", b"\x1f\x8b", "a gzip file", _UNPACK),
    _Signature("xz", b"\xfd7zXZ\0", "an xz file", _UNPACK),
    _Signature("zstd", b"\x28\xb5\x2f\xfd", "a zstd file", _UNPACK),
    _Signature("bzip2", b"BZh", "a bzip2 file", _UNPACK),
    _Signature("7z", b"7z\xbc\xaf\x27\x1c", "a 7z archive", _UNPACK),
    _Signature("rar", b"Rar!\x1a\x07", "a RAR archive", _UNPACK),
    _Signature("lz4", b"\x04\x22\x4d\x18", "an lz4 file", _UNPACK),
    _Signature("tar", b"ustar", "a tar archive", _UNPACK, 257),
    _Signature("hdf5", b"\x89HDF\r\n\x1a\n", "an HDF5 file (Keras)", _CONVERT),
    _Signature("npy", b"\x93NUMPY", "a numpy array", _CONVERT),
    _Signature("pickle", b"\x80\x02", "a Python pickle (PyTorch)", _CONVERT),
    _Signature("pickle", b"\x80\x04", "a Python pickle (PyTorch)", _CONVERT),
    _Signature("pickle", b"\x80\x03", "a Python pickle (PyTorch)", _CONVERT),
    _Signature("pickle", b"\x80\x05", "a Python pickle (PyTorch)", _CONVERT),
    _Signature("tflite", b"TFL3", "a TensorFlow Lite model", _CONVERT, 4),
    _Signature("executable", b"\x7fELF", "a Linux program or library", _DOWNLOAD),
    _Signature("executable", b"MZ", "a Windows program (a llamafile, perhaps)", _DOWNLOAD),
    _Signature("executable", b"\xcf\xfa\xed\xfe", "a macOS program or library", _DOWNLOAD),
    _Signature("pdf", b"%PDF", "a PDF document", _DOWNLOAD),
    _Signature("png", b"\x89PNG", "a PNG image", _DOWNLOAD),
    _Signature("sqlite", b"SQLite format 3\0", "an SQLite database", _DOWNLOAD),
    _Signature("utf-16", b"\xff\xfe", "UTF-16 text", _DOWNLOAD),
    _Signature("utf-16", b"\xfe\xff", "UTF-16 text", _DOWNLOAD),
)  # fmt: skip

_LOOK_NBYTES = 4096
_ASCII_SPACE = b" \t\r\n"


def not_gguf(buffer: Buffer) -> NotGGUFError:
    """The error for a buffer that does not start with the magic."""
    kind, what, hint = _identify(bytes(buffer[:_LOOK_NBYTES]), len(buffer))
    return NotGGUFError(f"this is {what}", offset=0, path="magic", hint=hint, kind=kind)


def _identify(head: bytes, size: int) -> tuple[str, str, str]:
    if not size:
        return "empty", "an empty file", "download it again"
    if size < len(MAGIC):
        return "cut", f"a file of only {size} bytes", "download it again"
    if head.startswith(MAGIC[::-1]):
        return (
            "reversed",
            "a file with the GGUF magic reversed",
            ("every 4 bytes were swapped on the way; convert the model again"),
        )
    if head.startswith(b"lmgg") and _is_whisper(head):
        return (
            "whisper",
            "a model in whisper.cpp's own ggml format, which is current there",
            ("use it with whisper.cpp as it is"),
        )
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip(_ASCII_SPACE).lower()
    for one in _SIGNATURES:
        at = one.offset
        is_markup = one.data.startswith(b"<")
        if head[at : at + len(one.data)] == one.data or (is_markup and text.startswith(one.data)):
            return one.kind, one.what, one.hint
    if _is_safetensors(head, size):
        return "safetensors", "a safetensors file", _CONVERT
    if not any(head):
        return (
            "zeros",
            "a file that starts with zeros",
            ("space was reserved for the download but it never finished; download it again"),
        )
    at = head.find(MAGIC)
    if at > 0:
        return (
            "prefixed",
            f"no GGUF file from the start, but {MAGIC.decode()} occurs at byte {at}",
            (f"cut off the first {at} bytes, which come before the model"),
        )
    return _text_or_unknown(head, text)


def _text_or_unknown(head: bytes, text: bytes) -> tuple[str, str, str]:
    if text[:1] in (b"{", b"["):
        return "json", "JSON text, probably an error message or a config file", _DOWNLOAD
    if _is_utf8(head) and all(byte >= 0x20 or byte in _ASCII_SPACE for byte in head):
        return "text", "a text file", _DOWNLOAD
    shown = head[: len(MAGIC)].hex(" ")
    return (
        "unknown",
        f"no GGUF file: it starts with {shown}, not with {MAGIC.hex(' ')} (GGUF)",
        ("the later parts of a split download start like this too; join them with the first"),
    )


def _is_whisper(head: bytes) -> bool:
    # Numbers after the magic: tokens, audio context, width, heads, layers, text context.
    numbers = [int.from_bytes(head[at : at + 4], "little") for at in range(4, 28, 4)]
    return numbers[0] in _WHISPER_TOKENS and numbers[1] == 1500 and numbers[5] == 448


_WHISPER_TOKENS = range(51864, 51867)


def _is_utf8(head: bytes) -> bool:
    # The incremental decoder forgives a character that is cut at the end.
    try:
        getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return False
    return True


def _is_safetensors(head: bytes, size: int) -> bool:
    # An 8-byte little-endian length, then JSON of that length.
    length = int.from_bytes(head[:8], "little")
    return head[8:9] == b"{" and 2 <= length <= size - 8
