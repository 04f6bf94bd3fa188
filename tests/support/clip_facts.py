"""Write spec/projectors.yaml: what clip's loader in a real llama.cpp asks of each projector type.

Usage: ``python -m tests.support.clip_facts``.  A file with the keys that every projector has and
no tensors is loaded; the loader names the first key or tensor that it misses; that is added, and
so on until it is content.  No graph is built, so tensors that only the graph needs do not appear.
"""

from __future__ import annotations

import re
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from . import builders as b
from .builders import Model, Pair, Tensor, Value, build
from .llama_child import clip_loader

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    Loader = Callable[[Path], Mapping[str, Any]]

DOCUMENT = Path(__file__).resolve().parents[2] / "spec" / "projectors.yaml"
TYPES = (
    *("mlp", "ldp", "ldpv2", "resampler", "adapter", "qwen2vl_merger", "qwen2.5vl_merger"),
    *("qwen3vl_merger", "ling3vl", "step3vl", "gemma3", "gemma3nv", "gemma3na", "gemma4v"),
    *("gemma4a", "gemma4uv", "gemma4ua", "phi4", "idefics3", "pixtral", "ultravox", "internvl"),
    *("llama4", "qwen2a", "qwen3a", "glma", "qwen2.5o", "voxtral", "meralion", "musicflamingo"),
    *("lfm2", "d1omni_v", "kimivl", "paddleocr", "lightonocr", "cogvlm", "janus_pro", "dots_ocr"),
    *("dots3note_v", "dots3note_a", "deepseekocr", "deepseekocr2", "deepseek4v", "lfm2a"),
    *("d1omni_a", "glm4v", "glm5v", "youtuvl", "yasa2", "kimik25", "nemotron_v2_vl"),
    *("exaone4_5", "hunyuanvl", "minicpmv4_6", "granite_speech", "mimovl", "minimax_m3"),
    *("granite4_vision", "mimo_audio", "parakeet", "qwen3tts_spkenc", "qwen3tts_gen"),
    *("pockettts_spkenc", "pockettts_gen", "muse-glimmer", "cohere2v", "hunyuanocr"),
)
"""Names in clip-impl.h of llama.cpp, in the engine's library, and in gguf-py."""

FLAGS = {
    "vision": "clip.has_vision_encoder",
    "audio": "clip.has_audio_encoder",
    "gen.audio": "clip.has_gen_audio_encoder",
}
# What the loader asks for without naming it.
_UNNAMED = {
    "granite4_vision": {"clip.vision.feature_layer": b.array(b.INT32, 0)},
    "mimo_audio": {
        "clip.audio.rvq.num_quantizers": b.u32(1),
        "clip.audio.rvq.codebook_size": b.array(b.INT32, 1),
    },
}
_UNNAMED_TENSORS = {
    "yasa2": ("v.patch_embd.weight",),
    "mimo_audio": ("a.rvq_codebook.weight", "mm.a.code_embd.weight"),
}
# Values to try for a key, until the loader is content with type and value.
_VALUES: tuple[tuple[str, Value], ...] = (
    *(("uint32", b.u32(number)) for number in (1, 8, 2, 4, 9)),
    ("float32", b.f32(1.0)),
    ("bool", b.boolean(1)),
    ("string", b.text("x")),
    ("[int32]", b.array(b.INT32, 0)),
)
_MOST_STEPS = 400
_FIRST_BLOCK, _ANY_BLOCK = r"^([va])\.blk\.0\.", r"\1.blk.#."


class Found(NamedTuple):
    """What the loader asks for: `keys` beyond the common ones with their types."""

    mode: str
    keys: dict[str, str]
    tensors: list[str]
    message: str
    is_known: bool


