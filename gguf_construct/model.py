"""Model: a document together with the open file that it came from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._generated.types import LIMITS
from .core.closed import ClosedBuffer
from .core.codec import parse_body
from .core.document import Document
from .errors import ParseError, SourceChangedError
from .storage.source.source import Source, open_source, open_to_show, read_steadily

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Sequence

    from ._generated.types import Limits
    from .core.tensors import TensorInfo
    from .planning.options import SaveOptions
    from .planning.strategy import FileFacts, SavePlan
    from .storage.write.new_file import WriteResult


class Model(Document):
    """A GGUF file that is open; use it in a ``with`` block.

    Attributes:
        source: the mapped file (or bytes in memory).
    """

    def __init__(self, source: Source, limits: Limits | None = None) -> None:
        """Read the header of a source.  Raises ParseError."""
        limits = LIMITS if limits is None else limits
        order, body = parse_body(source.buffer, limits)
        super().__init__(source.buffer, order, body, limits)
        self.source = source

    @property
    def origin(self) -> object:
        """What the bytes of its tensors are read from when they go to another file."""
        return self.source

    @property
    def path(self) -> str | None:
        """The file's path, or None for bytes in memory."""
        return self.source.path

    def facts_about(
        self, path: str | os.PathLike[str] | None, strategy: str = "replace"
    ) -> FileFacts:
        """What decides how this model is saved to `path`, besides its content.  Raises OSError."""
        from .storage.save.execute import facts_about

        return facts_about(self.source, path, strategy)

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
        from .planning.options import SaveOptions

        return self.plan(path, SaveOptions(strategy, policy, order, reserve))

    def plan(self, path: str | os.PathLike[str] | None, options: SaveOptions) -> SavePlan:
        """`plan_save` with the options in one piece.  Raises RefusedError as `save` does."""
        from .planning.strategy import plan_save

        if self.metadata.is_changed and not (options.force or self.metadata.is_forced):
            from .validation.edits import refuse_breaking

            refuse_breaking(self)

        return plan_save(self, self.facts_about(path, options.strategy), options)

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
        force: bool = False,
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
            force: save edits that break the model, see RefusedError.
            progress: called with (bytes done, bytes in all).

        Raises:
            RefusedError: the edits would add errors that `validate` finds in the header.
            BuildError: policy or strategy cannot be followed.
            WriteError: nothing was written; DestinationExistsError, SourceChangedError,
                LockedError and VerificationError are kinds of it.
        """
        from .planning.options import SaveOptions

        options = SaveOptions(
            strategy,
            policy,
            order,
            reserve,
            overwrite=overwrite,
            verify=verify,
            sync=sync,
            progress=progress,
            force=force,
        )
        return self.execute(self.plan(path, options), options)

    def execute(self, planned: SavePlan, options: SaveOptions | None = None) -> WriteResult:
        """Do what was planned; nothing must have been edited since.

        Args:
            planned: what `plan_save` gave.
            options: how; `planning.options.SaveOptions`.

        Raises:
            WriteError: as for `save`.
        """
        from .planning.options import SaveOptions
        from .storage.save.execute import execute
        from .storage.system.private_names import is_same_file

        result = execute(planned, self, self.source, options or SaveOptions())
        if (
            planned.strategy != "none"
            and self.path is not None
            and is_same_file(result.path, self.path)
        ):
            self.reopen()
        return result

    def reopen(self) -> None:
        """Read the file again, which was changed; edits that were not saved are lost.

        Raises:
            ParseError: it is no readable GGUF file any more.
            OSError: it cannot be opened.
        """
        source = self.source
        content = bytes(source.buffer) if source.path is None else source.path
        again = Model(open_source(content), self.limits)
        self.source.retire()
        self.source = again.source
        self.order, self.body = again.order, again.body
        self.metadata.reload(again.metadata)
        self.adopt(again.buffer)

    def to_bytes(self, *, policy: str | None = None) -> bytes:
        """The bytes that `save` would write, for models that fit in memory.

        Raises:
            BuildError: as for `save`.
            SourceChangedError: the file was written to since it was opened.
        """
        from .planning.layout import plan_layout
        from .storage.source.origins import sources_of
        from .storage.write.in_memory import plan_bytes

        plan = plan_layout(self, policy)
        data = plan_bytes(plan, sources_of(self.source, plan.origins))
        if self.source.is_stale():
            raise SourceChangedError(f"{self.path}: it changed while it was in use")
        return data

    def close(self) -> None:
        """Close the file; numpy arrays of it that are still in use stay valid.

        Tensor data, and metadata of which no copy was made, raise ClosedError from then on.
        """
        gone: Any = ClosedBuffer()
        self.metadata.detach(self.buffer, gone)
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
