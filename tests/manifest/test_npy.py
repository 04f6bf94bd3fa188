"""Headers of .npy files: the same bytes as numpy's, and read as numpy reads them."""

from __future__ import annotations

from io import BytesIO

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gguf_construct.errors import BuildError
from gguf_construct.manifest.npy import NpyHeader, npy_header, read_npy_header

DTYPES = ["<f4", ">f4", "<f8", "<f2", ">i2", "<i4", "<i8", "<u8", ">u4", "|u1", "|i1", "|b1"]
SHAPES: list[tuple[int, ...]] = [(), (0,), (1,), (7,), (2, 3), (0, 5), (2, 1, 3, 1), (10**12, 3)]


def by_numpy(
    dtype: str, shape: tuple[int, ...], write: str = "1_0", fortran: bool = False
) -> bytes:
    out = BytesIO()
    header = {"descr": np.dtype(dtype).str, "fortran_order": fortran, "shape": shape}
    getattr(np.lib.format, f"write_array_header_{write}")(out, header)
    return out.getvalue()


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", DTYPES)
def test_headers_are_those_of_numpy(dtype: str, shape: tuple[int, ...]) -> None:
    ours = npy_header(dtype, shape)
    stream = BytesIO(ours)
    assert np.lib.format.read_magic(stream) == (1, 0)
    assert np.lib.format.read_array_header_1_0(stream) == (shape, False, np.dtype(dtype))
    assert len(ours) % 64 == 0
    kind = {"f": "f", "i": "s", "u": "u", "b": "u"}[dtype[1]]
    for data in (ours, by_numpy(dtype, shape), by_numpy(dtype, shape, "2_0")):
        expected = NpyHeader(dtype[0].replace("|", "<"), kind, int(dtype[2]), shape, len(data))
        assert read_npy_header(data + b"data") == expected


def test_the_order_of_columns_matters_only_where_there_are_some() -> None:
    assert read_npy_header(by_numpy("<f4", (1, 5), fortran=True)).shape == (1, 5)
    with pytest.raises(BuildError, match="Fortran"):
        read_npy_header(by_numpy("<f4", (2, 5), fortran=True))


@pytest.mark.parametrize("dtype", ["<c8", "<U3", "<M8[s]", "<f16", "|V3"])
def test_what_is_no_plain_number_is_refused(dtype: str) -> None:
    with pytest.raises(BuildError):
        read_npy_header(by_numpy(dtype, (1,)))


def test_damaged_headers_are_refused_or_read() -> None:
    good = by_numpy("<f4", (2, 3))

    @given(st.integers(0, len(good) - 1), st.binary(max_size=6), st.integers(0, 8))
    def check(at: int, data: bytes, gone: int) -> None:
        try:
            read_npy_header(good[:at] + data + good[at + gone :])
        except BuildError as error:
            assert error.message  # noqa: PT017

    check()
    for size in range(len(good)):
        with pytest.raises(BuildError):
            read_npy_header(good[:size])
