"""Rules about multimodal projectors: which there are, what each needs, and which numbers it takes.

Strategy: what clip's loader asks of each type is in spec/projectors.yaml, found by experiment.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..._generated.projectors import PROJECTORS
from ...core.registry import close_matches
from .base import Finding, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..._generated.projectors import Projector
    from .context import Context

_HPARAMS = "clip_model_loader::load_hparams in clip.cpp"
_TENSORS = "clip_model_loader::load_tensors in clip.cpp"
_TYPE = "clip.projector_type"
_PREFIX = {"vision": "v", "audio": "a", "gen.audio": "a.gen.code"}
_MAX_BLOCKS = 512
_SHOWN = 3
# Blocks that mix experts have these in place of the plain ones.
_EXPERTS = "ffn_gate_exps.weight"
# What the graph of a type needs besides, by clip_graph_* in tools/mtmd/models.
_TWO_FRAMES = ("v.patch_embd.weight.1",)
_WITH_CLASS = ("v.class_embd", "v.position_embd.weight")
_OF_GRAPH = {
    **dict.fromkeys(("qwen2vl_merger", "qwen2.5vl_merger", "qwen2.5o", "exaone4_5"), _TWO_FRAMES),
    **dict.fromkeys(("minimax_m3", "mimovl"), _TWO_FRAMES),
    **dict.fromkeys(("glm4v", "glm5v"), (*_TWO_FRAMES, "v.patch_embd.bias")),
    "qwen3vl_merger": (*_TWO_FRAMES, "v.patch_embd.bias", "v.position_embd.weight"),
    **dict.fromkeys(("internvl", "llama4", "cogvlm", "nemotron_v2_vl"), _WITH_CLASS),
    **dict.fromkeys(("granite4_vision", "step3vl", "gemma4v"), ("v.position_embd.weight",)),
}
_OTHER_PATCHES = ("deepseekocr", "deepseekocr2")
_PLAIN = ("ffn_up.weight", "ffn_down.weight")


class Encoder(NamedTuple):
    """One encoder of a projector file.

    Attributes:
        modality: vision, audio or gen.audio.
        type: the projector type that its keys state, empty without one.
        key: the key that states it.
        needs: what clip asks of it, None where the type is not known for the modality.
        num_blocks: the value of its block_count.
    """

    modality: str
    type: str
    key: str
    needs: Projector | None
    num_blocks: int

    @property
    def prefix(self) -> str:
        """What the names of its tensors begin with."""
        return _PREFIX[self.modality]

    def name(self, suffix: str) -> str:
        """Its metadata key that ends in `suffix`."""
        return f"clip.{self.modality}.{suffix}"


def encoders_of(c: Context) -> list[Encoder]:
    """The encoders that the flags switch on; empty for a file of another kind."""
    if "mmproj" not in c.kinds:
        return []
    found = []
    for modality in _PREFIX:
        if c.scalar(f"clip.has_{modality.replace('.', '_')}_encoder") is not True:
            continue
        own = f"clip.{modality}.projector_type"
        key = _TYPE if c.text(_TYPE) or own not in c.records else own
        type = c.text(key) or ""
        blocks = c.integer(f"clip.{modality}.block_count") or 0
        needs = PROJECTORS.get((type, modality))
        found.append(Encoder(modality, type, key, needs, min(max(blocks, 0), _MAX_BLOCKS)))
    return found


def _missing(c: Context, encoder: Encoder) -> tuple[list[str], int]:
    """The tensors that clip needs and that are not there, and how many it needs in all."""
    if encoder.needs is None:
        return [], 0
    present = {tensor.name for tensor in c.tensors}
    needed: list[str] = []
    for pattern in encoder.needs.tensors.split():
        if "#" not in pattern:
            needed.append(pattern)
            continue
        suffix = pattern.partition("#.")[2]
        for number in range(encoder.num_blocks):
            experts = pattern.partition("#")[0] + f"{number}.{_EXPERTS}"
            if suffix not in _PLAIN or experts not in present:
                needed.append(pattern.replace("#", str(number)))
    return [name for name in needed if name not in present], len(needed)


def is_stub(c: Context) -> bool:
    """Whether most of what clip needs is left out: a sample of a projector, not a broken one."""
    counts = [_missing(c, encoder) for encoder in encoders_of(c)]
    return sum(len(gone) for gone, _ in counts) * 2 > sum(needed for _, needed in counts)


@rule("projector-encoder", source="clip_init in clip.cpp", spec="warning", needs="metadata")
def encoder_there(c: Context) -> Iterator[Finding]:
    """A projector says which encoder it has: clip loads none otherwise."""
    if "mmproj" not in c.kinds or encoders_of(c):
        return
    flags = ("clip.has_vision_encoder", "clip.has_audio_encoder")
    flag = flags[any(tensor.name.startswith("a.") for tensor in c.tensors)]
    offset = c.document.body.at("num_metadata")
    yield Finding(
        "neither clip.has_vision_encoder nor clip.has_audio_encoder is true",
        offset,
        "num_metadata",
        f"gguf-construct set ... {flag}=true",
    )


@rule("projector-type", source=_HPARAMS, spec="warning", needs="metadata")
def projector_type(c: Context) -> Iterator[Finding]:
    """The projector type is one that clip knows, for the encoder that is there."""
    for encoder in encoders_of(c):
        offset, path = c.place(encoder.key)
        others = [modality for type, modality in PROJECTORS if type == encoder.type]
        if not encoder.type:
            where = c.document.body.at("num_metadata")
            yield Finding(
                f"{_TYPE!r} is missing: clip cannot load the file without it",
                where,
                "num_metadata",
                f"gguf-construct set ... {_TYPE}=NAME",
            )
        elif not others and encoder.modality != "gen.audio":
            known = sorted({type for type, _ in PROJECTORS})
            near = close_matches(encoder.type, known, 2)
            hint = f"did you mean {' or '.join(near)}?" if near else "a newer llama.cpp may know it"
            message = f"llama.cpp knows no projector type {encoder.type!r}"
            yield Finding(message, offset, path, hint)
        elif encoder.needs is None and encoder.modality == "audio":
            message = f"{encoder.type!r} is a projector type for {others[0]}, not for audio"
            yield Finding(message, offset, path)
        elif encoder.needs is None and encoder.modality == "vision":
            message = f"{encoder.type!r} is known as a projector type for {others[0]} only"
            yield Finding(message, offset, path)


@rule("projector-key-missing", source=_HPARAMS, spec="warning", needs="metadata")
def keys(c: Context) -> Iterator[Finding]:
    """The keys are there that this type of projector cannot be loaded without."""
    for encoder in encoders_of(c):
        for key, type in encoder.needs.keys if encoder.needs is not None else ():
            if key not in c.records:
                yield Finding(
                    f"{key!r} is missing: {encoder.type!r} cannot be loaded without it",
                    c.document.body.at("num_metadata"),
                    "num_metadata",
                    f"gguf-construct set ... {key}:{type}=VALUE",
                )


@rule("projector-tensor-missing", source=_TENSORS, spec="warning", needs="tensors")
def tensors(c: Context) -> Iterator[Finding]:
    """The tensors are there that clip loads for this type of projector."""
    if is_stub(c):
        return
    for encoder in encoders_of(c):
        for name in _missing(c, encoder)[0]:
            yield Finding(
                f"{name!r} is missing: {encoder.type!r} cannot be loaded without it",
                c.document.body.at("num_tensors"),
                "num_tensors",
                "convert the projector again",
            )


@rule("projector-stub", source=_TENSORS, llama="info", spec="info", needs="tensors")
def stub(c: Context) -> Iterator[Finding]:
    """A projector has most of the tensors that clip loads; one with a few is only a sample."""
    if not is_stub(c):
        return
    for encoder in encoders_of(c):
        gone, needed = _missing(c, encoder)
        if gone:
            first = ", ".join(map(repr, gone[:_SHOWN]))
            yield Finding(
                f"{needed - len(gone)} of the {needed} tensors that clip loads for "
                f"{encoder.type!r} are here: a sample, not a projector to be loaded "
                f"(missing: {first}{', ...' if len(gone) > _SHOWN else ''})",
                c.document.body.at("num_tensors"),
                "num_tensors",
            )


@rule(
    "projector-attention",
    source="clip_graph::build_vit in clip.cpp",
    spec="warning",
    needs="tensors",
)
def attention(c: Context) -> Iterator[Finding]:
    """Each block has queries, keys and values, apart or in one tensor; pictures have patches."""
    if is_stub(c):
        return
    present = {tensor.name for tensor in c.tensors}
    for encoder in encoders_of(c):
        if encoder.needs is None or "#.attn_out.weight" not in encoder.needs.tensors:
            continue
        if encoder.modality == "vision" and encoder.type not in _OTHER_PATCHES:
            needed = ("v.patch_embd.weight", *_OF_GRAPH.get(encoder.type, ()))
            yield from _absent(c, [name for name in needed if name not in present])
        for number in range(encoder.num_blocks):
            block = f"{encoder.prefix}.blk.{number}.attn_"
            parts = [f"{block}{part}.weight" for part in "qkv"]
            gone = [name for name in parts if name not in present]
            if f"{block}qkv.weight" not in present:
                yield from _absent(c, gone)


def _absent(c: Context, names: list[str]) -> Iterator[Finding]:
    for name in names:
        where = c.document.body.at("num_tensors")
        yield Finding(f"{name!r} is missing", where, "num_tensors", "convert the projector again")


@rule(
    "projector-architecture",
    source="writers of projectors",
    llama="warning",
    spec="warning",
    needs="metadata",
)
def architecture(c: Context) -> Iterator[Finding]:
    """general.architecture is "clip": no loader asks, but other tools tell projectors by it."""
    if "mmproj" not in c.kinds or c.architecture == "clip":
        return
    key = "general.architecture"
    offset, path = c.place(key)
    if key not in c.records:
        offset, path = c.document.body.at("num_metadata"), "num_metadata"
    said = "is missing" if c.architecture is None else f"is {c.architecture!r}"
    yield Finding(f"{key!r} {said}", offset, path, f"gguf-construct set ... {key}=clip")
