"""Write the sample model: ``python -m tools.samples OUT``.

A real llama of two layers and 124 KiB, made of integers from a fixed seed, so its bytes are the
same everywhere.  It is not trained, yet it speaks: a token's embedding is a random sign vector,
and the output row of the token that shall follow is that same vector; attention and feed-forward
weights are too small to disturb this.  So damage to these tensors shows as a garbled sentence.

Like many published models it names the wrong end of text: it closes its turn with ``<|im_end|>``,
but its EOS id is that of ``</s>``.  (llama.cpp knows ``<|im_end|>`` by name and stops; an EOS id
set to a word of the sentence makes it stop there, which shows that it reads the id.)
"""

from __future__ import annotations

import random
import struct
import sys
from itertools import pairwise
from pathlib import Path

WIDTH, HEADS, KV_HEADS, LAYERS, FEED_FORWARD = 64, 4, 2, 2, 128
SENTENCE = "Hello from a very small model"
CHAT_TEMPLATE = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n'"
    " + message['content'] + '<|im_end|>' + '\\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
)
NORMAL, UNKNOWN, CONTROL, BYTE = 1, 2, 3, 6
UINT32, INT32, FLOAT32, BOOL, STRING, ARRAY = 4, 5, 6, 7, 8, 9
F32, F16, Q4_0, Q8_0 = 0, 1, 2, 8
ALIGNMENT = 32

Tokens = list[tuple[str, int]]
Tensor = tuple[str, tuple[int, ...], int, bytes]


def _tokens() -> Tokens:
    """Text and kind of each token.  Each word comes with all its prefixes: the tokenizer joins
    neighbours only to what the vocabulary holds."""
    tokens: Tokens = [("<unk>", UNKNOWN), ("<s>", CONTROL), ("</s>", CONTROL)]
    tokens += [("<|im_start|>", CONTROL), ("<|im_end|>", CONTROL)]
    tokens += [(f"<0x{byte:02X}>", BYTE) for byte in range(256)]
    pieces = dict.fromkeys("▁.,!?abcdefghijklmnopqrstuvwxyzH")
    for word in SENTENCE.split():
        pieces.update(dict.fromkeys(f"▁{word[:end]}" for end in range(1, len(word) + 1)))
    return tokens + [(piece, NORMAL) for piece in pieces]


def _followers(tokens: Tokens) -> dict[int, int]:
    """Which token follows which: the sentence, after a line's end, and then the end of the turn."""
    ids = {text: number for number, (text, _) in enumerate(tokens)}
    chain = ["<0x0A>", *(f"▁{word}" for word in SENTENCE.split()), ".", "<|im_end|>", "<0x0A>"]
    numbers = [ids[text] for text in chain]
    return dict(pairwise(numbers))


# ---- tensor data: integers only, so that every machine writes the same bytes -----------------


def _q8_0(rows: list[list[int]], exponent: int) -> bytes:
    scale = struct.pack("<e", 2.0**exponent)
    flat = [number for row in rows for number in row]
    return b"".join(
        scale + struct.pack("<32b", *flat[start : start + 32]) for start in range(0, len(flat), 32)
    )


def _q4_0(blocks: int, exponent: int, chance: random.Random) -> bytes:
    scale = struct.pack("<e", 2.0**exponent)
    return b"".join(scale + chance.randbytes(16) for _ in range(blocks))


def _f16(rows: list[list[int]], exponent: int) -> bytes:
    flat = [number * 2.0**exponent for row in rows for number in row]
    return struct.pack(f"<{len(flat)}e", *flat)


def _noise(count: int, width: int, chance: random.Random) -> list[list[int]]:
    return [[chance.randrange(-15, 16) for _ in range(width)] for _ in range(count)]


def _signs(chance: random.Random) -> list[int]:
    bits = chance.getrandbits(WIDTH)
    return [1 if bits >> i & 1 else -1 for i in range(WIDTH)]


