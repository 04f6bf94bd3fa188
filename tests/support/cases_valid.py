"""Files that are right, however odd: each must open and come back byte for byte."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import builders as b
from .blocks import BLOCKS, swap_bytes, tensor_bytes
from .builders import Array, ByteOrder, Model, Pair, Tensor, Value
from .case_types import ValidCase, valid

if TYPE_CHECKING:
    from collections.abc import Iterator

LIMITS: dict[int, tuple[int, ...]] = {
    b.UINT8: (0, 1, 127, 128, 255),
    b.INT8: (0, -1, 127, -128),
    b.UINT16: (0, 1, 0x1234, 65535),
    b.INT16: (0, -1, 0x1234, -32768, 32767),
    b.UINT32: (0, 1, 0x12345678, 2**32 - 1),
    b.INT32: (0, -1, 0x12345678, -(2**31), 2**31 - 1),
    # Bits: 0, -0, 1, not exact, smallest, largest, infinities, quiet and signalling NaNs.
    b.FLOAT32: (
        *(0, 0x80000000, 0x3F800000, 0x3DCCCCCD, 1, 0x7F7FFFFF, 0x7F800000, 0xFF800000),
        *(0x7FC00000, 0xFFC00000, 0x7FC12345, 0x7F800001, 0xFFA00000, 0x7FFFFFFF),
    ),
    b.BOOL: (0, 1, 2, 128, 255),
    b.UINT64: (0, 1, 2**53 + 1, 0x123456789ABCDEF0, 2**64 - 1),
    b.INT64: (0, -1, 2**53 + 1, -(2**63), 2**63 - 1),
    b.FLOAT64: (
        *(0, 1 << 63, 0x3FF0000000000000, 0x3FB999999999999A, 1, 0x7FEFFFFFFFFFFFFF),
        *(0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0xFFF8000000000001),
        *(0x7FF0000000000001, 0xFFF4000000000000, 0x7FFFFFFFFFFFFFFF),
    ),
}
ODD_STRINGS: tuple[bytes, ...] = (
    *(b"", b"plain", b"\0", b"a\0b", b"\0\0end\0", b"\xff\xfe", b"ok\xc3", b"\xc0\x80"),
    *(b"\xed\xa0\x80", b"\xef\xbb\xbfbom", b"\xe2\x96\x81the", "naïve 模型 🦙".encode()),
    *(b"line\r\nline\n", b"\x1b[31mred\x1b[0m", b"\x7f\x80\x81", b"<|im_start|>", b" lead trail "),
)
ORDERS: tuple[ByteOrder, ...] = (b.LITTLE, b.BIG)
F32_8 = b"".join(number.to_bytes(4, "little") for number in range(0x3F800000, 0x3F800008))
SCALAR_PAIRS = (
    Pair(b"general.architecture", b.text("llama")),
    Pair(b"llama.block_count", b.u32(1)),
    Pair(b"llama.rope.freq_base", b.f32(10000.0)),
    Pair(b"tokenizer.ggml.add_bos_token", b.boolean(1)),
)


def weight(order: ByteOrder = b.LITTLE, name: bytes = b"weight", **how: int) -> Tensor:
    """The F32[8] tensor of the base file."""
    return Tensor(name, (8,), 0, F32_8 if order == b.LITTLE else swap_bytes(0, F32_8), **how)


def base(*pairs: Pair, **how: object) -> Model:
    """The base file: a few scalars, then `pairs`, then one F32[8] tensor."""
    order: ByteOrder = b.BIG if how.get("byte_order") == b.BIG else b.LITTLE
    how.setdefault("tensors", (weight(order),))
    return Model((*SCALAR_PAIRS, *pairs), **how)  # type: ignore[arg-type]


def _forms(name: str, doc: str, *pairs: Pair, items: tuple[int, ...] = ()) -> Iterator[ValidCase]:
    """The same content in each version and byte order."""
    for version in (1, 2, 3):
        for order in ORDERS:
            model = base(*pairs, version=version, byte_order=order)
            yield valid(f"{name}-v{version}-{order}", doc, model, *items)


def _scalars() -> Iterator[ValidCase]:
    for type_id, numbers in LIMITS.items():
        name = b.TYPE_NAMES[type_id]
        pairs = [Pair(b"x.%d" % i, Value(type_id, n)) for i, n in enumerate(numbers)]
        pairs.append(Pair(b"x.array", b.array(type_id, *numbers)))
        pairs.append(Pair(b"x.one", b.array(type_id, numbers[-1])))
        pairs.append(Pair(b"x.empty", b.array(type_id)))
        yield from _forms(f"all-{name}", f"limits and odd bits of {name}", *pairs, items=(2, 3, 9))


def _strings() -> Iterator[ValidCase]:
    pairs = [Pair(b"s.%d" % i, b.text(value)) for i, value in enumerate(ODD_STRINGS)]
    pairs.append(Pair(b"tokenizer.ggml.tokens", b.array(b.STRING, *ODD_STRINGS)))
    pairs.append(Pair(b"s.none", b.array(b.STRING)))
    pairs.append(Pair(b"s.blank", b.array(b.STRING, b"", b"", b"")))
    pairs.append(Pair(b"tokenizer.chat_template", b.text("{{ a }}\r\n{% if b %}\n")))
    pairs.append(Pair(b"tokenizer.chat_template.tool_use", b.text("{{ tools }}")))
    yield from _forms("strings", "NUL, invalid UTF-8, control bytes, CRLF", *pairs, items=(5, 11))
    long = (Pair(b"s.long", b.text(b"x" * 70_000)), Pair(b"after", b.u8(7)))
    yield valid("string-70000", "a string longer than 65535 bytes", base(*long), 11)


def _keys() -> Iterator[ValidCase]:
    odd = (
        *(b" ", b"a b", b"Capital.Key", "模型.名字".encode(), b"nul\0key", b"\xff\xfe", b"."),
        *(b"..", b"a..b", b"version", b"GGUF.version", b"__proto__", b"constructor", b"\n"),
        *(b"general.alignment2", b"my.general.alignment", b"General.alignment", b"-"),
    )
    pairs = [Pair(key, b.u32(64)) for key in odd]
    yield from _forms("keys-odd", "keys that no convention allows", *pairs, items=(14,))
    for size in (1, 64, 65_535, 65_536):
        yield valid(f"key-{size}", "a key by length", base(Pair(b"k" * size, b.text(b""))), 14)
    last = Model((Pair(b"z", b.u8(1)), *reversed(SCALAR_PAIRS)), (weight(),))
    yield valid("architecture-last", "keys in another order than usual", last, 6)
    many = [Pair(b"k.%d" % i, b.u16(i)) for i in range(1000)]
    yield valid("keys-1000", "a thousand keys", base(*many), 6)


def _nested() -> Iterator[ValidCase]:
    one, two = Array(b.UINT8, (1, 2)), Array(b.UINT8, (3,))
    words = Array(b.STRING, (b"a", b"", b"\xff"))
    shapes: dict[bytes, Value] = {
        b"n.numbers": b.array(b.ARRAY, one, two),
        b"n.strings": b.array(b.ARRAY, words, Array(b.STRING)),
        b"n.three": b.array(b.ARRAY, Array(b.ARRAY, (one, two)), Array(b.ARRAY, (two,))),
        b"n.mixed": b.array(b.ARRAY, one, words, Array(b.FLOAT64, (b.f64_bits(0.5),))),
        b"n.depths": b.array(b.ARRAY, one, Array(b.ARRAY, (two,)), Array(b.ARRAY)),
        b"n.empty": b.array(b.ARRAY),
        b"n.empties": b.array(b.ARRAY, Array(b.INT64), Array(b.STRING), Array(b.ARRAY)),
    }
    pairs = [Pair(key, value) for key, value in shapes.items()]
    pairs.append(Pair(b"after", b.u8(9)))
    yield from _forms("nested", "arrays of arrays of every kind", *pairs, items=(4,))
    for pair in pairs[:-1]:
        name = pair.key.decode() if isinstance(pair.key, bytes) else ""
        yield valid(f"nested-{name[2:]}", "one nested array", base(pair), 4)


def _alignments() -> Iterator[ValidCase]:
    for alignment in (1, 2, 4, 8, 16, 32, 64, 128, 4096, 65_536):
        for order in ORDERS:
            pair = Pair(b"general.alignment", b.u32(alignment))
            tensors = (weight(order, b"a"), Tensor(b"b", (3,), 24, b"abc"), weight(order, b"c"))
            model = base(pair, Pair(b"after", b.u8(1)), byte_order=order, tensors=tensors)
            yield valid(f"alignment-{alignment}-{order}", "a stated alignment", model, 7, 8)
    first = Model((Pair(b"general.alignment", b.u32(64)), *SCALAR_PAIRS), (weight(),))
    yield valid("alignment-first", "the alignment is the first key", first, 7)
    v1 = base(Pair(b"general.alignment", b.u32(64)), version=1)
    yield valid("alignment-v1", "a stated alignment in version 1", v1, 7, 18)


def _tensor_types() -> Iterator[ValidCase]:
    for type_id, block in BLOCKS.items():
        dims = (block.elements * 2, 3)
        data = tensor_bytes(type_id, dims)
        for order in ORDERS:
            there = data if order == b.LITTLE else swap_bytes(type_id, data)
            tensors = (Tensor(b"q", dims, type_id, there), weight(order))
            model = base(byte_order=order, tensors=tensors)
            yield valid(f"type-{block.name}-{order}", "a tensor of this type", model, 1, 15)


def _shapes() -> Iterator[ValidCase]:
    shapes: tuple[tuple[int, ...], ...] = (
        *((), (1,), (0,), (0, 5), (5, 0), (2, 3), (2, 3, 2), (2, 1, 1, 1), (1, 1, 1, 2)),
        *((3, 2, 2, 1),),
    )
    for version in (1, 2, 3):
        tensors = tuple(
            Tensor(b"t.%d" % i, dims, 0, tensor_bytes(0, dims)) for i, dims in enumerate(shapes)
        )
        name = f"shapes-v{version}"
        yield valid(
            name, "0 to 4 dims, zeros, ones", base(version=version, tensors=tensors), 22, 27
        )
    names = (b"", b"n" * 63, "表.weight".encode(), b"a b", b"\xff\xfe", b"a\0b", b"c\0b")
    odd = tuple(weight(name=name) for name in names)
    yield valid("tensor-names", "names that no convention allows", base(tensors=odd), 5)
    long = base(tensors=(weight(name=b"n" * 64),))
    yield valid("tensor-name-64", "the spec allows 64 bytes", long, ggml="refuses")
    many = tuple(weight(name=b"blk.%d.w" % i) for i in range(200))
    yield valid("tensors-200", "many tensors", base(tensors=many))


def _edges() -> Iterator[ValidCase]:
    for version in (1, 2, 3):
        for order in ORDERS:
            model = Model(version=version, byte_order=order)
            yield valid(f"empty-v{version}-{order}", "no keys, no tensors", model, 16)
    yield valid("no-tensors", "metadata only", base(tensors=()), 26)
    padded = base(tensors=(), pad_header=True)
    yield valid("no-tensors-padded", "metadata only, padded at the end", padded, 26)
    yield valid("no-keys", "tensors only", Model(tensors=(weight(),)), 26)
    yield valid("tail", "bytes after the data", base(tail=b"trailing bytes"), 16)
    yield valid("padding-nonzero", "padding that is not zero", base(pad_byte=0xAA), 16)
    three = (weight(name=b"a"), Tensor(b"b", (3,), 24, b"abc"))
    unpadded = base(tensors=three, pad_end=False)
    yield valid("unpadded", "no padding after the last tensor", unpadded, 16)
    again = base(tensors=(*three, Tensor(b"c", (5,), 24, b"defgh")))
    yield valid("padded", "padding between tensors and at the end", again, 16)
    vocab = (
        Pair(b"tokenizer.ggml.tokens", b.array(b.STRING, *(b"tok%d" % i for i in range(3000)))),
        Pair(b"tokenizer.ggml.scores", b.array(b.FLOAT32, *range(3000))),
        Pair(b"tokenizer.ggml.token_type", b.array(b.INT32, *([1] * 3000))),
    )
    yield valid("vocabulary", "three thousand tokens", base(*vocab), 19, 28)


def growing_headers() -> Iterator[ValidCase]:
    """The header by every length: the data start moves, the tensor's bytes do not change."""
    for size in range(65):
        model = base(Pair(b"general.description", b.text(b"d" * size)))
        yield valid(f"header+{size}", "a header of another length", model, 8)


VALID: tuple[ValidCase, ...] = (
    *_edges(),
    *_scalars(),
    *_strings(),
    *_keys(),
    *_nested(),
    *_alignments(),
    *_tensor_types(),
    *_shapes(),
)
