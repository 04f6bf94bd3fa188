"""The numbers of a model as llama.cpp's loader reads and keeps them (llama_hparams).

Source: get_key, get_key_or_arr, get_arr in llama-model-loader.cpp; llama-hparams.cpp.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeVar

from .._generated.types import Array, ValueType
from ..core.values import text_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .._generated.types import MetadataKv

_MAX_LAYERS = 512  # LLAMA_MAX_LAYERS
_WHOLE = frozenset((ValueType.UINT32, ValueType.INT32))
_T = TypeVar("_T")


class WrongType(NamedTuple):
    """A key whose value the loader cannot take.  `length` is the one that an array should have."""

    key: str
    wanted: str
    length: int | None = None


class Numbers:
    """Keys by what is asked of them, and what follows from them by layer.

    Attributes:
        missing_keys: whole names of required keys that are not there.
        wrong_types: keys that have the wrong type or length.
        read: whole names of the keys that were asked for.
        is_blocked: whether a number is unknown from here on.
    """

    def __init__(self, architecture: str, records: Mapping[str, MetadataKv]) -> None:
        self.architecture = architecture
        self._records = records
        self.missing_keys: list[str] = []
        self.wrong_types: list[WrongType] = []
        self.read: set[str] = set()
        self.is_blocked = False
        self.rope_scaling = "linear"
        self.layers_all = self.layers_nextn = self.embd = self.context = 0
        self.layers_with_kv = -1
        self.experts = self.expert_groups = self.deepstack = 0
        self.classes = 1
        self.head_k_full = self.head_v_full = self.head_k_swa = self.head_v_swa = 0
        self.rot_full = self.rot_swa = self.mla_k = self.mla_v = 0
        self.embd_out_given = self.embd_inp_given = self.embd_inp_enc_given = 0
        self.heads_each = [0] * _MAX_LAYERS
        self.heads_kv_each = [0] * _MAX_LAYERS
        self.ff_each = [0] * _MAX_LAYERS
        self.ff_exp_each = [0] * _MAX_LAYERS
        self.experts_used_each = [0] * _MAX_LAYERS
        self.swa_each = [0] * _MAX_LAYERS
        self.recurrent_each = [0] * _MAX_LAYERS
        self.indexer_full_each = [0] * _MAX_LAYERS

    # -- keys --------------------------------------------------------------------------------

    def _key(self, key: str) -> str:
        whole = key[1:] if key.startswith("/") else f"{self.architecture}.{key}"
        self.read.add(whole)
        return whole

    def _plain(self, key: str) -> int:
        """A number of the file whatever its type is; 0 where there is none."""
        value = self._records[key].value if key in self._records else 0
        return value if isinstance(value, int) else 0

    def _refuse(self, key: str, wanted: str, missing: _T | None, instead: _T) -> _T:
        """Note a key of the wrong type."""
        self.wrong_types.append(WrongType(key, wanted))
        self.is_blocked = True
        return instead if missing is None else missing

    def _absent(self, key: str, missing: _T | None, instead: _T) -> _T:
        if missing is not None:
            return missing
        self.missing_keys.append(key)
        self.is_blocked = True
        return instead

    def _scalar(self, key: str, kind: ValueType, missing: _T | None, instead: _T) -> _T:
        whole = self._key(key)
        record = self._records.get(whole)
        if record is None:
            return self._absent(whole, missing, instead)
        if record.value_type != kind:
            return self._refuse(whole, kind.name.lower(), missing, instead)
        value: _T = record.value
        return value

    def u32(self, key: str, missing: int | None = None) -> int:
        """A UINT32; `missing` stands for a key that may be missing."""
        return self._scalar(key, ValueType.UINT32, missing, 1)

    def f32(self, key: str, missing: float | None = None) -> float:
        """A FLOAT32."""
        return self._scalar(key, ValueType.FLOAT32, missing, 1.0)

    def flag(self, key: str, missing: bool | None = None) -> bool:
        """A BOOL."""
        return bool(self._scalar(key, ValueType.BOOL, missing, False))

    def text(self, key: str, missing: str | None = None) -> str:
        """A STRING."""
        value: str | bytes = self._scalar(key, ValueType.STRING, missing, "")
        return text_of(value) if isinstance(value, bytes) else value

    def u32_or_row(self, key: str, missing: int | None = None) -> int:
        """A UINT32; an array counts as missing."""
        whole = self._key(key)
        if missing is not None and self._array(whole) is not None:
            return missing
        return self.u32(key, missing)

    def _array(self, whole: str) -> Array | None:
        record = self._records.get(whole)
        if record is None or record.value_type != ValueType.ARRAY:
            return None
        array: Array = record.value
        return array

    def count(self, key: str, missing: int | None = None) -> int:
        """The number of elements of an array of any type."""
        whole = self._key(key)
        array = self._array(whole)
        if array is not None:
            return array.num_elements
        if whole in self._records:
            return self._refuse(whole, "array", missing, 0)
        return self._absent(whole, missing, 0)

    def given_key(self, key: str) -> bool:
        """Whether a key is there."""
        return self._key(key) in self._records

    def given_row(self, key: str) -> bool:
        """Whether a key is there and holds an array."""
        return self._array(self._key(key)) is not None

    # -- one for all layers, or one for each -------------------------------------------------

    def each(self, key: str, count: int, missing: list[int] | None = None) -> list[int]:
        """A UINT32 for all, or an array of `count`; behind them what `missing` holds."""
        return self._each(key, count, missing, ValueType.UINT32, 0)

    def each_int(self, key: str, count: int, missing: list[int] | None = None) -> list[int]:
        """An INT32 for all, or an array of `count`."""
        return self._each(key, count, missing, ValueType.INT32, 0)

    def each_f32(self, key: str, count: int, missing: list[float] | None = None) -> list[float]:
        """A FLOAT32 for all, or an array of `count`."""
        return self._each(key, count, missing, ValueType.FLOAT32, 0.0)

    def _each(
        self, key: str, count: int, missing: list[_T] | None, kind: ValueType, zero: _T
    ) -> list[_T]:
        whole = self._key(key)
        array = self._array(whole)
        rest = missing or [zero] * _MAX_LAYERS
        if array is None:
            if whole not in self._records:
                return self._absent(whole, missing, rest)
            return [self._scalar(key, kind, None, zero)] * count + rest[count:]
        if array.num_elements != count:
            self.wrong_types.append(WrongType(whole, "", count))
            self.is_blocked = True
            return rest
        allowed = {kind} if kind == ValueType.FLOAT32 else _WHOLE | {ValueType.BOOL}
        if array.element_type not in allowed:
            return self._refuse(whole, f"[{kind.name.lower()}]", missing, rest)
        return [*array.elements[:count], *rest[count:]]

    def row(self, key: str, count: int, missing: list[int] | None = None) -> list[int]:
        """An array of whole numbers, at most `count` of them and filled up to that; 0: any."""
        allowed = _WHOLE | {ValueType.BOOL} if count else _WHOLE
        found = self._row(key, count, missing, allowed, "[uint32]")
        rest = missing or [0] * count
        return found + rest[len(found) : count]

    def row_u64(self, key: str, count: int, missing: list[int] | None = None) -> list[int]:
        """An array of UINT64, at most `count`."""
        return self._row(key, count, missing, frozenset((ValueType.UINT64,)), "[uint64]")

    def row_text(self, key: str, count: int, missing: list[str] | None = None) -> list[str]:
        """An array of STRING, at most `count`; 0: any number."""
        return self._row(key, count, missing, frozenset((ValueType.STRING,)), "[string]")

    def _row(
        self,
        key: str,
        count: int,
        missing: list[_T] | None,
        allowed: frozenset[ValueType],
        wanted: str,
    ) -> list[_T]:
        whole = self._key(key)
        array = self._array(whole)
        if array is None:
            if missing is None and whole in self._records:
                return self._refuse(whole, wanted, missing, [])
            return self._absent(whole, missing, [])
        if array.element_type not in allowed:
            return self._refuse(whole, wanted, missing, [])
        if count and array.num_elements > count:
            self.wrong_types.append(WrongType(whole, "", count))
            self.is_blocked = True
        return list(array.elements[: count or _MAX_LAYERS])

    # -- by layer ----------------------------------------------------------------------------

    def layers(self) -> int:
        """Number of layers without those for further tokens."""
        return self.layers_all - self.layers_nextn

    def heads(self, layer: int = 0) -> int:
        """Number of attention heads."""
        return self.heads_each[layer]

    def heads_kv(self, layer: int = 0) -> int:
        """Number of key/value heads."""
        return self.heads_kv_each[layer]

    def ff(self, layer: int = 0) -> int:
        """Width of the feed-forward part."""
        return self.ff_each[layer]

    def ff_exp(self, layer: int = 0) -> int:
        """Width of an expert."""
        return self.ff_exp_each[layer]

    def experts_used(self, layer: int = 0) -> int:
        """Number of experts used for a token."""
        return self.experts_used_each[layer]

    def experts_used_max(self) -> int:
        """The largest number of experts used in any layer."""
        return max(self.experts_used_each[: self.layers_all], default=0)

    def is_swa(self, layer: int) -> bool:
        """Whether the layer has a sliding window."""
        return bool(self.swa_each[layer])

    def is_recurrent(self, layer: int) -> bool:
        """Whether the layer is recurrent."""
        return bool(self.recurrent_each[layer])

    def is_indexer_full(self, layer: int) -> bool:
        """Whether the layer has an indexer of its own."""
        return bool(self.indexer_full_each[layer])

    def has_kv(self, layer: int) -> bool:
        """Whether the layer has keys and values of its own."""
        return self.layers_with_kv < 0 or layer < self.layers_with_kv

    def head_k(self, layer: int = 0) -> int:
        """Size of a key of one head."""
        return self.head_k_swa if self.is_swa(layer) else self.head_k_full

    def head_v(self, layer: int = 0) -> int:
        """Size of a value of one head."""
        return self.head_v_swa if self.is_swa(layer) else self.head_v_full

    def rot(self, layer: int = 0) -> int:
        """Number of rotary dimensions."""
        return self.rot_swa if self.is_swa(layer) else self.rot_full

    def k(self, layer: int = 0) -> int:
        """Width of the keys of all key/value heads."""
        return self.head_k(layer) * self.heads_kv(layer)

    def v(self, layer: int = 0) -> int:
        """Width of the values of all key/value heads."""
        return self.head_v(layer) * self.heads_kv(layer)

    def gqa(self, layer: int = 0) -> int:
        """Heads for each key/value head."""
        groups = self.heads_kv(layer)
        return self.heads(layer) // groups if groups else 0

    def is_mla(self) -> bool:
        """Whether attention is multi-head latent attention."""
        return self.mla_k != 0 and self.mla_v != 0

    def head_k_mla(self) -> int:
        """Size of an uncompressed key."""
        return self.mla_k if self.is_mla() else self.head_k()

    def head_v_mla(self) -> int:
        """Size of an uncompressed value."""
        return self.mla_v if self.is_mla() else self.head_v()

    def embd_inp(self) -> int:
        """Width of what goes in."""
        return self.embd_inp_given or self.embd * (1 + self.deepstack)

    def embd_inp_enc(self) -> int:
        """Width of what goes into the encoder."""
        return self.embd_inp_enc_given or self.embd_inp()

    def embd_out(self) -> int:
        """Width of what comes out."""
        return self.embd_out_given or self.embd

    # -- sliding windows ---------------------------------------------------------------------

    def swa(self, period: int, dense_first: bool) -> None:
        """Which layers have a sliding window: by the key, else all but each `period`-th."""
        key = "attention.sliding_window_pattern"
        if self.given_row(key):
            self.swa_each = self.row(key, _MAX_LAYERS)
        else:
            self.set_swa(self.u32(key, period), dense_first)

    def set_swa(self, period: int, dense_first: bool) -> None:
        """All layers but each `period`-th have a sliding window, 0: all; the first or the last."""
        for layer in range(self.layers_all):
            place = layer % period if period else 1
            is_dense = period and place == (0 if dense_first else period - 1)
            self.swa_each[layer] = int(layer < self.layers() and not is_dense)
