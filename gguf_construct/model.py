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
    from .core.plan import WritePlan
    from .core.tensors import TensorInfo
    from .fileio.write import WriteResult

__all__ = ["Model", "convert", "open_model"]


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
        from .ops.rewrite import plan_save

        plan = plan_save(self, policy, order)
        return self.write(plan, path, overwrite=overwrite, progress=progress)

    def write(
        self,
        plan: WritePlan,
        path: str | os.PathLike[str] | None = None,
        *,
        overwrite: bool = False,
        progress: Callable[[int, int], None] | None = None,
    ) -> WriteResult:
        """Carry out a plan that was made from this model.  Arguments and errors as for `save`."""
        from .errors import WriteError
        from .fileio.write import write_plan

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


def convert(
    source: Model | str | os.PathLike[str],
    path: str | os.PathLike[str] | None = None,
    *,
    byte_order: str | None = None,
    version: int | None = None,
    overwrite: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> WriteResult:
    """Write a file in another byte order or version of the format, in bounded memory.

        gc.convert("model.gguf", "model-be.gguf", byte_order="big")

    Args:
        source: a path, or an open model; its pending edits are included.
        path: the new file; None replaces the file that `source` is.
        byte_order: ``little`` or ``big``; the default keeps it.
        version: 2 or 3; the default keeps it, but big-endian files are always version 3.
        overwrite: allow `path` to exist.
        progress: called with (bytes done, bytes in all).

    Returns:
        What was written; `notes` also holds what a person should know about the conversion.

    Raises:
        BuildError: a tensor's layout is not known, or the format has no such combination.
        ParseError: it is no readable GGUF file, or a tensor is not all in it.
        WriteError: nothing was written.
    """
    from .ops.convert import plan_convert

    if not isinstance(source, Model):
        with open_model(source) as model:
            return convert(
                model,
                source if path is None else path,
                byte_order=byte_order,
                version=version,
                overwrite=overwrite or path is None,
                progress=progress,
            )
    planned = plan_convert(source, byte_order=byte_order, version=version)
    result = source.write(planned.plan, path, overwrite=overwrite, progress=progress)
    return result._replace(notes=(*planned.notes, *result.notes))