def common(mode: str, type: str) -> dict[str, Value]:
    """The pairs that every projector has, with one block."""
    pairs = {"general.architecture": b.text("clip"), "clip.projector_type": b.text(type)}
    pairs |= {flag: b.boolean(int(one == mode)) for one, flag in FLAGS.items()}
    numbers = {"embedding_length": 64, "feed_forward_length": 96, "block_count": 1}
    numbers |= {"projection_dim": 64, "attention.head_count": 4}
    if mode == "vision":
        numbers |= {"image_size": 56, "patch_size": 14}
        pairs["clip.vision.image_mean"] = b.array(b.FLOAT32, 0, 0, 0)
        pairs["clip.vision.image_std"] = b.array(b.FLOAT32, *[0x3F800000] * 3)
    if mode == "audio":
        numbers["num_mel_bins"] = 80
    pairs |= {f"clip.{mode}.{name}": b.u32(number) for name, number in numbers.items()}
    pairs[f"clip.{mode}.attention.layer_norm_epsilon"] = b.f32(1e-6)
    return pairs


def skeleton(pairs: Mapping[str, Value], names: list[str]) -> bytes:
    """A projector whose tensors are all of one element."""
    tensors = tuple(Tensor(name.encode(), (1,), 0, bytes(4)) for name in names)
    return build(Model(tuple(Pair(key.encode(), one) for key, one in pairs.items()), tensors)).data


def ask(mode: str, type: str, folder: Path, load: Loader) -> Found:
    """Find out what a type needs."""
    path = folder / "projector.gguf"
    pairs = {**common(mode, type), **_UNNAMED.get(type, {})}
    keys = dict.fromkeys(_UNNAMED.get(type, {}), "")
    tensors, tries = list(_UNNAMED_TENSORS.get(type, ())), 0
    message = ""
    for _ in range(_MOST_STEPS):
        path.write_bytes(skeleton(pairs, tensors))
        answer = load(path)
        message = answer["message"]
        if answer["ok"]:
            break
        if found := re.search(r"unable to find tensor (\S+)", message):
            tensors.append(found[1])
        elif found := re.search(r"Key not found: (\S+)", message):
            keys[found[1]], pairs[found[1]] = _VALUES[0]
            tries = 0
        elif re.search(r"unknown (vision )?projector type", message):
            return Found(mode, {}, [], message, False)
        elif keys and not tensors and tries + 1 < len(_VALUES):
            tries += 1
            last = next(reversed(keys))
            keys[last], pairs[last] = _VALUES[tries]
        else:
            break
    names = {key: type_name(pairs[key]) for key in keys}
    return Found(mode, names, tensors, message, True)


def type_name(value: Value) -> str:
    """The type of a value as the registry writes it."""
    if value.type == b.ARRAY:
        return f"[{b.TYPE_NAMES[value.payload.type]}]"
    return b.TYPE_NAMES[value.type]


def natural(type: str, folder: Path, load: Loader) -> list[Found]:
    """The modalities that a type is for, told by the tensors that it asks for."""
    found = [ask(mode, type, folder, load) for mode in ("vision", "audio")]
    vision, audio = found
    if not vision.is_known:
        return []
    if type == "qwen2.5o":
        return found
    told = any(re.match(r"a\.|mm\.a\.", name) for name in audio.tensors[3:] or audio.tensors)
    heard = told and not any(name.startswith("v.") for name in audio.tensors)
    return [audio if heard or type in ("gemma4a", "gemma4ua") else vision]


def render() -> str:
    """The text of spec/projectors.yaml."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield _HEAD.format(engine=f"xllamacpp {version('xllamacpp')}")
    yield "projectors:"
    load = clip_loader(warmup=False)
    with tempfile.TemporaryDirectory() as folder:
        for type in TYPES:
            for one in natural(type, Path(folder), load):
                yield f"  - type: {type}"
                yield f"    modality: {one.mode}"
                if one.keys:
                    listed = ", ".join(f"'{key}:{name}'" for key, name in one.keys.items())
                    yield f"    keys: [{listed}]"
                yield "    tensors: >-"
                for name in one.tensors:
                    yield f"      {re.sub(_FIRST_BLOCK, _ANY_BLOCK, name)}"


_HEAD = """\
# What clip, the loader of projectors in llama.cpp (tools/mtmd), asks of each projector type.
# Written by `python -m tests.support.clip_facts`, which asks a real one ({engine}):
# the facts behind generated/projectors.py.
#
# keys      metadata that must be there, beyond what every projector of the modality has
# tensors   those that must be there; # stands for the number of each block"""

if __name__ == "__main__":
    DOCUMENT.write_text(render(), encoding="utf-8", newline="\n")
