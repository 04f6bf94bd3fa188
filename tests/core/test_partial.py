"""What can be read of a broken header: everything before the fault, and nothing that is a guess."""

from __future__ import annotations

import pytest

from gguf_construct._generated.types import LIMITS, Limits
from gguf_construct.core.partial import salvage
from gguf_construct.errors import (
    InvalidFieldError,
    LimitExceededError,
    TruncatedError,
    UnsupportedVersionError,
)
from tests.support import builders as b
from tests.support.cases_valid import SCALAR_PAIRS, base, weight

KEYS = [pair.key.decode() for pair in SCALAR_PAIRS if isinstance(pair.key, bytes)]


def broken(*, order: b.ByteOrder = b.LITTLE, version: int = 3) -> b.Built:
    """Two tensors; files are cut from it."""
    tensors = (weight(order, b"one"), weight(order, b"two"))
    return b.build(base(byte_order=order, version=version, tensors=tensors))


def test_a_sound_file_has_no_fault() -> None:
    data = broken().data
    found = salvage(data)
    assert found.error is None
    assert (found.all_metadata, found.all_tensors) == (True, True)
    assert found.document is not None
    assert list(found.document.metadata) == KEYS


@pytest.mark.parametrize("order", [b.LITTLE, b.BIG])
@pytest.mark.parametrize("version", [1, 2, 3])
def test_everything_before_the_fault_is_read(order: b.ByteOrder, version: int) -> None:
    built = broken(order=order, version=version)
    for index in range(len(KEYS)):
        found = salvage(damaged(built, f"metadata[{index}].type"))
        assert isinstance(found.error, InvalidFieldError)
        assert found.error.offset == built.at(f"metadata[{index}].type")
        assert found.document is not None
        assert list(found.document.metadata) == KEYS[:index]
        assert (found.all_metadata, found.all_tensors) == (False, False)
        start = built.at(f"metadata[{index}].key.len")
        assert found.document.header_end == found.document.table_start == start
        assert found.document.tensors.all == ()
    for index, names in enumerate(([], ["one"])):
        found = salvage(damaged(built, f"tensors[{index}].num_dims"))
        assert found.document is not None
        assert (found.all_metadata, found.all_tensors) == (True, False)
        assert list(found.document.metadata) == KEYS
        assert [one.name for one in found.document.tensors.all] == names
        assert found.document.table_start == built.at("tensors[0].name.len")
        assert found.document.header_end == built.at(f"tensors[{index}].name.len")
        assert (found.document.byte_order, found.document.version) == (order, version)
        assert (found.document.body.num_tensors, found.document.body.num_metadata) == (2, 4)


def damaged(built: b.Built, path: str) -> bytes:
    """The file with a number of 32 bits that cannot be."""
    at = built.at(path)
    return built.data[:at] + b"\xff" * 4 + built.data[at + 4 :]


def test_a_cut_that_leaves_no_room_for_the_rest_makes_the_count_doubtful() -> None:
    built = broken()
    found = salvage(built.data[: built.at("metadata[1].key.len")])
    assert isinstance(found.error, TruncatedError)
    assert found.error.offset == built.at("num_metadata")
    assert found.document is not None
    assert len(found.document.metadata) == 0


def test_the_alignment_that_was_read_counts() -> None:
    pairs = (b.Pair(b"general.alignment", b.u32(64)), b.Pair(b"last", b.text("x")))
    built = b.build(base(*pairs))
    found = salvage(damaged(built, "metadata[5].type"))
    assert found.document is not None
    assert found.document.alignment == 64
    assert found.document.body.ofs_data % 64 == 0
    found = salvage(damaged(built, "metadata[4].type"))
    assert found.document is not None
    assert found.document.alignment == 32


def test_where_there_are_no_counts_there_is_no_document() -> None:
    data = broken().data
    for size in (0, 3, 8, 16, 23):
        found = salvage(data[:size])
        assert found.document is None
        assert found.error is not None
        assert (found.all_metadata, found.all_tensors) == (False, False)
    found = salvage(data[:4] + b"\x09" + data[5:])
    assert found.document is None
    assert isinstance(found.error, UnsupportedVersionError)


def test_a_false_number_of_pairs_makes_none_of_them_certain() -> None:
    built = b.build(base(num_pairs=2**40))
    found = salvage(built.data)
    assert found.error is not None
    assert found.error.offset == built.at("num_metadata")
    assert found.document is not None
    assert len(found.document.metadata) == 0
    assert (found.all_metadata, found.all_tensors) == (False, False)


def test_a_false_number_of_tensors_hides_no_pair() -> None:
    built = b.build(base(num_tensors=2**40))
    found = salvage(built.data)
    assert found.document is not None
    assert list(found.document.metadata) == KEYS
    assert found.all_metadata
    assert not found.all_tensors


def test_limits_hold() -> None:
    data = broken().data
    for limits in (Limits(max_metadata=2), Limits(max_tensors=1)):
        found = salvage(data, limits)
        assert isinstance(found.error, LimitExceededError)
        assert found.document is not None
        assert len(found.document.metadata) <= limits.max_metadata
        assert len(found.document.tensors.all) <= limits.max_tensors
    assert salvage(data, LIMITS).error is None