def _layer(number: int, chance: random.Random) -> list[Tensor]:
    ones = struct.pack(f"<{WIDTH}f", *[1.0] * WIDTH)
    kv_width = WIDTH // HEADS * KV_HEADS
    noise = _noise(WIDTH, WIDTH, chance)
    layer: list[Tensor] = [
        ("attn_norm", (WIDTH,), F32, ones),
        ("attn_q", (WIDTH, WIDTH), Q8_0, _q8_0(noise, -12)),
        ("attn_k", (WIDTH, kv_width), Q8_0, _q8_0(_noise(kv_width, WIDTH, chance), -12)),
        ("attn_v", (WIDTH, kv_width), F16, _f16(_noise(kv_width, WIDTH, chance), -12)),
        ("attn_output", (WIDTH, WIDTH), Q4_0, _q4_0(WIDTH * WIDTH // 32, -11, chance)),
        ("ffn_norm", (WIDTH,), F32, ones),
    ]
    for name, dims in {
        "ffn_gate": (WIDTH, FEED_FORWARD),
        "ffn_up": (WIDTH, FEED_FORWARD),
        "ffn_down": (FEED_FORWARD, WIDTH),
    }.items():
        layer.append((name, dims, Q4_0, _q4_0(dims[0] * dims[1] // 32, -11, chance)))
    return [(f"blk.{number}.{name}.weight", *rest) for name, *rest in layer]  # type: ignore[misc]


def _tensors(tokens: Tokens) -> list[Tensor]:
    chance = random.Random(2023)
    embedding = [_signs(chance) for _ in tokens]
    before = {after: token for token, after in _followers(tokens).items()}
    # A row of zeros scores nothing: only the tokens of the sentence are ever said.
    output = [embedding[before[i]] if i in before else [0] * WIDTH for i in range(len(tokens))]
    dims = (WIDTH, len(tokens))
    scaled = [[sign * 64 for sign in row] for row in embedding]
    ones = struct.pack(f"<{WIDTH}f", *[1.0] * WIDTH)
    tensors: list[Tensor] = [
        ("token_embd.weight", dims, Q8_0, _q8_0(scaled, -6)),
        ("output_norm.weight", (WIDTH,), F32, ones),
        ("output.weight", dims, F16, _f16(output, 0)),
    ]
    return tensors + [tensor for i in range(LAYERS) for tensor in _layer(i, chance)]


# ---- the file ---------------------------------------------------------------------------------


def _string(text: str) -> bytes:
    data = text.encode()
    return struct.pack("<Q", len(data)) + data


def _pair(key: str, kind: int, value: bytes) -> bytes:
    return _string(key) + struct.pack("<I", kind) + value


def _list(key: str, kind: int, items: list[bytes]) -> bytes:
    return _pair(key, ARRAY, struct.pack("<IQ", kind, len(items)) + b"".join(items))


def _metadata(tokens: Tokens) -> list[bytes]:
    texts = {
        "general.architecture": "llama",
        "general.type": "model",
        "general.name": "Sample llama that says hello",
        "general.license": "CC0-1.0",
        "tokenizer.ggml.model": "llama",
        "tokenizer.ggml.pre": "default",
        "tokenizer.chat_template": CHAT_TEMPLATE,
    }
    numbers = {
        "general.file_type": 7,  # mostly Q8_0
        "general.quantization_version": 2,
        "llama.block_count": LAYERS,
        "llama.context_length": 256,
        "llama.embedding_length": WIDTH,
        "llama.feed_forward_length": FEED_FORWARD,
        "llama.attention.head_count": HEADS,
        "llama.attention.head_count_kv": KV_HEADS,
        "llama.rope.dimension_count": WIDTH // HEADS,
        "llama.vocab_size": len(tokens),
        "tokenizer.ggml.bos_token_id": 1,
        "tokenizer.ggml.eos_token_id": 2,
        "tokenizer.ggml.unknown_token_id": 0,
    }
    floats = {"llama.attention.layer_norm_rms_epsilon": 1e-5, "llama.rope.freq_base": 10000.0}
    flags = {"tokenizer.ggml.add_bos_token": True, "tokenizer.ggml.add_eos_token": False}
    # Longer pieces first: the score decides which neighbours are joined.
    scores = [float(len(text)) if kind == NORMAL else 0.0 for text, kind in tokens]
    return [
        *(_pair(key, STRING, _string(text)) for key, text in texts.items()),
        *(_pair(key, UINT32, struct.pack("<I", number)) for key, number in numbers.items()),
        *(_pair(key, FLOAT32, struct.pack("<f", number)) for key, number in floats.items()),
        *(_pair(key, BOOL, struct.pack("<?", flag)) for key, flag in flags.items()),
        _list("general.tags", STRING, [_string("sample"), _string("text-generation")]),
        _list("tokenizer.ggml.tokens", STRING, [_string(text) for text, _ in tokens]),
        _list("tokenizer.ggml.scores", FLOAT32, [struct.pack("<f", score) for score in scores]),
        _list("tokenizer.ggml.token_type", INT32, [struct.pack("<i", kind) for _, kind in tokens]),
    ]


def _aligned(data: bytes) -> bytes:
    return data + bytes(-len(data) % ALIGNMENT)


def sample_model() -> bytes:
    """The sample model: little-endian GGUF version 3; always the same bytes."""
    tokens = _tokens()
    metadata, tensors = _metadata(tokens), _tensors(tokens)
    header = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(metadata)) + b"".join(metadata)
    section = b""
    for name, dims, kind, data in tensors:
        header += _string(name) + struct.pack(f"<I{len(dims)}Q", len(dims), *dims)
        header += struct.pack("<IQ", kind, len(section))
        section += _aligned(data)
    return _aligned(header) + section


def main(arguments: list[str]) -> int:
    """Write the sample model to the path given."""
    if len(arguments) != 1:
        print("usage: python -m tools.samples OUT", file=sys.stderr)
        return 2
    Path(arguments[0]).write_bytes(sample_model())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
