"""For each rule about the tensors that a model consists of one that breaks it, and a sound one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tests.support import builders as b
from tests.support.builders import Model, Pair, Tensor
from tests.support.cases_model import renamed, sound, value_of, with_tensor
from tests.support.cases_valid import weight

if TYPE_CHECKING:
    from collections.abc import Iterator


def weight_cases() -> Iterator[tuple[str, Model, Model, str]]:
    """Code, bad and good model, and the builder's name of the first wrong field."""
    model, norm = sound(), b"output_norm.weight"
    yield "tensor-missing", replace(model, tensors=model.tensors[1:]), model, ""
    extra = replace(model, tensors=(*model.tensors, weight(name=b"extra")))
    yield "tensor-unexpected", extra, model, f"tensors[{len(model.tensors)}].name.len"
    inside = (weight(name=b"v.blk.0.attn_q.weight"), weight(name=b"mm.0.weight"))
    packed = replace(model, tensors=(*model.tensors, *inside))
    yield "tensor-unexpected", packed, model, f"tensors[{len(model.tensors)}].name.len"
    yield "tensor-shape", with_tensor(norm, dims=(32,), data=bytes(128)), model, ""
    half = value_of(b"llama.rope.dimension_count").payload // 2
    for_rope = (Tensor(b"rope_freqs.weight", (half,), n, bytes(half * (4 - 2 * n))) for n in (1, 0))
    f16, f32 = (replace(model, tensors=(*model.tensors, one)) for one in for_rope)
    yield "tensor-type-unusable", f16, f32, f"tensors[{len(model.tensors)}].type"
    yield _numbers_refused()


def _numbers_refused() -> tuple[str, Model, Model, str]:
    looped = renamed(b"nanbeige")
    pairs = (Pair(b"nanbeige.num_loops", b.u32(number)) for number in (0, 1))
    bad, good = (replace(looped, pairs=(*looped.pairs, pair)) for pair in pairs)
    return "numbers-refused", bad, good, "num_metadata"
