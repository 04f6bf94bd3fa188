"""Model: a document together with the open file that it came from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._generated.types import LIMITS
from .core.codec import parse_body
from .core.document import Document
from .errors import ParseError, SourceChangedError
from .storage.source.source import Source, open_source, open_to_show
from .storage.source.steady import read_steadily

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Sequence

    from ._generated.types import Limits
    from .core.chunks import WritePlan
    from .core.tensors import TensorInfo
    from .planning.strategy import SavePlan
    from .storage.write.new_file import WriteResult

__all__ = ["Model", "convert", "open_model"]


class Model(Document):
    """A GGUF file that is open; use it in a ``with`` block.

    Attributes:
        source: the mapped file (or bytes in memory).
    """

    def __init__(self, source: Source, limits: Limits | None = None) -> None:
        """Read the header of a source.  Raises ParseError."""
        self._limits = LIMITS if limits is None else limits
        order, body = parse_body(source.buffer, self._limits)
        super().__init__(source.buffer, order, body)
        self.source = source

    @property
    def limits(self) -> Limits:
        """The safety limits under which it was read."""
        return self._limits

    @property
    def path(self) -> str | None:
        """The file's path, or None for bytes in memory."""
        return self.source.path

    def plan_save(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        strategy: str = "replace",
        policy: str | None = None,
        order: Sequence[TensorInfo] | None = None,
        reserve: int | None = None,
    ) -> SavePlan:
        """What `save` would do with these arguments; nothing is written."""
        from .planning.strategy import Wish
        from .storage.save.saving import plan_for

        wish = Wish(policy, order, reserve)
        return plan_for(self, self.source, path, strategy, wish)

    def save(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        overwrite: bool = False,
        strategy: str = "replace",
        policy: str | None = None,
        order: Sequence[TensorInfo] | None = None,
        reserve: int | None = None,
        verify: str = "header",
        sync: bool = False,
        progress: Callable[[int, int], None] | None = None,
    ) -> WriteResult:
        """Write the document with its edits; what was not edited is copied byte for byte.

        Whatever fails, the file is the old one or the new one.  Saved to its own path, the model
        shows the new file afterwards.  Fields and tensors taken from it before belong to the old
        one: take them anew.

        Args:
            path: the new file; None changes the file that this model was opened from.
            overwrite: allow `path` to exist.
            strategy: without `path`: ``replace`` (a complete new file takes the place of the old
                one), ``in-place`` (only the header is written; raises where the data would have
                to move), ``insert`` (the file system makes room for a larger header) or ``auto``
                (the cheapest of these).
            policy: ``keep`` (move the data section as a whole) or ``repack`` (lay the tensors
                out again); the default repacks only when the alignment changed.
            order: with ``repack``, all tensors in their new order.
            reserve: bytes of room to leave for later edits, at least; 0 gives such room up, None
                lets edits take from and give back to what there is.
            verify: ``none``, ``header``, ``full`` or ``kaitai``; see `storage.save.verify`.
            sync: wait until a new file is on the disk.  One that is replaced or changed always
                is; a new one replaces nothing, so it is left to the kernel as any copy is.
            progress: called with (bytes done, bytes in all).

        Raises:
            BuildError: policy or strategy cannot be followed.
            WriteError: nothing was written; DestinationExistsError, SourceChangedError,
                LockedError and VerificationError are kinds of it.
        """
        planned = self.plan_save(
            path, strategy=strategy, policy=policy, order=order, reserve=reserve
        )
        return self.carry_out(
            planned,
            path,
            overwrite=overwrite,
            may_replace=strategy == "auto",
            verify=verify,
            sync=sync,
            progress=progress,
        )

    def carry_out(
        self,
        planned: SavePlan,
        path: str | os.PathLike[str] | None = None,
        *,
        overwrite: bool = False,
        may_replace: bool = False,
        verify: str = "header",
        sync: bool = False,
        progress: Callable[[int, int], None] | None = None,
    ) -> WriteResult:
        """Do what `plan_save` has planned; nothing must have been edited since.

        Args:
            planned: the plan.
            path: as for `plan_save`.
            overwrite: allow `path` to exist.
            may_replace: replace the file where an edit of the file itself turns out not to be
                possible: its file system cannot make room, or views of it are in use.
            verify: as for `save`.
            sync: as for `save`.
            progress: called with (bytes done, bytes in all).

        Raises:
            WriteError: as for `save`.
        """
        from .storage.save.execute import carry_out

        return carry_out(
            self,
            planned,
            path,
            overwrite=overwrite or path is None,
            may_replace=may_replace,
            verify=verify,
            sync=sync,
            progress=progress,
        )

    def write(
        self,
        plan: WritePlan,
        path: str | os.PathLike[str] | None = None,
        *,
        overwrite: bool = False,
        verify: str = "none",
        sync: bool = False,
        progress: Callable[[int, int], None] | None = None,
    ) -> WriteResult:
        """Write a plan that was made from this model to a file.

        Arguments and errors as for `save`.
        """
        from .storage.save.execute import write_new

        return write_new(
            self,
            plan,
            path,
            overwrite=overwrite or path is None,
            verify=verify,
            sync=sync,
            progress=progress,
        )

    def reopen(self) -> None:
        """Read the file again, which was changed; edits that were not saved are lost.

        Raises:
            ParseError: it is no readable GGUF file any more.
            OSError: it cannot be opened.
        """
        source = self.source
        content = bytes(source.buffer) if source.path is None else source.path
        again = self.same_kind(open_source(content))
        self.source.retire()
        self.source = again.source
        self.order, self.body = again.order, again.body
        self.metadata.reload(again.metadata)
        self.adopt(again.buffer)

    def same_kind(self, source: Source) -> Model:
        """A model of another source, read with the same limits."""
        return Model(source, self._limits)

    def to_bytes(self, *, policy: str | None = None) -> bytes:
        """The bytes that `save` would write, for models that fit in memory.

        Raises:
            BuildError: as for `save`.
            SourceChangedError: the file was written to since it was opened.
        """
        from .planning.layout import plan_save
        from .storage.write.in_memory import plan_bytes

        data = plan_bytes(plan_save(self, policy), [self.source])
        if self.source.is_stale():
            raise SourceChangedError(f"{self.path}: it changed while it was in use")
        return data

    def close(self) -> None:
        """Close the file; views of it that are still in use stay valid."""
        self.source.close()

    def __enter__(self) -> Model:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


def open_model(
    source: str | os.PathLike[str] | bytes | bytearray | memoryview,
    *,
    limits: Limits | None = None,
) -> Model:
    """Open a GGUF file (a path) or parse bytes; only the header is read.

    A file whose edit in place was cut short is shown as it was before, with an
    UnfinishedEditWarning.

    Raises:
        ParseError: it is no readable GGUF file; the error says where and why.
        SourceChangedError: it is changed again and again while it is read.
        OSError: the file cannot be opened.
    """

    def read(opened: Source) -> Model:
        try:
            return Model(opened, limits)
        except ParseError as error:
            _name_file(error, opened.path)
            raise

    _, model = read_steadily(source, open_to_show, read)
    return model


def _name_file(error: ParseError, path: str | None) -> None:
    from .core.not_gguf import advise_joining

    error.file = path
    if path is not None:
        advise_joining(error, path)


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
    from .planning.convert import plan_convert

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
