"""Files that are wrong: where the first wrong field is, and what ggml's loader does with them.

Offsets come from the builder's marks.  A "finding" must open: its bytes are readable, and people
need to look at such files and mend them.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from . import builders as b
from . import unknown
from .blocks import BLOCKS, REMOVED, tensor_bytes
from .builders import Array, Built, Model, Pair, Str, Tensor, Value, build
from .case_types import BadCase, Ggml, Stage
from .cases_valid import SCALAR_PAIRS, base, weight

if TYPE_CHECKING:
    from collections.abc import Iterator

HUGE = (2**31, 2**32, 2**40, 2**61, 2**62, 2**63 - 1, 2**63, 2**64 - 1)
FIRST = len(SCALAR_PAIRS)  # index of the first extra pair of `base`


def bad(
    name: str,
    doc: str,
    model: Model,
    *marks: str | int,
    stage: Stage = "parse",
    ggml: Ggml = "refuses",
    items: tuple[int, ...] = (),
) -> BadCase:
    """A bad case; `marks` name the first wrong field, then other places that may be named."""
    built = build(model)
    offsets = tuple(mark if isinstance(mark, int) else built.at(mark) for mark in marks)
    return BadCase(name, built, doc, ggml, items, stage, offsets)


def _versions() -> Iterator[BadCase]:
    next_one = unknown.VERSION
    others = (0, 255, 65_535, 65_536, next_one << 16, 0x01000100, 0xFFFFFFFF)
    for version in (next_one, next_one + 1, *others):
        for order in (b.LITTLE, b.BIG):
            swapped = int.from_bytes(version.to_bytes(4, "little"), "big")
            if {version, swapped} & {1, 2, 3}:
                continue
            model = base(version=version, byte_order=order)
            label = "0x0" if version == 0 else _label(version, next_one)
            name, doc = f"version-{label}-{order}", "a version nobody has written"
            yield bad(name, doc, model, "version", items=(18,))
    wrong = struct.pack("<I", 3)
    for order in (b.LITTLE, b.BIG):
        good = build(base(byte_order=order)).data
        other = good[:4] + (wrong[::-1] if order == b.LITTLE else wrong) + good[8:]
        made = _patched(base(byte_order=order), other)
        doc = "the version in one byte order, the rest in the other"
        name = f"version-order-lies-{order}"
        yield BadCase(name, made, doc, "refuses", (18,), "parse", (8, 16))


def _patched(model: Model, data: bytes) -> Built:
    built = build(model)
    return Built(
        model,
        data,
        built.spans,
        built.alignment,
        built.header_end,
        built.data_start,
        built.offsets,
        built.marks,
    )


def _counts() -> Iterator[BadCase]:
    at = f"metadata[{FIRST}].value"
    for huge in HUGE:
        n = f"{huge:#x}"
        yield bad(f"num-metadata-{n}", "", base(num_pairs=huge), "num_metadata", items=(19,))
        yield bad(f"num-tensors-{n}", "", base(num_tensors=huge), "num_tensors", items=(19,))
        key = base(Pair(Str(b"key", huge), b.u8(1)))
        yield bad(f"len-key-{n}", "", key, f"metadata[{FIRST}].key.len", items=(19,))
        text = base(Pair(b"key", Value(b.STRING, Str(b"text", huge))))
        yield bad(f"len-string-{n}", "", text, f"{at}.len", items=(19,))
        name = base(tensors=(weight(name=Str(b"weight", huge)),))  # type: ignore[arg-type]
        yield bad(f"len-name-{n}", "", name, "tensors[0].name.len", items=(19,))
        word = base(Pair(b"key", b.array(b.STRING, b"one", Str(b"two", huge), b"three")))
        marks = (f"{at}[1].len",)
        yield bad(f"len-element-{n}", "", word, *marks, items=(19,))
        for type_id in (b.UINT8, b.UINT64, b.STRING, b.FLOAT32):
            array = base(Pair(b"key", b.array(type_id, stated=huge)))
            name_ = f"count-{b.TYPE_NAMES[type_id]}-{n}"
            yield bad(name_, "", array, f"{at}.num_elements", items=(19,))
        nest = base(Pair(b"key", b.array(b.ARRAY, Array(b.UINT8, (1,)), stated=huge)))
        yield bad(f"count-array-{n}", "", nest, f"{at}.num_elements", items=(4, 19))
        inner = base(Pair(b"key", b.array(b.ARRAY, Array(b.UINT8, (1,), huge))))
        yield bad(f"count-inner-{n}", "", inner, f"{at}[0].num_elements", items=(4, 19))
    for dims in (2**16, 2**31, 2**32 - 1):
        one = weight()._replace(num_dims=dims)
        yield bad(
            f"num-dims-{dims:#x}", "", base(tensors=(one,)), "tensors[0].num_dims", items=(22,)
        )
    end = build(base(tensors=())).header_end
    for more in (1, 2, 1000):
        model = base(num_pairs=FIRST + more, tensors=())
        yield bad(f"num-metadata+{more}", "more pairs than there are", model, end, "num_metadata")
        model = base(num_tensors=more, tensors=())
        yield bad(f"num-tensors+{more}", "more tensors than there are", model, end, "num_tensors")
    swapped = base(Pair(Str(b"key", 3 << 56), b.u8(1)))
    yield bad("len-swapped", "a length in the other order", swapped, f"metadata[{FIRST}].key.len")


def _old_counts() -> Iterator[BadCase]:
    """Lengths of 32 bits, and of the other byte order."""
    at = f"metadata[{FIRST}].value"
    for version, order in ((1, b.LITTLE), (1, b.BIG), (3, b.BIG)):
        for huge in (2**31, 2**32 - 1):
            how = {"version": version, "byte_order": order}
            n = f"{huge:#x}-v{version}-{order}"
            model = base(num_pairs=huge, **how)
            yield bad(f"num-metadata-{n}", "", model, "num_metadata", items=(18, 19))
            model = base(num_tensors=huge, **how)
            yield bad(f"num-tensors-{n}", "", model, "num_tensors", items=(18, 19))
            model = base(Pair(b"key", Value(b.STRING, Str(b"text", huge))), **how)
            yield bad(f"len-string-{n}", "", model, f"{at}.len", items=(18, 19))
            model = base(Pair(b"key", b.array(b.STRING, b"one", stated=huge)), **how)
            yield bad(f"count-string-{n}", "", model, f"{at}.num_elements", items=(18, 19))


def _depths() -> Iterator[BadCase]:
    for depth in (1000, 100_000):
        pair = base(Pair(b"key", Value(b.ARRAY, _deep(depth))))
        stage: Stage = "either"
        yield bad(f"depth-{depth}", "arrays in arrays in arrays", pair, stage=stage, items=(4, 19))


def _deep(depth: int) -> bytes:
    level = struct.pack("<IQ", b.ARRAY, 1)
    return level * depth + struct.pack("<IQ", b.UINT8, 0)


def _types() -> Iterator[BadCase]:
    next_id = unknown.VALUE_TYPE
    for type_id in (next_id, next_id + 1, 255, 2**31, 2**32 - 1, 4 << 24):
        n = _label(type_id, next_id)
        scalar = base(Pair(b"key", Value(type_id, bytes(8))))
        yield bad(f"value-type-{n}", "no such type", scalar, f"metadata[{FIRST}].type", items=(20,))
        where = f"metadata[{FIRST}].value.element_type"
        array = base(Pair(b"key", Value(b.ARRAY, Array(type_id, (bytes(4),)))))
        yield bad(f"element-type-{n}", "no such type", array, where, items=(20,))
        empty = base(Pair(b"key", Value(b.ARRAY, Array(type_id))))
        yield bad(f"element-type-empty-{n}", "no such type, no elements", empty, where, items=(20,))


def _label(type_id: int, next_id: int) -> str:
    """A name that stays the same when the schema gets a new type or version."""
    return f"next+{type_id - next_id}" if type_id < next_id + 2 else f"{type_id:#x}"


def _keys() -> Iterator[BadCase]:
    second = f"metadata[{FIRST + 1}].key.len"
    for name, one, two in (
        ("same", b.u32(1), b.u32(1)),
        ("other-value", b.u32(1), b.u32(2)),
        ("other-type", b.u32(1), b.text("2")),
    ):
        model = base(Pair(b"twice", one), Pair(b"twice", two), Pair(b"after", b.u8(1)))
        marks = (second, f"metadata[{FIRST + 1}].key.data")
        yield bad(f"key-twice-{name}", "", model, *marks, stage="finding", items=(20,))
    three = base(*(Pair(b"k", b.u8(i)) for i in range(3)))
    yield bad("key-thrice", "", three, second, stage="finding", items=(20,))
    twice = (Pair(b"general.alignment", b.u32(n)) for n in (64, 32))
    yield bad("alignment-twice", "", base(*twice), second, stage="finding", items=(20, 21))
    empty = base(Pair(b"", b.u8(1)))
    yield bad("key-empty", "", empty, f"metadata[{FIRST}].key.len", stage="finding", items=(20,))


def _alignments() -> Iterator[BadCase]:
    value = f"metadata[{FIRST}].value"
    for number in (0, 3, 13, 24, 48, 2**31 + 1, 2**32 - 1):
        model = base(
            Pair(b"general.alignment", b.u32(number)),
            alignment=number if number < 1000 else 32,
            tensors=(weight(),) if number < 1000 else (),
        )
        yield bad(
            f"alignment-{number}",
            "not a power of two",
            model,
            value,
            f"metadata[{FIRST}].key.len",
            stage="either" if number == 0 or number > 1000 else "finding",
            items=(21,),
        )
    wrong = {
        "uint64": b.u64(64),
        "int32": b.i32(64),
        "uint8": b.u8(64),
        "float32": b.f32(64.0),
        "string": b.text("64"),
    }
    for name, given in wrong.items():
        model = base(Pair(b"general.alignment", given), alignment=32)
        marks = (f"metadata[{FIRST}].type", f"metadata[{FIRST}].key.len")
        yield bad(f"alignment-{name}", "not UINT32", model, *marks, stage="finding", items=(21,))
    array = base(Pair(b"general.alignment", b.array(b.UINT32, 64)), alignment=32)
    yield bad(
        "alignment-array",
        "not UINT32",
        array,
        f"metadata[{FIRST}].type",
        stage="finding",
        items=(21,),
    )


def _found(
    name: str,
    tensors: tuple[Tensor, ...],
    *marks: str,
    items: tuple[int, ...],
    ggml: Ggml = "refuses",
    **how: object,
) -> BadCase:
    model = base(tensors=tensors, **how)
    return bad(name, "", model, *marks, stage="finding", ggml=ggml, items=items)


def _dims() -> Iterator[BadCase]:
    five = Tensor(b"t", (2, 1, 2, 1, 2), 0, tensor_bytes(0, (8,)))
    yield _found("num-dims-5", (five,), "tensors[0].num_dims", items=(22,))
    for name, dims in {
        "2^63": (2**63,),
        "2^64-1,2": (2**64 - 1, 2),
        "2^64-1": (2**64 - 1,),
        "8,2^63": (8, 2**63),
        "2^62,4": (2**62, 4),
        "2^32,2^31": (2**32, 2**31),
        "2^62": (2**62,),
        "2^63-1": (2**63 - 1,),
    }.items():
        first = next((i for i, dim in enumerate(dims) if dim >= 2**63), 0)
        marks = tuple(f"tensors[0].dims[{i}]" for i in (first, *range(len(dims))))
        yield _found(f"dims-{name}", (Tensor(b"t", dims),), *marks, items=(22,))
    # ggml multiplies in 64 bits and takes this for an empty tensor; it is not one.
    wrap = Tensor(b"t", (2**32, 2**32))
    marks = ("tensors[0].dims[0]", "tensors[0].dims[1]")
    yield _found("dims-wrap-to-0", (wrap,), *marks, items=(22,), ggml="accepts")


def _names() -> Iterator[BadCase]:
    same = (weight(name=b"same"), weight(name=b"same"))
    marks = ("tensors[1].name.len", "tensors[1].name.data")
    yield _found("tensor-twice", same, *marks, items=(20,))
    cut = (weight(name=b"same\0a"), weight(name=b"same\0b"))
    yield _found("tensor-twice-at-nul", cut, *marks, items=(20,))
    cut = (weight(name=b"same"), weight(name=b"same\0"))
    yield _found("tensor-twice-trailing-nul", cut, *marks, items=(20,))
    empty = (weight(name=b""), weight(name=b""))
    yield _found("tensor-twice-empty", empty, *marks, items=(20,))
    long = (weight(name=b"n" * 65),)
    yield _found("tensor-name-65", long, "tensors[0].name.len", "tensors[0].name.data", items=(20,))


def _offsets() -> Iterator[BadCase]:
    def two(name: str, *offsets: int | None, place: bool = True, size: int = 2) -> BadCase:
        tensors = tuple(
            weight(name=b"t%d" % i)._replace(
                offset=offset, place=offset if place and offset is not None else None
            )
            for i, offset in enumerate(offsets[:size])
        )
        wrong = next(i for i, offset in enumerate(offsets) if offset != 32 * i)
        return _found(f"offset-{name}", tensors, f"tensors[{wrong}].offset", items=(23,))

    yield two("overlap", 0, 0)
    yield two("overlap-half", 0, 16)
    yield two("gap", 0, 64)
    yield two("gap-first", 32, 64)
    yield two("misaligned", 0, 36)
    yield two("misaligned-4", 0, 4)
    yield two("misaligned-first", 4, 64)
    yield two("disorder", 32, 0)
    yield two("disorder-3", 64, 0, 32, size=3)
    yield two("past-end", 0, 4096, place=False)
    yield two("far-past-end", 0, 2**40, place=False)
    yield two("wraps", 0, 2**64 - 32, place=False)
    yield two("wraps-data-start", 0, 2**64 - 256, place=False)
    yield two("2^63", 0, 2**63, place=False)
    yield two("all-ones", 0, 2**64 - 1, place=False)


def _blocks() -> Iterator[BadCase]:
    rows = Tensor(b"t", (33,), 2, bytes(36))
    yield _found("block-33", (rows,), "tensors[0].dims[0]", "tensors[0].type", items=(24,))
    for type_id, block in BLOCKS.items():
        if block.elements > 1:
            half = Tensor(b"t", (block.elements // 2, 2), type_id, bytes(block.nbytes))
            marks = ("tensors[0].dims[0]", "tensors[0].type")
            yield _found(f"block-{block.name}", (half,), *marks, items=(24,))
    for type_id, name in REMOVED.items():
        old = (Tensor(b"t", (64,), type_id, bytes(64)), weight())
        yield _found(f"removed-{name}", old, "tensors[0].type", items=(24,))
    for type_id in (unknown.TENSOR_TYPE, 100, 2**31 - 1, 2**31, 2**32 - 1):
        future = (Tensor(b"t", (64,), type_id, bytes(range(96))), weight())
        name = f"future-{_label(type_id, unknown.TENSOR_TYPE)}"
        yield _found(name, future, "tensors[0].type", items=(15, 20))
    last = (weight(), Tensor(b"t", (64,), unknown.TENSOR_TYPE, bytes(range(40))))
    yield _found("future-last", last, "tensors[1].type", items=(15,))


BAD: tuple[BadCase, ...] = (
    *_versions(),
    *_counts(),
    *_old_counts(),
    *_depths(),
    *_types(),
    *_keys(),
    *_alignments(),
    *_dims(),
    *_names(),
    *_offsets(),
    *_blocks(),
)
