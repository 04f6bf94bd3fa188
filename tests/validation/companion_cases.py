"""For each rule about companion files one that breaks it, beside the sound one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from tests.support import builders as b
from tests.support import companions as sound
from tests.support.builders import Built, Model, Tensor, build
from tests.support.companions import change, floats, swap

if TYPE_CHECKING:
    from collections.abc import Iterator

A, B = "blk.0.attn_q.weight.lora_a", "blk.0.attn_q.weight.lora_b"
SUMS, COUNTS = "blk.0.attn_q.weight.in_sum2", "blk.0.attn_q.weight.counts"
POSITIONS = "v.position_embd.weight"


class CompanionCase(NamedTuple):
    """A file with one fault, and the code that names it."""

    code: str
    bad: Built
    good: Built
    mark: str = ""
    how: dict[str, Any] = {}  # noqa: RUF012  (never changed)
    profile: str = "llama.cpp"


def _case(code: str, bad: Model, good: Model) -> CompanionCase:
    return CompanionCase(code, build(bad), build(good))


def _typed(name: str, type: int, nbytes: int, *dims: int) -> Tensor:
    return Tensor(name.encode(), dims, type, bytes(nbytes))


def _adapters() -> Iterator[CompanionCase]:
    good = sound.adapter()
    for key in ("general.type", "adapter.type"):
        yield _case("adapter-keys", change(good, {key: b.text("model")}), good)
    own = change(good, {"general.architecture": b.text("lora")})
    yield _case("adapter-architecture", own, good)
    for half in (A, B):
        yield _case("adapter-tensors", swap(good, half), good)
    yield _case("adapter-tensors", swap(good, A, floats("blk.0.attn_q.loraA", 64, 8)), good)
    yield _case("adapter-shape", swap(good, B, floats(B, 4, 64)), good)
    yield _case("adapter-shape", swap(good, A, floats(A, 8, 64)), good)
    yield _case("adapter-tensor-type", swap(good, A, _typed(A, 26, 2048, 64, 8)), good)
    empty = {"adapter.alora.invocation_tokens": b.array(b.UINT32)}
    yield _case("adapter-alora", change(good, empty), good)
    yield _case("adapter-alpha", change(good, {"adapter.lora.alpha": b.f32(float("nan"))}), good)
    wrong = {"adapter.alora.invocation_tokens": b.array(b.INT32, 1)}
    yield _case("key-type", change(good, wrong), good)
    yield _case("adapter-tensors", Model(good.pairs), good)
    norm = floats("blk.0.attn_norm.weight", 64)
    yield _case("adapter-tensors", Model(good.pairs, (*good.tensors, norm)), good)
    yield _case("adapter-shape", swap(good, A, floats(A, 64, 8, 2)), good)
    flipped = [f"token_embd.weight.lora_{half}" for half in "ab"]
    ranks = floats(flipped[0], 8, 9), floats(flipped[1], 4, 64)
    yield _case("adapter-shape", Model(good.pairs, ranks), good)
    for key in ("general.architecture", "general.type", "adapter.type"):
        yield _case("key-missing", change(good, {key: None}), good)


def _matrices() -> Iterator[CompanionCase]:
    good = sound.imatrix()
    for name in (SUMS, COUNTS):
        yield _case("imatrix-pairs", swap(good, name), good)
    yield _case("imatrix-pairs", Model(good.pairs), good)
    yield _case("imatrix-pairs", Model(good.pairs, (*good.tensors, floats("x", 4))), good)
    yield _case("imatrix-type", swap(good, SUMS, _typed(SUMS, 1, 128, 64, 1)), good)
    yield _case("imatrix-counts", swap(good, COUNTS, floats(COUNTS, 1, 3)), good)
    yield _case("imatrix-datasets", change(good, {"imatrix.datasets": b.array(b.STRING)}), good)
    for key in ("imatrix.datasets", "imatrix.chunk_count", "imatrix.chunk_size"):
        yield _case("key-missing", change(good, {key: None}), good)
    yield _case("key-type", change(good, {"imatrix.chunk_size": b.u64(512)}), good)


def _vectors() -> Iterator[CompanionCase]:
    good = sound.control_vector()
    for name in ("direction.0", "direction.x", "direction.-1"):
        yield _case("control-vector-names", swap(good, "direction.1", floats(name, 64)), good)
    yield _case("control-vector-names", swap(good, "direction.2", floats("direction.2x", 64)), good)
    yield _case("control-vector-names", Model(good.pairs), good)
    yield _case("control-vector-shape", swap(good, "direction.2", floats("direction.2", 32)), good)
    two = floats("direction.2", 32, 2)
    yield _case("control-vector-shape", swap(good, "direction.2", two), good)
    half = _typed("direction.2", 1, 128, 64)
    yield _case("control-vector-shape", swap(good, "direction.2", half), good)


def _projectors() -> Iterator[CompanionCase]:
    good = sound.projector()

    def keys(code: str, **values: b.Value | None) -> CompanionCase:
        return _case(
            code, change(good, {f"clip.{k.replace('__', '.')}": v for k, v in values.items()}), good
        )

    def tensor(code: str, name: str, *others: Tensor) -> CompanionCase:
        return _case(code, swap(good, name, *others), good)

    yield keys("projector-encoder", has_vision_encoder=None)
    yield keys("projector-type", projector_type=b.text("gemma3xyz"))
    yield keys("projector-type", projector_type=None)
    yield _case("projector-architecture", change(good, {"general.architecture": None}), good)
    yield keys("projector-key-missing", projector_type=b.text("qwen2.5vl_merger"))
    for name in ("v.blk.0.attn_out.weight", "v.blk.0.ffn_up.weight", "mm.soft_emb_norm.weight"):
        yield tensor("projector-tensor-missing", name)
    for name in ("v.blk.0.attn_q.weight", "v.patch_embd.weight"):
        yield tensor("projector-attention", name)
    for key, number in (("image_size", 8193), ("patch_size", 0), ("embedding_length", 2**31)):
        yield keys("projector-number", **{f"vision__{key}": b.u32(number)})
    yield keys("projector-number", vision__image_std=b.array(b.FLOAT32, 0, 0))
    yield keys("projector-number", vision__feature_layer=b.array(b.INT32, 2))
    yield keys("projector-number", vision__image_grid_pinpoints=b.array(b.INT32, 1, 2, 3))
    pixels = {"vision__image_min_pixels": b.u32(9), "vision__image_max_pixels": b.u32(5)}
    yield keys("projector-number", **pixels)
    yield keys("projector-type", has_audio_encoder=b.boolean(1))
    yield keys("projector-type", projector_type=b.text("ultravox"))
    yield keys("projector-scale", vision__projector__scale_factor=b.u32(0))
    yield keys("projector-shape", vision__image_size=b.u32(7))
    into = "mm.input_projection.weight"
    yield tensor("projector-shape", into, floats(into, 64, 65))
    patches = "v.patch_embd.weight"
    for dims in ((14, 14, 3, 65), (14, 14, 4, 64), (14, 15, 3, 64)):
        yield tensor("projector-shape", patches, floats(patches, *dims))
    query = "v.blk.0.attn_q.weight"
    yield tensor("projector-tensor-type", query, _typed(query, 26, 16384, 64, 64))
    yield tensor("projector-shape", query, floats(query, 65, 64))
    yield keys("projector-activation", use_silu=b.boolean(1))
    yield keys("projector-heads", vision__attention__head_count=b.u32(5))
    yield keys("projector-shape", vision__image_size=b.u32(28))
    yield keys("projector-scale", projector_type=b.text("idefics3"))
    yield tensor("projector-shape", POSITIONS, floats(POSITIONS, 64, 17))
    yield tensor("projector-shape", "v.blk.0.ln1.weight", floats("v.blk.0.ln1.weight", 65))
    yield tensor("projector-shape", "v.post_ln.bias", floats("v.post_ln.bias", 65))
    yield tensor("projector-shape", "v.patch_embd.bias", floats("v.patch_embd.bias", 65))
    half = _typed("v.post_ln.bias", 1, 128, 64)
    yield tensor("projector-tensor-type", "v.post_ln.bias", half)
    few = Model(good.pairs, good.tensors[:5])
    yield _case("projector-stub", few, good)


COMPANION_CASES = (*_adapters(), *_matrices(), *_vectors(), *_projectors())
