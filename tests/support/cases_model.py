"""Whole models that are wrong (or odd): the sample model with one thing changed.

They are real enough for a real llama.cpp: `llama` says whether it loads them, and a test holds
us to that.  What llama.cpp refuses, validation must call an error.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tools.samples import sample_model

from . import builders as b
from .blocks import tensor_nbytes
from .builders import Array, Built, Model, Pair, Tensor, Value, build
from .case_types import BadCase, Ggml
from .seen import read_plainly

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

EOS = b"tokenizer.ggml.eos_token_id"
SCORES, KINDS = b"tokenizer.ggml.scores", b"tokenizer.ggml.token_type"
TOKENS = b"tokenizer.ggml.tokens"


@dataclass(frozen=True)
class ModelCase(BadCase):
    """`llama`: whether llama.cpp loads it.  `key`: the metadata key or tensor that is at fault."""

    llama: Ggml = "refuses"
    key: bytes = b""


def thaw(data: bytes) -> Model:
    """A sound file as builder input, every byte kept."""
    seen, _ = read_plainly(data)
    start = seen.data_start or len(data)
    tensors = []
    for name, dims, type_id, offset in seen.tensors:
        place = start + offset
        blob = data[place : place + tensor_nbytes(type_id, dims)]
        tensors.append(Tensor(name, dims, type_id, blob))
    pairs = tuple(Pair(key, value) for key, value in seen.metadata)
    return Model(pairs, tuple(tensors), seen.version, seen.byte_order)


@functools.cache
def sound() -> Model:
    """The sample model as builder input."""
    model = thaw(sample_model())
    assert build(model).data == sample_model()
    return model


def value_of(key: bytes) -> Value:
    """The sample's value of a key."""
    return next(pair.value for pair in sound().pairs if pair.key == key)


def with_keys(changes: Mapping[bytes, Value | None]) -> Model:
    """The sample with keys set in place, added at the end, or (None) removed."""
    model = sound()
    pairs = []
    for pair in model.pairs:
        key = pair.key if isinstance(pair.key, bytes) else pair.key.data
        value = changes.get(key, pair.value)
        if value is not None:
            pairs.append(Pair(key, value))
    old = {pair.key for pair in model.pairs}
    pairs += [Pair(k, v) for k, v in changes.items() if k not in old and v is not None]
    return replace(model, pairs=tuple(pairs))


def renamed(architecture: bytes) -> Model:
    """The sample under another architecture's name."""
    pairs = []
    for pair in sound().pairs:
        assert isinstance(pair.key, bytes)
        key = pair.key.replace(b"llama.", architecture + b".", 1)
        is_name = key == b"general.architecture"
        pairs.append(Pair(key, b.text(architecture) if is_name else pair.value))
    return replace(sound(), pairs=tuple(pairs))


def with_tensor(which: bytes, **changes: Any) -> Model:
    """The sample with one tensor changed."""
    model = sound()
    tensors = tuple(
        tensor._replace(**changes) if tensor.name == which else tensor for tensor in model.tensors
    )
    return replace(model, tensors=tensors)


def _offsets(built: Built, key: bytes) -> tuple[int, ...]:
    """Where a pair or tensor info begins, and its further fields; the last of that name."""
    found: tuple[int, ...] = ()
    heads = {b"metadata": built.model.pairs, b"tensors": built.model.tensors}
    for kind, items in heads.items():
        for index, item in enumerate(items):
            if item[0] == key:
                head = f"{kind.decode()}[{index}]."
                found = tuple(s.start for s in built.spans if s.path.startswith(head))[:8]
    return found


def _case(
    name: str,
    model: Model,
    key: bytes = b"",
    *,
    llama: Ggml = "refuses",
    ggml: Ggml = "accepts",
    items: tuple[int, ...] = (25,),
) -> ModelCase:
    built = build(model)
    offsets = _offsets(built, key)
    return ModelCase(f"model-{name}", built, "", ggml, items, "finding", offsets, llama, key)


def _set(name: str, key: bytes, value: Value | None, llama: Ggml = "refuses") -> ModelCase:
    return _case(name, with_keys({key: value}), key if value else b"", llama=llama)


