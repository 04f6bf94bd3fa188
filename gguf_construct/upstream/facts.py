"""What the rules of a comparison ask for: the document's keys and the configuration there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ..core.registry import aliases_of, concrete

if TYPE_CHECKING:
    from .._generated.keys import KeyInfo
    from ..core.document import Document
    from .repository import Repository


class Candidate(NamedTuple):
    """A value that a faithful conversion may have.

    Attributes:
        value: the value, as JSON has it.
        where: file and path there, or the formula.
    """

    value: Any
    where: str


class Facts:
    """Both sides, with the look-ups that rules need.

    Attributes:
        document: the model.
        repository: what it is compared with.
        config: config.json, the text model's part of it on top.
        architecture: the value of general.architecture, or empty.
    """

    def __init__(self, document: Document, repository: Repository) -> None:
        self.document = document
        self.repository = repository
        self.config: dict[str, Any] = repository.files.get("config", {})
        self.architecture = document.metadata.architecture or ""
        self.tensor_names = set(document.tensors)

    def key(self, info: KeyInfo) -> tuple[str, Any]:
        """The key under which the document has a setting, and its value; None where it has none."""
        metadata = self.document.metadata
        names = [concrete(one.key, self.architecture) for one in (info, *aliases_of(info.key))]
        for name in names:
            if name in metadata:
                return name, metadata.field(name).plain_value
        return names[0], None

    def ours(self, suffix: str) -> Any:
        """The document's value of a key of its architecture, or None."""
        metadata, name = self.document.metadata, f"{self.architecture}.{suffix}"
        return metadata.field(name).plain_value if name in metadata else None

    def get(self, *paths: str) -> Any:
        """The first of these places in config.json that has a value; null counts as absent."""
        for path in paths:
            value: Any = self.config
            for word in path.split("."):
                value = value.get(word) if isinstance(value, dict) else None
            if value is not None:
                return value
        return None

    def number(self, *paths: str) -> int | None:
        """The first of these places that has a whole number."""
        value = self.get(*paths)
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        is_whole = isinstance(value, int) and not isinstance(value, bool)
        return value if is_whole and abs(value) < _TOO_LARGE else None

    @staticmethod
    def factor(value: object) -> float | None:
        """A number of the configuration that can be reckoned with, else None."""
        is_fit = isinstance(value, (int, float)) and abs(value) < _TOO_LARGE
        return float(value) if is_fit else None  # type: ignore[arg-type]

    def times(self, number: float, value: object) -> int | None:
        """A whole number times a factor of the configuration, rounded down."""
        factor = self.factor(value)
        return None if factor is None else int(number * factor)

    def rope(self, name: str) -> Any:
        """A setting of RoPE, wherever this version of transformers keeps it."""
        places = ("rope_parameters.full_attention", "rope_parameters", "rope_scaling")
        return self.get(*(f"{place}.{name}" for place in places))

    @property
    def width(self) -> int | None:
        """Hidden width there."""
        return self.number("hidden_size", "n_embd", "d_model", "dim", "n_embed")

    @property
    def heads(self) -> int | None:
        """Query heads there."""
        return self.number("num_attention_heads", "n_head", "n_heads", "num_heads")

    @property
    def head_size(self) -> int | None:
        """Size of an attention head there, stated or computed."""
        stated = self.number("head_dim", "kv_channels", "d_kv")
        if stated is not None:
            return stated
        width, heads = self.width, self.heads
        return width // heads if width and heads else None

    @property
    def full_head_size(self) -> int | None:
        """Size of a head of full attention, where the layers differ in it."""
        size = self.number("global_head_dim")
        layers = self.get("per_layer_config")
        for one in layers.values() if size is None and isinstance(layers, dict) else ():
            if isinstance(one, dict) and isinstance(one.get("head_dim"), int):
                return int(one["head_dim"])
        return size

    @property
    def num_blocks(self) -> int | None:
        """Blocks there, without those that predict further tokens."""
        return self.number("num_hidden_layers", "n_layers", "n_layer", "num_layers")

    @property
    def has_attention(self) -> bool:
        """Whether the model there has attention at all; pure state-space models have none."""
        if self.architecture in _WITHOUT_ATTENTION:
            return False
        return self.heads is not None or not self.is_stateful

    @property
    def is_stateful(self) -> bool:
        """Whether the model there has blocks whose state has a fixed size."""
        return self.get(*_STATEFUL) is not None

    @property
    def is_latent(self) -> bool:
        """Whether the document stores multi-head latent attention as newer converters do."""
        names = ("attention.key_length_mla", "attention.value_length_mla")
        return any(self.ours(name) is not None for name in names)

    def kinds(self) -> list[str] | None:
        """What each block there is: "attention", "sliding", "recurrent", "other"; None if unknown.

        Further-token blocks are left out.
        """
        listed = self.get("layer_types", "layers_block_type", "hybrid_layer_types")
        if isinstance(listed, list) and all(isinstance(one, str) for one in listed):
            return [_kind(one) for one in listed]
        pattern = self.get("hybrid_override_pattern")
        if isinstance(pattern, str):
            return [{"*": "attention", "M": "recurrent"}.get(one, "other") for one in pattern]
        blocks = self.num_blocks
        if blocks is None or not 0 < blocks < _MAX_BLOCKS:
            return None
        indices = self.get("attn_layer_indices", "full_attn_idxs")
        first = 0
        if indices is None:
            indices, first = self.get("linear_attn_config.full_attn_layers"), 1
        if isinstance(indices, list):
            return ["attention" if at + first in indices else "recurrent" for at in range(blocks)]
        period, offset = self.number("attn_layer_period"), self.number("attn_layer_offset")
        if period:
            return [
                "attention" if at % period == (offset or 0) else "recurrent" for at in range(blocks)
            ]
        return None


_MAX_BLOCKS = 10_000
_TOO_LARGE = 1 << 62  # for any number that a model has
_STATEFUL = (
    *("state_size", "ssm_state_size", "mamba_d_state", "d_state", "head_size"),
    *("mamba_num_heads", "wkv_head_size", "linear_attn_config", "ssm_cfg"),
)
_WITHOUT_ATTENTION = ("mamba", "mamba2", "rwkv6", "rwkv7", "arwkv7", "rwkv6qwen2")


def _kind(word: str) -> str:
    if word in ("sliding_attention", "chunked_attention", "local_attention"):
        return "sliding"
    if word in ("attention", "full_attention", "hybrid", "global_attention", "full"):
        return "attention"
    if word in ("moe", "mlp", "dense"):
        return "other"
    return "recurrent"
