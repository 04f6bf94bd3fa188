"""Model: a document together with the open file that it came from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .core.codec import parse_body
from .core.document import Document
from .fileio.source import Source, open_source

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Sequence

    from ._generated.types import Limits
    from .core.tensors import TensorInfo
    from .fileio.write import WriteResult

__all__ = ["Model", "open_model"]


class Model(Document):
    """A GGUF file that is open; use it in a ``with`` block.

    Attributes:
        source: the mapped file (or bytes in memory).
    """

    def __init__(self, source: Source, limits: Limits | None = None) -> None:
        """Read the header of a source.  Raises ParseError."""
        args = () if limits is None else (limits,)
        order, body = parse_body(source.buffer, *args)
        super().__init__(source.buffer, order, body)
        self.source = source

    @property
    def path(self) -> str | None:
        """The file's path, or None for bytes in memory."""
        return self.source.path

    def save(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        overwrite: bool = False,
        policy: str | None = None,
        order: Sequence[TensorInfo] | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> WriteResult:
        """Write the document with its edits; what was not edited is copied byte for byte.

        The file appears under its name only when it is complete and on the disk.

        Args:
            path: the new file; None replaces the file that this model was opened from.
            overwrite: allow `path` to exist.
            policy: ``keep`` (move the data section as a whole) or ``repack`` (lay the tensors
                out again); the default repacks only when the alignment changed.
            order: with ``repack``, the tensors in their new order.
            progress: called with (bytes done, bytes in all).

        Raises:
            BuildError: the policy cannot be followed.
            WriteError: nothing was written; DestinationExistsError, SourceChangedError and
                LockedError are kinds of it.
        """
        from .errors import WriteError
        from .fileio.write import write_plan
        from .ops.rewrite import plan_save

        plan = plan_save(self, policy, order)
        target = self.source.path if path is None else path
        if target is None:
            raise WriteError("a model from memory needs a path to be saved to")
        return write_plan(
            plan,
            [self.source],
            target,
            overwrite=overwrite or path is None,
            progress=progress,
        )

    def to_bytes(self, *, policy: str | None = None) -> bytes:
        """The bytes that `save` would write, for models that fit in memory."""
        from .fileio.memory import plan_bytes
        from .ops.rewrite import plan_save

        return plan_bytes(plan_save(self, policy), [self.source])

    def close(self) -> None:
        """Close the file; views of it that are still in use stay valid."""
        self.source.close()

    def __enter__(self) -> Model:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


def open_model(source: str | os.PathLike[str] | bytes, *, limits: Limits | None = None) -> Model:
    """Open a GGUF file (a path) or parse bytes; only the header is read.

    Raises:
        ParseError: it is no readable GGUF file; the error says where and why.
        OSError: the file cannot be opened.
    """
    opened = open_source(source)
    try:
        return Model(opened, limits)
    except BaseException:
        opened.close()
        raise