def _value_types() -> Iterator[ModelCase]:
    yield _set("count-int32", b"llama.block_count", b.i32(2))
    yield _set("count-uint64", b"llama.embedding_length", b.u64(64))
    yield _set("count-uint16", b"llama.context_length", b.u16(256))
    yield _set("count-float", b"llama.feed_forward_length", b.f32(128.0))
    yield _set("count-string", b"llama.attention.head_count", b.text("4"))
    yield _set("float-double", b"llama.attention.layer_norm_rms_epsilon", b.f64(1e-5))
    yield _set("float-uint32", b"llama.rope.freq_base", b.u32(10000))
    yield _set("bool-uint8", b"tokenizer.ggml.add_bos_token", b.u8(1))
    yield _set("bool-2", b"tokenizer.ggml.add_bos_token", b.boolean(2), "accepts")
    yield _set("template-array", b"tokenizer.chat_template", b.array(b.STRING, b"x"), "accepts")
    yield _set("tokens-string", TOKENS, b.text("tokens"))
    yield _set("tokens-uint8", TOKENS, b.array(b.UINT8, 1, 2, 3))
    yield _set("scores-float64", SCORES, b.array(b.FLOAT64, *([0] * 317)))
    yield _set("eos-int32", EOS, b.i32(2))
    yield _set("name-number", b"general.name", b.u32(7))


def _presence() -> Iterator[ModelCase]:
    yield _set("no-architecture", b"general.architecture", None)
    yield _set("unknown-architecture", b"general.architecture", b.text("no-such-thing"))
    for key in (b"block_count", b"context_length", b"embedding_length", b"attention.head_count"):
        yield _set(f"no-{key.decode().split('.')[-1]}", b"llama." + key, None)
    yield _set("no-epsilon", b"llama.attention.layer_norm_rms_epsilon", None)
    yield _set("no-tokenizer", b"tokenizer.ggml.model", None)
    yield _set("unknown-tokenizer", b"tokenizer.ggml.model", b.text("no-such-tokenizer"))
    yield _set("no-tokens", TOKENS, None)
    yield _set("no-scores", SCORES, None, "accepts")
    yield _set("no-token-types", KINDS, None, "accepts")
    yield _set("no-pre", b"tokenizer.ggml.pre", None, "accepts")
    yield _set("no-eos", EOS, None, "accepts")
    yield _set("no-template", b"tokenizer.chat_template", None, "accepts")
    yield _set("no-quantization-version", b"general.quantization_version", None, "accepts")


def _consistency() -> Iterator[ModelCase]:
    scores, kinds, tokens = (value_of(key).payload.items for key in (SCORES, KINDS, TOKENS))
    short = {
        "scores-short": (SCORES, Array(b.FLOAT32, scores[:-1])),
        "scores-long": (SCORES, Array(b.FLOAT32, (*scores, 0))),
        "scores-empty": (SCORES, Array(b.FLOAT32)),
        "token-types-short": (KINDS, Array(b.INT32, kinds[:-1])),
        "tokens-short": (TOKENS, Array(b.STRING, tokens[:-1])),
        "tokens-long": (TOKENS, Array(b.STRING, (*tokens, b"more"))),
        "tokens-empty": (TOKENS, Array(b.STRING)),
        "tokens-twice": (TOKENS, Array(b.STRING, (*tokens[:-1], tokens[-2]))),
        "token-type-9": (KINDS, Array(b.INT32, (*kinds[:-1], 9))),
    }
    for name, (key, items) in short.items():
        fine = name in ("scores-long", "token-type-9")
        yield _set(name, key, Value(b.ARRAY, items), "accepts" if fine else "refuses")
    # llama.cpp warns of an id outside the vocabulary and takes its own default.
    yield _set("eos-beyond", EOS, b.u32(len(tokens)), "accepts")
    yield _set("eos-huge", EOS, b.u32(2**32 - 1), "accepts")
    yield _set("bos-beyond", b"tokenizer.ggml.bos_token_id", b.u32(len(tokens)), "accepts")
    yield _set("eos-not-control", EOS, b.u32(len(tokens) - 1), "accepts")
    yield _set("vocab-size", b"llama.vocab_size", b.u32(100), "accepts")
    yield _set("heads-uneven", b"llama.attention.head_count", b.u32(5))
    yield _set("heads-0", b"llama.attention.head_count", b.u32(0))
    yield _set("kv-heads-3", b"llama.attention.head_count_kv", b.u32(3))
    two, three = b.array(b.UINT32, 4, 4), b.array(b.UINT32, 4, 4, 4)
    yield _set("heads-per-layer", b"llama.attention.head_count", two, "accepts")
    yield _set("heads-per-layer-3", b"llama.attention.head_count", three)
    yield _set("heads-per-layer-1", b"llama.attention.head_count", b.array(b.UINT32, 4))
    yield _set("blocks-3", b"llama.block_count", b.u32(3))
    yield _set("blocks-1", b"llama.block_count", b.u32(1))
    yield _set("blocks-0", b"llama.block_count", b.u32(0))
    yield _set("width-128", b"llama.embedding_length", b.u32(128))
    yield _set("file-type", b"general.file_type", b.u32(0), "accepts")
    yield _set("file-type-unknown", b"general.file_type", b.u32(999), "accepts")
    yield _set("template-syntax", b"tokenizer.chat_template", b.text("{% if %}"))
    both = {b"tokenizer.ggml.seperator_token_id": b.u32(3)}
    yield _case("separator-misspelt", with_keys(both), *both, llama="accepts")
    both = {b"tokenizer.ggml.separator_token_id": b.u32(3)}
    yield _case("separator-ignored", with_keys(both), *both, llama="accepts")
    split = {b"split.count": b.u16(3), b"split.no": b.u16(0), b"split.tensors.count": b.i32(63)}
    yield _case("split-left-behind", with_keys(split), b"split.count", items=(26,))


