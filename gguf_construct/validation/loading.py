"""llama.cpp's loader, replayed over the numbers and tensors of a file.

Strategy: generated/weights.py says for each architecture which keys and tensors the loader asks
for, in which order and on which conditions.  `Replay` answers as the file does and notes what is
missing or does not fit.  A number that is missing makes everything that follows from it unknown,
so the replay stops there: one finding, no cascade.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, NamedTuple

from .numbers import Numbers

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .._generated.types import MetadataKv

_UNKNOWN = -(2**40)
"""Stands for a number that nobody knows; shapes made of it are far below zero."""


_OF_EXPERTS = "exps."


class Misfit(NamedTuple):
    """A tensor with another shape; None stands for a dimension that is unknown."""

    name: str
    wanted: tuple[int | None, ...]
    only_elements: bool


class _Stop(Exception):
    """The loader would not come further."""


class Replay(Numbers):
    """What the loader would find; see `Loader` in generated/weights.py for what it asks.

    Attributes:
        missing: names of required tensors that are not there.
        misfits: tensors with another shape.
        asked: all tensors that the loader would use by name, with the shape that it wants.
        demands: conditions that do not hold, with the rule that reports them, if there is one.
        is_complete: whether it came to the end.
    """

    def __init__(
        self,
        architecture: str,
        records: Mapping[str, MetadataKv],
        tensors: Mapping[str, tuple[int, ...]],
        vocab: int | None,
    ) -> None:
        super().__init__(architecture, records)
        self.vocab = _UNKNOWN if vocab is None else vocab
        self.token_types = self._plain("tokenizer.ggml.token_type_count")
        self._tensors = tensors
        self._used: set[str] = set()
        self.missing: list[str] = []
        self.misfits: list[Misfit] = []
        self.asked: dict[str, tuple[int, ...]] = {}
        self.demands: list[tuple[str, str]] = []
        self.is_complete = False

    # -- conditions --------------------------------------------------------------------------

    def demand(self, holds: bool | int, text: str, known_as: str) -> None:
        """Something must hold; the loader gives up where it does not."""
        self._go_on()
        if not holds:
            self.demands.append((text, known_as))
            raise _Stop

    def found(self, name: str) -> bool:
        """Whether the file has a tensor."""
        return name in self._tensors

    def dim(self, name: str, index: int) -> int:
        """A dimension of a tensor of the file; 1 beyond its last one."""
        dims = self._tensors.get(name, ())
        return dims[index] if index < len(dims) else 1

    def _go_on(self) -> None:
        if self.is_blocked:
            raise _Stop

    # -- tensors -----------------------------------------------------------------------------

    def add(self, name: str, flags: int, *dims: int) -> bool:
        """A tensor; whether it is there and used."""
        from .._generated.weights import OPTIONAL, RESHAPE, SKIP

        self._go_on()
        self.asked.setdefault(name, dims)
        have = self._tensors.get(name)
        if have is None:
            if not flags & OPTIONAL and name not in self.missing:
                self.missing.append(name)
            return not flags & OPTIONAL and not flags & SKIP
        wanted = tuple(None if dim <= _UNKNOWN // 2**20 else dim for dim in dims)
        if not _fits(have, wanted, bool(flags & RESHAPE)):
            self.misfits.append(Misfit(name, wanted, bool(flags & RESHAPE)))
        if flags & SKIP:
            return False
        if _OF_EXPERTS in name and not self.experts_used_max():
            # ggml_mul_mat_id is tried out on it (weight_buft_supported in llama-model-loader.cpp)
            self.demand(False, "experts in use, where there are tensors of experts", "")
        self._used.add(name)
        return True

    def qkv(self, block: int, embd: int, q: int, k: int, v: int, flags: int) -> None:
        """Queries, keys and values of a block: fused, or one by one, with optional biases."""
        from .._generated.weights import OPTIONAL, SKIP

        widths = {"q": q, "k": k, "v": v}
        stem, unused = f"blk.{block}.attn_", flags & SKIP
        parts = [f"{stem}{part}.weight" for part in widths]
        is_fused = self.add(f"{stem}qkv.weight", OPTIONAL | unused, embd, q + k + v)
        has_bias = False
        if is_fused or unused:
            has_bias = self.add(f"{stem}qkv.bias", OPTIONAL | unused, q + k + v)
        if not is_fused and not unused | flags & OPTIONAL and not any(map(self.found, parts)):
            # One finding, not three: whatever was lost, it may have been the fused one.
            self.missing.append(f"{stem}qkv.weight")
            self.asked.update(dict.fromkeys(parts, ()))
        elif not is_fused:
            for part, width in widths.items():
                wanted = OPTIONAL | unused if unused else flags
                self.add(f"{stem}{part}.weight", wanted, embd, width)
        if not has_bias:
            for part, width in widths.items():
                self.add(f"{stem}{part}.bias", OPTIONAL | unused, width)

    def gate_up(self, block: int, embd: int, ff: int, experts: int, flags: int) -> None:
        """The experts' gate and up tensors of a block: fused, or one by one."""
        from .._generated.weights import OPTIONAL, SKIP

        if flags & SKIP:
            flags |= OPTIONAL
        stem = f"blk.{block}.ffn_"
        fused = self.add(
            f"{stem}gate_up_exps.weight", OPTIONAL | flags & SKIP, embd, ff * 2, experts
        )
        if not fused:
            for part in ("gate", "up"):
                self.add(f"{stem}{part}_exps.weight", flags, embd, ff, experts)

    def add_scales(self) -> None:
        """Numbers that quantized weights may be scaled by, as one pass over all blocks."""
        from .._generated.weights import OPTIONAL, SCALED, SCALED_BY_EXPERT

        for block in range(self.layers_all):
            for stem in SCALED + SCALED_BY_EXPERT:
                name = f"blk.{block}.{stem}"
                if f"{name}.weight" in self._used:
                    size = self.experts if stem in SCALED_BY_EXPERT else 1
                    self.add(f"{name}.scale", OPTIONAL, size)
                    self.add(f"{name}.input_scale", OPTIONAL, size)
        for suffix in ("scale", "input_scale"):
            self.add(f"output.{suffix}", OPTIONAL, 1)


def _fits(dims: tuple[int, ...], wanted: tuple[int | None, ...], only_elements: bool) -> bool:
    """Dimensions that are left out count as 1, as in ggml."""
    if only_elements:
        return None in wanted or prod(dims) == prod(one for one in wanted if one is not None)
    length = max(len(dims), len(wanted))
    padded = dims + (1,) * (length - len(dims))
    demanded = wanted + (1,) * (length - len(wanted))
    return all(want is None or have == want for have, want in zip(padded, demanded, strict=True))


def replay(
    architecture: str,
    records: Mapping[str, MetadataKv],
    tensors: Mapping[str, tuple[int, ...]],
    vocab: int | None,
) -> Replay | None:
    """Replay the loader for a file; None for an architecture that it does not load.

    Args:
        architecture: the value of general.architecture.
        records: the pairs by key.
        tensors: dimensions in file order, of all shards, by name.
        vocab: number of tokens, None where that is unknown.
    """
    from .._generated.weights import LOADERS, load_common

    load = LOADERS.get(architecture)
    if load is None:
        return None
    one = Replay(architecture, records, tensors, vocab)
    try:
        load_common(one)
        load(one)
        one.add_scales()
        one.is_complete = not one.is_blocked
    except _Stop:
        pass
    except ZeroDivisionError:
        one.demands.append(("no division by zero", ""))
    except IndexError:
        one.demands.append(("numbers of layers within the block count", ""))
    return one
