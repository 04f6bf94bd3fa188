"""Bytes that are made only when somebody reads them."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from ..errors import BuildError

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    import numpy.typing as npt


class LateBytes:
    """Bytes in memory that are made when they are first asked for, and let go once all were read.

    So a model may be put together from more tensors than memory holds.
    """

    def __init__(self, nbytes: int, make: Callable[[], npt.NDArray[np.uint8]]) -> None:
        self._nbytes = nbytes
        self._make = make
        self._lock = threading.Lock()
        self._data: memoryview | None = None
        self._unread = nbytes

    def __len__(self) -> int:
        return self._nbytes

    def __getitem__(self, part: slice) -> memoryview:
        start, stop, step = part.indices(self._nbytes)
        if step != 1:
            raise IndexError("only runs of bytes can be read")
        with self._lock:
            if self._data is None:
                data = self._make().data.cast("B")
                if len(data) != self._nbytes:
                    raise BuildError(
                        f"the data of a tensor has {len(data)} bytes now, not {self._nbytes}",
                        hint="its array changed shape or type since it was put in",
                    )
                self._data, self._unread = data, self._nbytes
            found = self._data[start:stop]
            self._unread -= len(found)
            if self._unread <= 0:
                self._data = None
            return found
