"""Bytes that are made when they are read, and let go when all were."""

from __future__ import annotations

import numpy as np
import pytest

from gguf_construct.core.late_bytes import LateBytes


def test_made_once_for_one_reading_and_again_for_the_next() -> None:
    made = []

    def make() -> np.ndarray[tuple[int], np.dtype[np.uint8]]:
        made.append(1)
        return np.arange(10, dtype=np.uint8)

    late = LateBytes(10, make)
    assert len(late) == 10
    assert not made
    assert bytes(late[0:4]) == bytes(range(4))
    assert bytes(late[4:10]) == bytes(range(4, 10))
    assert len(made) == 1
    assert bytes(late[:]) == bytes(range(10))
    assert len(made) == 2
    with pytest.raises(IndexError, match="runs of bytes"):
        late[::2]