def _tensors() -> Iterator[ModelCase]:
    model = sound()
    last = model.tensors[-1]
    end = len(build(model).data)
    pad = -len(last.data) % 32
    yield _case("tensor-missing", replace(model, tensors=model.tensors[:-1]))
    name = b"blk.0.attn_q.weight"
    yield _case("tensor-renamed", with_tensor(name, name=b"blk.0.attn_q.wait"))
    yield _case("tensor-extra", replace(model, tensors=(*model.tensors, _ones(b"extra"))), b"extra")
    norm = b"output_norm.weight"
    yield _case("tensor-shape", with_tensor(norm, dims=(32,), data=bytes(128)), norm)
    nan = bytes.fromhex("0000c07f") * 64
    yield _case("tensor-nan", with_tensor(norm, data=nan), norm, llama="accepts", items=(25,))
    for name_, cut in (("cut-5", pad + 5), ("cut-half", end // 2)):
        yield _cut(f"tensor-{name_}", model, end - cut, "refuses")
    if pad:
        yield _cut("tensor-cut-padding", model, end - pad, "accepts")
    yield _case("tail", replace(model, tail=b"more"), llama="accepts", items=(16,))
    unpadded = replace(model, tensors=(*model.tensors[:-1], last), pad_end=False)
    if pad:
        yield _case("unpadded", unpadded, llama="accepts", items=(16,))
    reverse = replace(model, tensors=model.tensors[::-1])
    yield _case("tensors-in-another-order", reverse, llama="accepts", items=(23,))


def _ones(name: bytes) -> Tensor:
    return Tensor(name, (8,), 0, bytes.fromhex("0000803f") * 8)


def _cut(name: str, model: Model, size: int, llama: Ggml) -> ModelCase:
    built = build(model)
    built = replace(built, data=built.data[:size])
    return ModelCase(f"model-{name}", built, "", "accepts", (16,), "finding", (), llama, b"")


def _layout() -> Iterator[ModelCase]:
    model = sound()
    align = {b"general.alignment": b.u32(64)}
    yield _case("alignment-64", with_keys(align), llama="accepts", items=(7,))
    # Below 32 llama.cpp maps the data and dies of an assertion, unless it happens to lie well.
    for alignment in (8, 16):
        for size in range(0, 32, 4):
            small = with_keys(
                {b"general.alignment": b.u32(alignment), b"my.pad": b.text(b"x" * size)}
            )
            if build(small).data_start % 32 == alignment:
                yield _case(f"alignment-{alignment}", small, b"general.alignment", items=(7,))
                break
    # Laid out for 32, in a header where that makes a difference: the data seem to start later.
    for size in range(0, 64, 32):
        lying = replace(with_keys({**align, b"my.pad": b.text(b"x" * size)}), alignment=32)
        if build(lying).data_start % 64:
            yield _case("alignment-64-lies", lying, b"general.alignment", items=(7,))
    first, second, *rest = model.tensors
    place = -(-len(first.data) // 32) * 32 + 64
    gap = replace(model, tensors=(first, second._replace(place=place), *rest))
    yield _layout_case("gap", gap, b"output_norm.weight")
    same = replace(model, tensors=(first, second._replace(offset=0), *rest))
    yield _layout_case("overlap", same, b"output_norm.weight")
    yield _layout_case("version-1", replace(model, version=1))
    nested = {b"my.nested": b.array(b.ARRAY, Array(b.UINT8, (1,)))}
    yield _layout_case("nested", with_keys(nested), b"my.nested")
    twice = replace(model, pairs=(*model.pairs, Pair(b"general.name", b.text("other"))))
    yield _layout_case("key-twice", twice, b"general.name")
    name = b"n" * 64
    yield _layout_case("name-64", replace(model, tensors=(*model.tensors, _ones(name))), name)
    empty = {b"my.empty": b.array(b.STRING), b"my.bytes": b.text(b"\xff\0\xfe")}
    yield _case("odd-but-fine", with_keys(empty), llama="accepts", items=(3, 5))


def _layout_case(name: str, model: Model, key: bytes = b"") -> ModelCase:
    return _case(name, model, key, ggml="refuses", items=(23,))


MODEL_CASES: tuple[ModelCase, ...] = (
    *_value_types(),
    *_presence(),
    *_consistency(),
    *_tensors(),
    *_layout(),
)
