"""What a case is: bytes, and what is known of them without asking any code of ours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from .builders import ARRAY, Array, Built, ByteOrder, Model, Str, Value, build, spec_of

Ggml = Literal["accepts", "refuses"]
Stage = Literal["parse", "finding", "either"]


@dataclass(frozen=True)
class Expected:
    """What every reader must see.  `tensors`: (name, dims in file order, type id, relative offset,
    absolute start).  `data_start` is None without tensors: readers differ, nothing depends on it.
    """

    version: int
    byte_order: ByteOrder
    alignment: int
    header_end: int
    data_start: int | None
    metadata: tuple[tuple[bytes, str, Value], ...]
    tensors: tuple[tuple[bytes, tuple[int, ...], int, int, int], ...]


@dataclass(frozen=True)
class Case:
    """`items` are the situations it stands for, by their number in the list of real-life cases;
    `ggml` is what ggml's own loader does with the header (it loads the host's byte order only:
    the field speaks of a host of the file's byte order)."""

    name: str
    built: Built
    doc: str
    ggml: Ggml
    items: tuple[int, ...] = ()

    @property
    def data(self) -> bytes:
        """The file."""
        return self.built.data

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class ValidCase(Case):
    """A file that every complete reader must take, and give back byte for byte."""

    @property
    def expected(self) -> Expected:
        """The description, from what the builder was told to write."""
        return describe(self.built)


@dataclass(frozen=True)
class BadCase(Case):
    """A file that is wrong.  `stage`: "parse" must raise ParseError, "finding" must open and be
    reported by validation, "either" leaves it open.  `offsets`: the first wrong field, and then
    other places that may fairly be named."""

    stage: Stage = "parse"
    offsets: tuple[int, ...] = ()

    @property
    def offset(self) -> int | None:
        """Absolute offset of the first wrong field."""
        return self.offsets[0] if self.offsets else None


def _plain(payload: Any) -> Any:
    """Canonical form without the lies: what the bytes say when lengths are true."""
    if isinstance(payload, Array):
        return Array(payload.type, tuple(_plain(item) for item in payload.items))
    return payload.data if isinstance(payload, Str) else payload


def describe(built: Built) -> Expected:
    """The description of a truthful model."""
    model = built.model
    metadata = tuple(
        (_plain(pair.key), spec_of(pair.value), Value(pair.value.type, _plain(pair.value.payload)))
        for pair in model.pairs
    )
    tensors = tuple(
        (_plain(t.name), t.dims, t.type, offset, built.data_start + offset)
        for t, offset in zip(model.tensors, built.offsets, strict=True)
    )
    return Expected(
        version=model.version,
        byte_order=model.byte_order,
        alignment=built.alignment,
        header_end=built.header_end,
        data_start=built.data_start if model.tensors else None,
        metadata=metadata,
        tensors=tensors,
    )


def _ggml_view(built: Built) -> Ggml:
    """What ggml's loader says of a file whose only oddities are version, nesting and alignment."""
    nested = any(
        pair.value.type == ARRAY and pair.value.payload.type == ARRAY for pair in built.model.pairs
    )
    power_of_two = built.alignment > 0 and built.alignment & (built.alignment - 1) == 0
    version = built.model.version
    return "accepts" if version in (2, 3) and not nested and power_of_two else "refuses"


def valid(name: str, doc: str, model: Model, *items: int, ggml: Ggml | None = None) -> ValidCase:
    """A valid case; what ggml does is worked out unless told."""
    built = build(model)
    return ValidCase(name, built, doc, ggml or _ggml_view(built), items)
