"""Files of the next version, byte by byte, in either byte order.

Strategy: the builder of the tests writes today's layout; the bytes that the next version has
between them are put in by hand.
"""

from __future__ import annotations

from dataclasses import replace
from struct import pack

from tests.support import builders as b
from tests.support.cases_valid import SCALAR_PAIRS, weight
from tools.next_version.numbers import (
    CHECKSUM,
    FLAGS,
    FLAGS_DEFAULT,
    STAMPS,
    TENSOR_TYPE,
    THIS_VERSION,
    VALUE_TYPE,
    VERSION,
)

SIGN = {b.LITTLE: "<", b.BIG: ">"}


def _plain(order: b.ByteOrder) -> b.Model:
    """A model that today's version can hold."""
    names = b.array(b.ARRAY, b.Array(b.STRING, (b"a", b"\xff")), b.Array(b.INT16, (1, -2)))
    pairs = (*SCALAR_PAIRS, b.Pair(b"x.nested", names))
    return b.Model(pairs, (weight(order), weight(order, b"more")), byte_order=order)


def old_file(order: b.ByteOrder, version: int = THIS_VERSION) -> bytes:
    """The model in a version of today."""
    return b.build(replace(_plain(order), version=version)).data


def new_file(order: b.ByteOrder) -> bytes:
    """The very same content in the next version."""
    return next_bytes(_plain(order), FLAGS_DEFAULT, 0)


def new_model(order: b.ByteOrder, *more: b.Pair) -> bytes:
    """A model with all that is new: flags, checksums, a value type and a tensor type."""
    sign = SIGN[order]
    stamps = tuple(pack(f"{sign}q", one) for one in STAMPS)
    blocks = b"".join(pack(f"{sign}H", 0x3C00 + i) + bytes(range(i, i + 12)) for i in range(4))
    plain = _plain(order)
    mine = (
        b.Pair(b"x.when", b.Value(VALUE_TYPE, stamps[2])),
        b.Pair(b"x.whens", b.array(VALUE_TYPE, *stamps)),
        b.Pair(b"x.many", b.array(VALUE_TYPE, *(stamps * 30))),
    )
    odd = b.Tensor(b"odd", (64, 2), TENSOR_TYPE, blocks)
    pairs = (*plain.pairs, *mine, *more)
    return next_bytes(replace(plain, pairs=pairs, tensors=(*plain.tensors, odd)), FLAGS, CHECKSUM)


def next_bytes(model: b.Model, flags: int, checksum: int) -> bytes:
    """A model in the layout of the next version."""
    built = b.build(replace(model, version=VERSION))
    sign = SIGN[model.byte_order]
    header = bytearray()
    for span in built.spans:
        header += built.data[span.start : span.end]
        if span.path == "version":
            header += pack(f"{sign}I", flags)
        elif span.path.startswith("tensors[") and span.path.endswith(".offset"):
            header += pack(f"{sign}I", checksum)
    padding = -len(header) % built.alignment
    return bytes(header) + bytes(padding) + built.data[built.data_start :]
