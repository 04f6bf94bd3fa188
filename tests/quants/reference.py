"""Scalar decoders, one element at a time in plain Python: the slow twin of the library's.

Written from the block formats, with nothing of the library.  Arithmetic is in single precision,
through numpy scalars.  Codebooks are passed in, so that a made-up one will do.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence

import numpy as np

Single = np.float32
Codebook = Sequence[Sequence[int]]
Decoder = Callable[[bytes, Codebook], list[np.float32]]

FP4 = (0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12)
LEVELS = (-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113)


def half(block: bytes, at: int) -> np.float32:
    """A little-endian half float."""
    value: np.float32 = Single(struct.unpack_from("<e", block, at)[0])
    return value


def word(block: bytes, at: int, width: int = 2) -> int:
    """A little-endian unsigned integer."""
    return int.from_bytes(block[at : at + width], "little")


def signed_byte(value: int) -> int:
    """A byte as two's complement."""
    return value - 256 if value > 127 else value


def nibble(data: bytes, j: int, run: int) -> int:
    """Element j of 4-bit values: runs of `run` bytes, low nibbles before high ones."""
    part, within = divmod(j, 2 * run)
    byte = data[part * run + within % run]
    return byte & 15 if within < run else byte >> 4


def plane(data: bytes, j: int, run: int, bits: int) -> int:
    """Element j of `bits`-wide values in planes over runs of `run` bytes."""
    part, within = divmod(j, run * (8 // bits))
    shift = within // run * bits
    return data[part * run + within % run] >> shift & ((1 << bits) - 1)


def linear(d: np.float32, values: Sequence[int], m: np.float32 | None = None) -> list[np.float32]:
    """d * value, plus m if there is one."""
    products = [d * Single(value) for value in values]
    return products if m is None else [product + m for product in products]


def q1_0(b: bytes, _: Codebook) -> list[np.float32]:
    return [half(b, 0) if b[2 + j // 8] >> j % 8 & 1 else -half(b, 0) for j in range(128)]


def q2_0(b: bytes, _: Codebook) -> list[np.float32]:
    return linear(half(b, 0), [(b[2 + j // 4] >> 2 * (j % 4) & 3) - 1 for j in range(64)])


def q4_0(b: bytes, _: Codebook) -> list[np.float32]:
    return linear(half(b, 0), [nibble(b[2:], j, 16) - 8 for j in range(32)])


def q4_1(b: bytes, _: Codebook) -> list[np.float32]:
    return linear(half(b, 0), [nibble(b[4:], j, 16) for j in range(32)], half(b, 2))


def q5_0(b: bytes, _: Codebook) -> list[np.float32]:
    high = word(b, 2, 4)
    values = [(nibble(b[6:], j, 16) | (high >> j & 1) << 4) - 16 for j in range(32)]
    return linear(half(b, 0), values)


def q5_1(b: bytes, _: Codebook) -> list[np.float32]:
    high = word(b, 4, 4)
    values = [nibble(b[8:], j, 16) | (high >> j & 1) << 4 for j in range(32)]
    return linear(half(b, 0), values, half(b, 2))


def q8_0(b: bytes, _: Codebook) -> list[np.float32]:
    return linear(half(b, 0), [signed_byte(q) for q in b[2:]])


def q8_1(b: bytes, _: Codebook) -> list[np.float32]:
    return linear(half(b, 0), [signed_byte(q) for q in b[4:]])


def q8_k(b: bytes, _: Codebook) -> list[np.float32]:
    d = Single(struct.unpack_from("<f", b)[0])
    return linear(d, [signed_byte(q) for q in b[4:260]])


def q2_k(b: bytes, _: Codebook) -> list[np.float32]:
    d, dmin, out = half(b, 80), half(b, 82), []
    for j in range(256):
        code = b[j // 16]
        scale, minimum = d * Single(code & 15), dmin * Single(code >> 4)
        out.append(scale * Single(plane(b[16:80], j, 32, 2)) - minimum)
    return out


def q3_k(b: bytes, _: Codebook) -> list[np.float32]:
    d, packed, out = half(b, 108), b[96:108], []
    for j in range(256):
        k = j // 16
        low = packed[k] & 15 if k < 8 else packed[k - 8] >> 4
        scale = d * Single((low | (packed[8 + k % 4] >> 2 * (k // 4) & 3) << 4) - 32)
        value = plane(b[32:96], j, 32, 2) - (0 if plane(b[:32], j, 32, 1) else 4)
        out.append(scale * Single(value))
    return out


def scale_and_min(packed: bytes, k: int) -> tuple[int, int]:
    """6-bit scale and minimum number k of Q4_K and Q5_K."""
    if k < 4:
        return packed[k] & 63, packed[k + 4] & 63
    high = packed[k + 4]
    return high & 15 | packed[k - 4] >> 6 << 4, high >> 4 | packed[k] >> 6 << 4


def _k45(b: bytes, values: Sequence[int]) -> list[np.float32]:
    d, dmin, out = half(b, 0), half(b, 2), []
    for j, value in enumerate(values):
        scale, minimum = scale_and_min(b[4:16], j // 32)
        out.append(d * Single(scale) * Single(value) - dmin * Single(minimum))
    return out


def q4_k(b: bytes, _: Codebook) -> list[np.float32]:
    return _k45(b, [nibble(b[16:], j, 32) for j in range(256)])


def q5_k(b: bytes, _: Codebook) -> list[np.float32]:
    high = b[16:48]
    return _k45(b, [nibble(b[48:], j, 32) | plane(high, j, 32, 1) << 4 for j in range(256)])


def q6_k(b: bytes, _: Codebook) -> list[np.float32]:
    d, out = half(b, 208), []
    for j in range(256):
        value = (nibble(b[:128], j, 64) | plane(b[128:192], j, 32, 2) << 4) - 32
        out.append(d * Single(signed_byte(b[192 + j // 16])) * Single(value))
    return out


def tq1_0(b: bytes, _: Codebook) -> list[np.float32]:
    values = []
    for part, num_digits in ((b[:32], 5), (b[32:48], 5), (b[48:52], 4)):
        for i in range(num_digits):
            values += [(byte * 3**i % 256 * 3 >> 8) - 1 for byte in part]
    return linear(half(b, 52), values)


def tq2_0(b: bytes, _: Codebook) -> list[np.float32]:
    return linear(half(b, 64), [plane(b[:64], j, 32, 2) - 1 for j in range(256)])


def mxfp4(b: bytes, _: Codebook) -> list[np.float32]:
    return linear(Single(2.0 ** (b[0] - 128)), [FP4[nibble(b[1:], j, 16)] for j in range(32)])


def nvfp4(b: bytes, _: Codebook) -> list[np.float32]:
    out = []
    for j in range(64):
        code = b[j // 16]
        exponent, mantissa = code >> 3 & 15, code & 7
        value = (1 + mantissa / 8) * 2.0 ** (exponent - 7) if exponent else mantissa / 512
        scale = Single(0 if code == 0x7F else value / 2)
        out.append(scale * Single(FP4[nibble(b[4:], j, 8)]))
    return out


def iq4_nl(b: bytes, _: Codebook) -> list[np.float32]:
    return linear(half(b, 0), [LEVELS[nibble(b[2:], j, 16)] for j in range(32)])


def iq4_xs(b: bytes, _: Codebook) -> list[np.float32]:
    d, high, out = half(b, 0), word(b, 2), []
    for j in range(256):
        k = j // 32
        code = b[4 + k // 2] >> 4 * (k % 2) & 15 | (high >> 2 * k & 3) << 4
        out.append(d * Single(code - 32) * Single(LEVELS[nibble(b[8:], j, 16)]))
    return out


def sign7(index: int, j: int) -> int:
    """Factor of element j of 8 for a 7-bit sign index: an even number of them is negative."""
    bits = index | (index.bit_count() & 1) << 7
    return -1 if bits >> j & 1 else 1


def iq2_xxs(b: bytes, book: Codebook) -> list[np.float32]:
    d, out = half(b, 0), []
    for j in range(256):
        start = 2 + j // 32 * 8
        part = j // 8 % 4
        signs = word(b, start + 4, 4)
        scale = d * (Single(0.5) + Single(signs >> 28)) * Single(0.25)
        entry = book[b[start + part]][j % 8]
        out.append(scale * Single(entry) * Single(sign7(signs >> 7 * part & 127, j % 8)))
    return out


def iq2_xs(b: bytes, book: Codebook) -> list[np.float32]:
    d, out = half(b, 0), []
    for j in range(256):
        code = word(b, 2 + j // 8 * 2)
        level = b[66 + j // 32] >> 4 * (j // 16 % 2) & 15
        scale = d * (Single(0.5) + Single(level)) * Single(0.25)
        out.append(scale * Single(book[code & 511][j % 8]) * Single(sign7(code >> 9, j % 8)))
    return out


def iq2_s(b: bytes, book: Codebook) -> list[np.float32]:
    d, out = half(b, 0), []
    for j in range(256):
        i = j // 8
        index = b[2 + i] | (b[66 + i // 4] >> 2 * (i % 4) & 3) << 8
        level = b[74 + j // 32] >> 4 * (j // 16 % 2) & 15
        scale = d * (Single(0.5) + Single(level)) * Single(0.25)
        sign = -1 if b[34 + i] >> j % 8 & 1 else 1
        out.append(scale * Single(book[index][j % 8]) * Single(sign))
    return out


def iq3_xxs(b: bytes, book: Codebook) -> list[np.float32]:
    d, out = half(b, 0), []
    for j in range(256):
        code = word(b, 66 + j // 32 * 4, 4)
        scale = d * (Single(0.5) + Single(code >> 28)) * Single(0.5)
        sign = sign7(code >> 7 * (j // 8 % 4) & 127, j % 8)
        out.append(scale * Single(book[b[2 + j // 4]][j % 4]) * Single(sign))
    return out


def iq3_s(b: bytes, book: Codebook) -> list[np.float32]:
    d, out = half(b, 0), []
    for j in range(256):
        i = j // 4
        index = b[2 + i] | (b[66 + i // 8] >> i % 8 & 1) << 8
        level = b[106 + j // 64] >> 4 * (j // 32 % 2) & 15
        sign = -1 if b[74 + j // 8] >> j % 8 & 1 else 1
        out.append(d * Single(1 + 2 * level) * Single(book[index][j % 4]) * Single(sign))
    return out


def iq1_s(b: bytes, book: Codebook) -> list[np.float32]:
    d, out = half(b, 0), []
    for j in range(256):
        code = word(b, 34 + j // 32 * 2)
        index = b[2 + j // 8] | (code >> 3 * (j // 8 % 4) & 7) << 8
        delta = Single(-0.125 if code >> 15 else 0.125)
        scale = d * Single(2 * (code >> 12 & 7) + 1)
        out.append(scale * (Single(book[index][j % 8]) + delta))
    return out


def iq1_m(b: bytes, book: Codebook) -> list[np.float32]:
    words = [word(b, 48 + 2 * i) for i in range(4)]
    bits = sum((words[i] >> 12) << 4 * i for i in range(4))
    d, out = half(struct.pack("<H", bits), 0), []
    for j in range(256):
        code = b[32 + j // 16] >> 4 * (j // 8 % 2) & 15
        index = b[j // 8] | (code & 7) << 8
        delta = Single(-0.125 if code >> 3 else 0.125)
        scale = d * Single(2 * (words[j // 64] >> 3 * (j // 16 % 4) & 7) + 1)
        out.append(scale * (Single(book[index][j % 8]) + delta))
    return out


DECODERS: dict[str, Decoder] = {
    "Q1_0": q1_0,
    "Q2_0": q2_0,
    "Q4_0": q4_0,
    "Q4_1": q4_1,
    "Q5_0": q5_0,
    "Q5_1": q5_1,
    "Q8_0": q8_0,
    "Q8_1": q8_1,
    "Q8_K": q8_k,
    "Q2_K": q2_k,
    "Q3_K": q3_k,
    "Q4_K": q4_k,
    "Q5_K": q5_k,
    "Q6_K": q6_k,
    "TQ1_0": tq1_0,
    "TQ2_0": tq2_0,
    "MXFP4": mxfp4,
    "NVFP4": nvfp4,
    "IQ4_NL": iq4_nl,
    "IQ4_XS": iq4_xs,
    "IQ1_S": iq1_s,
    "IQ1_M": iq1_m,
    "IQ2_XXS": iq2_xxs,
    "IQ2_XS": iq2_xs,
    "IQ2_S": iq2_s,
    "IQ3_XXS": iq3_xxs,
    "IQ3_S": iq3_s,
}
