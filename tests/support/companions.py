"""Files beside a model, each sound: an adapter, an importance matrix, a control vector, projectors.

What is said of them by llama.cpp itself stands in tests/validation/test_companions.py.
"""

from __future__ import annotations

import struct
from dataclasses import replace
from typing import TYPE_CHECKING

from . import builders as b
from .builders import Model, Pair, Tensor, Value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

WIDTH, FEED, RANK, PATCH = 64, 96, 8, 14
_ONE = struct.pack("<I", 0x3F800000)


def floats(name: str, *dims: int) -> Tensor:
    """A tensor of F32 ones."""
    count = 1
    for dim in dims:
        count *= dim
    return Tensor(name.encode(), dims, 0, _ONE * count)


def change(model: Model, changes: Mapping[str, Value | None]) -> Model:
    """The model with keys set, added at the end, or (None) removed."""
    found = {pair.key.decode(): pair.value for pair in model.pairs if isinstance(pair.key, bytes)}
    wanted = {**found, **changes}
    return replace(
        model,
        pairs=tuple(
            Pair(key.encode(), value) for key, value in wanted.items() if value is not None
        ),
    )


def swap(model: Model, name: str, *others: Tensor) -> Model:
    """The model with other tensors in the place of one."""
    tensors: list[Tensor] = []
    for tensor in model.tensors:
        tensors += others if tensor.name == name.encode() else [tensor]
    return replace(model, tensors=tuple(tensors))


def _pairs(values: Mapping[str, Value]) -> tuple[Pair, ...]:
    return tuple(Pair(key.encode(), value) for key, value in values.items())


def adapter() -> Model:
    """A LoRA adapter for the query weights of one block of a llama."""
    keys = {
        "general.architecture": b.text("llama"),
        "general.type": b.text("adapter"),
        "adapter.type": b.text("lora"),
        "adapter.lora.alpha": b.f32(16.0),
    }
    halves = (
        floats("blk.0.attn_q.weight.lora_a", WIDTH, RANK),
        floats("blk.0.attn_q.weight.lora_b", RANK, WIDTH),
    )
    return Model(_pairs(keys), halves)


def imatrix() -> Model:
    """An importance matrix for one weight."""
    keys = {
        "general.type": b.text("imatrix"),
        "imatrix.datasets": b.array(b.STRING, b"wiki.txt"),
        "imatrix.chunk_count": b.u32(1),
        "imatrix.chunk_size": b.u32(512),
    }
    name = "blk.0.attn_q.weight"
    return Model(_pairs(keys), (floats(f"{name}.in_sum2", 64, 1), floats(f"{name}.counts", 1, 1)))


def control_vector() -> Model:
    """Directions for two layers, with the keys that repeng writes."""
    keys = {
        "general.architecture": b.text("controlvector"),
        "controlvector.model_hint": b.text("llama"),
        "controlvector.layer_count": b.u32(2),
    }
    return Model(_pairs(keys), (floats("direction.1", WIDTH), floats("direction.2", WIDTH)))


def projector() -> Model:
    """A projector for pictures as Gemma 3 has it, with one block."""
    keys: dict[str, Value] = {
        "general.architecture": b.text("clip"),
        "general.type": b.text("mmproj"),
        "clip.has_vision_encoder": b.boolean(1),
        "clip.projector_type": b.text("gemma3"),
        "clip.vision.image_mean": b.array(b.FLOAT32, *[0x3F000000] * 3),
        "clip.vision.image_std": b.array(b.FLOAT32, *[0x3F000000] * 3),
        "clip.vision.attention.layer_norm_epsilon": b.f32(1e-6),
        "clip.use_gelu": b.boolean(1),
    }
    numbers = {"projection_dim": WIDTH, "image_size": 4 * PATCH, "patch_size": PATCH}
    numbers |= {"embedding_length": WIDTH, "feed_forward_length": FEED, "block_count": 1}
    numbers["attention.head_count"] = 4
    keys |= {f"clip.vision.{name}": b.u32(number) for name, number in numbers.items()}
    return Model(_pairs(keys), tuple(_tower()))


def _tower() -> Iterator[Tensor]:
    yield floats("v.patch_embd.weight", PATCH, PATCH, 3, WIDTH)
    yield floats("v.patch_embd.bias", WIDTH)
    yield floats("v.position_embd.weight", WIDTH, 16)
    for part in ("q", "k", "v", "out"):
        yield floats(f"v.blk.0.attn_{part}.weight", WIDTH, WIDTH)
    for norm in ("ln1", "ln2"):
        yield floats(f"v.blk.0.{norm}.weight", WIDTH)
        yield floats(f"v.blk.0.{norm}.bias", WIDTH)
    yield floats("v.blk.0.ffn_up.weight", WIDTH, FEED)
    yield floats("v.blk.0.ffn_down.weight", FEED, WIDTH)
    yield floats("v.post_ln.weight", WIDTH)
    yield floats("v.post_ln.bias", WIDTH)
    yield floats("mm.input_projection.weight", WIDTH, WIDTH)
    yield floats("mm.soft_emb_norm.weight", WIDTH)
