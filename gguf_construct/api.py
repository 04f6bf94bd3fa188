"""The functions behind the public names: open what they are given, call a subject, close it again.

A model may be given as a path, as bytes or as an open `Model`, which stays open.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from .errors import RefusedError
from .model import Model, open_model

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import TypeAlias

    from ._generated.types import Limits
    from .comparison.diff import Difference
    from .comparison.hashes import HashReport
    from .core.document import Document
    from .editing.changes import Change
    from .storage.read.shards import ShardSets
    from .storage.source.source import PathOrBytes, Source
    from .storage.write.new_file import WriteResult
    from .upstream.repository import Repository
    from .upstream.results import UpstreamRow
    from .validation.validate import Report

    ModelOrFile: TypeAlias = Model | PathOrBytes
    Progress: TypeAlias = Callable[[int, int], None]


def edit(
    document: Document,
    changes: Mapping[str, Any],
    *,
    force: bool = False,
    force_type: bool = False,
) -> list[Change]:
    """Apply several edits: key (or ``key:type``) to value, None to remove the key.

    Args:
        document: the model.
        changes: the edits.
        force: apply edits that would break the model.
        force_type: apply types that readers do not expect.

    Raises:
        EditError: an edit was refused, or all together would add errors to the model.
        BuildError: the format cannot hold one of the values.

    Whatever is raised, none of the edits was applied.
    """
    from .editing.changes import edit as apply

    return _unbroken(document, lambda: apply(document, changes, force=force, force_type=force_type))


def apply_text(
    document: Document, text: str, *, force: bool = False, force_type: bool = False
) -> list[Change]:
    """Give a document the metadata that a text says; see `metadata_text`.

    Args:
        document: the document that `metadata_text` was made of.
        text: YAML; lines with error messages do not count.
        force: also take values that would break the model.
        force_type: also take types that readers do not expect.

    Raises:
        BuildError: the text is wrong; `line` says where.
        EditError: the text would add errors to the model.

    Whatever is raised, nothing was changed.
    """
    from .manifest.edit_text import apply_text as apply

    return _unbroken(document, lambda: apply(document, text, force=force, force_type=force_type))


def _unbroken(document: Document, apply: Callable[[], list[Change]]) -> list[Change]:
    from .validation.edits import refuse_breaking

    before = document.metadata.snapshot()
    changes = apply()
    try:
        refuse_breaking(document)
    except RefusedError:
        document.metadata.restore(before)
        raise
    return changes


@contextmanager
def _opened(model: ModelOrFile) -> Iterator[Model]:
    if isinstance(model, Model):
        yield model
        return
    with open_model(model) as opened:
        yield opened


def validate(
    source: ModelOrFile,
    *,
    profile: str = "llama.cpp",
    data: bool = False,
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> Report:
    """Say what is wrong with a file, with its bytes or with the file of an open model.

    Nothing that is wrong with the content raises: the report has codes, offsets and hints.

    Args:
        source: the file; edits of a model that were not saved do not count.
        profile: ``llama.cpp`` (what its loader accepts), ``spec`` (the text of the format) or
            ``strict`` (the worse of both).
        data: also read the tensor data for NaN and infinities.
        limits: safety limits of the reader.
        progress: called with (bytes done, bytes in all) while data are read.

    Raises:
        OSError: the file cannot be opened.
        SourceChangedError: it is changed again and again while it is checked.
        ValueError: there is no such profile.
    """
    from .storage.source.source import open_source, read_steadily

    def check(opened: Source) -> Report:
        return validate_source(opened, profile=profile, data=data, limits=limits, progress=progress)

    if isinstance(source, Model):
        return check(source.source)
    opened, report = read_steadily(source, open_source, check)
    opened.close()
    return report


def validate_source(
    source: Source,
    *,
    profile: str,
    data: bool,
    limits: Limits | None = None,
    progress: Progress | None = None,
    shards: ShardSets | None = None,
) -> Report:
    """`validate` for a source that is open; `shards` remembers headers from file to file."""
    from .storage.read.shards import ShardSets
    from .validation.validate import validate as check

    path = source.path
    beside = (shards or ShardSets(limits)).beside(path) if path is not None else None
    return check(
        source.buffer,
        profile=profile,
        limits=limits,
        data=data,
        file_name=os.path.basename(path) if path is not None else None,
        siblings=beside,
        unfinished=source.doubt(),
        progress=progress,
    )


def hash_model(
    model: ModelOrFile,
    algorithm: str = "sha256",
    *,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> HashReport:
    """Hash every metadata pair and every tensor of a model, and its content as a whole.

    Args:
        model: the model; edits that were not saved count.
        algorithm: ``sha256``, or ``xxh3`` (128 bits, not cryptographic; needs xxhash).
        jobs: threads; the default is one per processor.
        progress: called with (bytes done, bytes in all), in the calling thread.

    Raises:
        GGUFError: no such algorithm, or its package is missing.
        TruncatedError: the data of a tensor is not all there.
        SourceChangedError: the file changed meanwhile.
    """
    from .storage.read.hash import hash_document

    with _opened(model) as one:
        return hash_document(one, one.source, algorithm, jobs=jobs, progress=progress)


def diff_models(
    old: ModelOrFile,
    new: ModelOrFile,
    *,
    ignore: Iterable[str] = (),
    tensors: bool = True,
    progress: Progress | None = None,
) -> Difference:
    """What differs between two models; edits that were not saved count.

    Args:
        old: the first model.
        new: the second.
        ignore: patterns of metadata keys to leave out, such as ``general.*``.
        tensors: whether to compare tensors at all.
        progress: called with (bytes compared, bytes in all).

    Raises:
        TruncatedError: the data of a tensor is not all there.
        SourceChangedError: a file changed meanwhile.
    """
    from .comparison.diff import Difference, diff_metadata, layout_notes
    from .storage.read.diff import diff_data

    with _opened(old) as one, _opened(new) as other:
        rows = diff_data(one, one.source, other, other.source, progress) if tensors else []
        return Difference(diff_metadata(one, other, ignore), rows, layout_notes(one, other))


def diff_upstream(
    document: Document | PathOrBytes, folder: str | os.PathLike[str]
) -> list[UpstreamRow]:
    """A row for each setting that a model and its Hugging Face folder both could have.

    Raises:
        RefusedError: the document is a later shard.
        GGUFError: the folder has none of the files, one of them is not JSON, or none of its
            settings could be compared.
        OSError: there is no such folder, or a file cannot be read.
    """
    from .core.document import Document
    from .upstream.compare import compare_upstream

    if not isinstance(document, Document):
        with open_model(document) as model:
            return diff_upstream(model, folder)
    return compare_upstream(document, read_repository(folder))


def read_repository(folder: str | os.PathLike[str]) -> Repository:
    """What the small files of a Hugging Face folder say.

    Raises:
        GGUFError: the folder has none of the files, or one of them is not JSON.
        OSError: there is no such folder, or a file cannot be read.
    """
    from .storage.read.hf_folder import read_folder
    from .upstream.repository import WANTED, parse_repository

    return parse_repository(read_folder(folder, WANTED))


def export_model(
    model: ModelOrFile,
    folder: str | os.PathLike[str],
    *,
    progress: Progress | None = None,
) -> list[str]:
    """Write a model as a manifest and files.

    Args:
        model: the model, without unsaved edits.
        folder: where to; it must not exist, or be empty.
        progress: called with (bytes done, bytes in all).

    Returns:
        The paths of the files, relative to the folder.

    Raises:
        BuildError: the model has unsaved edits.
        TruncatedError: the data of a tensor is not all there.
        DestinationExistsError: the folder holds something.
        WriteError: anything else; nothing is left behind.
    """
    from .errors import BuildError
    from .manifest.export import plan_export
    from .storage.write.export_folder import write_export

    with _opened(model) as one:
        if one.metadata.is_changed:
            raise BuildError("the model has edits that were not saved", hint="save it first")
        files = plan_export(one)
        write_export(files, one.source, folder, progress=progress)
    return [file.path for file in files]


def build_model(
    folder: str | os.PathLike[str],
    path: str | os.PathLike[str],
    *,
    overwrite: bool = False,
    progress: Progress | None = None,
) -> WriteResult:
    """Build a model from the manifest in a folder.

    Args:
        folder: a folder with a ``manifest.yaml``.
        path: the file to write.
        overwrite: allow it to exist.
        progress: called with (bytes done, bytes in all).

    Raises:
        BuildError: the manifest is wrong, or names what is not in the folder; it says the line.
        WriteError: nothing was written.
        OSError: there is no manifest.
    """
    from .manifest.build import plan_build
    from .storage.source.manifest_folder import ManifestFolder
    from .storage.write.new_file import write_plan

    with ManifestFolder(folder) as files:
        plan = plan_build(files.manifest(), files)
        return write_plan(plan, files, path, overwrite=overwrite, progress=progress)


def build_bytes(folder: str | os.PathLike[str]) -> bytes:
    """The file that `build_model` would write, for small models.  Raises BuildError."""
    from .manifest.build import plan_build
    from .storage.source.manifest_folder import ManifestFolder
    from .storage.write.in_memory import plan_bytes

    with ManifestFolder(folder) as files:
        return plan_bytes(plan_build(files.manifest(), files), files)


def convert(
    source: ModelOrFile,
    path: str | os.PathLike[str] | None = None,
    *,
    byte_order: str | None = None,
    version: int | None = None,
    overwrite: bool = False,
    progress: Progress | None = None,
) -> WriteResult:
    """Write a file in another byte order or version of the format, in bounded memory.

        gc.convert("model.gguf", "model-be.gguf", byte_order="big")

    Args:
        source: the model; edits that were not saved are included.
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
    from .planning.options import SaveOptions

    with _opened(source) as model:
        found = plan_convert(model, byte_order=byte_order, version=version)
        planned = found.to_save(model, model.facts_about(path))
        options = SaveOptions(overwrite=overwrite, verify="none", progress=progress)
        result = model.execute(planned, options)
    return result._replace(notes=(*found.notes, *result.notes))
