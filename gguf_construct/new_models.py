"""Models that are made in Python: an empty one to fill, or a whole file in one call."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from .model import open_model

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    from .core.tensors import TensorInfo
    from .model import Model
    from .storage.write.new_file import WriteResult


def new(
    architecture: str | None = None, *, byte_order: str = "little", version: int | None = None
) -> Model:
    """An empty model in memory, to be filled and saved to a path.

        model = gc.new("llama")
        model.metadata["llama.block_count"] = 2
        model.tensors["token_embd.weight"] = array
        model.save("model.gguf")

    Args:
        architecture: the value of general.architecture; None leaves the key out.
        byte_order: ``little`` or ``big``.
        version: of the format; the default is the current one.

    Raises:
        BuildError: there is no such byte order or version, or they do not go together.
    """
    from .core.codec import empty_header
    from .core.registry import keys_with_role
    from .planning.convert import form_of

    model = open_model(empty_header(*form_of(byte_order, version)))
    model.metadata.is_forced = True  # there is no sound model yet that an edit could break
    if architecture is not None:
        model.metadata[keys_with_role("architecture")[0].key] = architecture
    return model


def save(
    path: str | os.PathLike[str],
    metadata: Mapping[str, Any],
    tensors: Mapping[str, Any] | Iterable[tuple[str, Any]] = (),
    *,
    byte_order: str = "little",
    version: int | None = None,
    overwrite: bool = False,
    sync: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> WriteResult:
    """Write a model of metadata and tensors in one call.

        gc.save("model.gguf", {"general.architecture": "llama"}, {"token_embd.weight": array})

    What an iterator gives is written down as it comes, so that a model may be larger than memory.

    Args:
        path: the new file.
        metadata: values by key or by ``key:type``; of other `Metadata` each pair keeps its type
            and its bytes.
        tensors: by name, or pairs of name and value: arrays, tensors of open models, or anything
            else that `Tensors.set` takes.  Dimensions are in numpy's order.
        byte_order: ``little`` or ``big``.
        version: of the format; the default is the current one.
        overwrite: allow `path` to exist.
        sync: wait until the file is on the disk.
        progress: called with (bytes done, bytes in all).

    Raises:
        TypeConflictError: a value does not fit its type, or no type can be told.
        BuildError: the format cannot hold a value or an array.
        WriteError: nothing was written.
    """
    with ExitStack() as stack:
        model = stack.enter_context(new(byte_order=byte_order, version=version))
        model.metadata.update(metadata)
        if isinstance(tensors, Iterator):
            from .storage.write.spool import spooled

            entries = _entries(tensors, byte_order)
            for entry in stack.enter_context(spooled(entries, path)):
                model.tensors.set(entry.name, entry)
        else:
            model.tensors.update(tensors)
        return model.save(path, overwrite=overwrite, sync=sync, progress=progress)


def _entries(tensors: Iterable[tuple[str, Any]], byte_order: str) -> Iterator[TensorInfo]:
    from .core.new_tensors import make_tensor

    for name, value in tensors:
        yield make_tensor(name, value, None, byte_order)
