"""What is hashed: the canonical bytes of each metadata pair and each tensor, and of the whole.

Strategy: a row's bytes are a list of plan chunks, so the one place that reads files can hash them
as it would write them.  The canonical form has a version and a byte order that never change: a
pair is encoded in them, and so is a tensor's entry in the tensor table (with offset 0), which its
data follow.  The content hash is taken over the rows sorted by name, so neither order, layout,
alignment, version nor byte order of the file plays a part.

Not in the content, because they describe the layout: the alignment, the bytes kept in reserve,
and the keys that say how a model was split into files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from .._generated.codec import codec
from .._generated.types import BLOCKS, CANONICAL_ORDER, CANONICAL_VERSION, OPTIONAL_FIELDS
from ..core.chunks import Chunk, Copy, Literal
from ..core.registry import find

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ..core.document import Document
    from ..core.field import Field
    from ..core.tensors import TensorInfo

ALGORITHMS = ("sha256", "xxh3")

_LAYOUT_ROLES = frozenset({"alignment", "reserve"})
_LAYOUT_SECTIONS = frozenset({"split"})
_CONTENT_MARK = b"gguf-construct content 1\n"


class HashRow(NamedTuple):
    """One thing to hash.

    Attributes:
        kind: ``metadata`` or ``tensor``.
        name: key or tensor name; bytes that are not UTF-8 appear as lone surrogates.
        occurrence: 0, or the number of a repeated name.
        in_content: whether the row counts for the content hash.
        chunks: the canonical bytes.
    """

    kind: str
    name: str
    occurrence: int
    in_content: bool
    chunks: tuple[Chunk, ...]

    @property
    def nbytes(self) -> int:
        """Number of canonical bytes."""
        return sum(chunk.nbytes for chunk in self.chunks)

    @property
    def label(self) -> str:
        """The name, with a number where it is repeated."""
        return f"{self.name} ({self.occurrence + 1})" if self.occurrence else self.name


class HashReport(NamedTuple):
    """The hashes of a model, all as lower-case hexadecimal.

    Attributes:
        algorithm: one of `ALGORITHMS`.
        content: hash of everything that is not layout.
        metadata: key to hash, in file order; repeated keys carry a number.
        tensors: tensor name to hash, in file order.
        excluded: keys that the content hash leaves out.
    """

    algorithm: str
    content: str
    metadata: Mapping[str, str]
    tensors: Mapping[str, str]
    excluded: tuple[str, ...] = ()

    def rows(self) -> dict[tuple[str, str], str]:
        """Every hash by (kind, name), the content under ("content", "")."""
        return {
            ("content", ""): self.content,
            **{("metadata", key): digest for key, digest in self.metadata.items()},
            **{("tensor", name): digest for name, digest in self.tensors.items()},
        }


def hash_rows(document: Document) -> list[HashRow]:
    """What to hash of a document: metadata in file order, then tensors in file order.

    Raises:
        TruncatedError: the data of a tensor is not all there.
    """
    rows = []
    seen: dict[tuple[str, str], int] = {}
    architecture = document.metadata.architecture
    for field in document.metadata.fields():
        key = field.key
        number = seen[("metadata", key)] = seen.get(("metadata", key), -1) + 1
        in_content = not is_layout(key, architecture)
        rows.append(HashRow("metadata", key, number, in_content, (pair_chunk(document, field),)))
    tensors = document.tensors
    if not tensors.is_changed:
        tensors.require_bounded(document.file_size)
    for tensor, source in zip(tensors.all, tensors.numbers(), strict=True):
        name = tensor.name
        number = seen[("tensor", name)] = seen.get(("tensor", name), -1) + 1
        chunks = (Literal(_info_bytes(tensor)), tensor_chunk(tensor, source=source))
        rows.append(HashRow("tensor", name, number, True, chunks))
    return rows


def _info_bytes(tensor: TensorInfo) -> bytes:
    """A tensor's entry in canonical form; what that has no field for follows by name."""
    absent: dict[str, Any] = {**OPTIONAL_FIELDS.get("tensor_info", {})}
    more = {
        name: getattr(tensor.record, name)
        for name, default in absent.items()
        if getattr(tensor.record, name) != default
    }
    plain = tensor.record._replace(ofs_data=0, **{name: absent[name] for name in more})
    data: bytes = codec(CANONICAL_ORDER).WRITE_TENSOR_INFO[CANONICAL_VERSION](plain)
    return data + "".join(f"{name}={value!r}\n" for name, value in more.items()).encode()


def is_layout(key: str, architecture: str | None = None) -> bool:
    """Whether a key only describes how the file is laid out."""
    info = find(key, architecture)
    if info is None:
        return False
    return info.section in _LAYOUT_SECTIONS or not _LAYOUT_ROLES.isdisjoint(info.roles)


def is_canonical(document: Document) -> bool:
    """Whether the pairs of the file are in canonical form as they lie there."""
    writers = codec(document.order).WRITE_METADATA_KV
    return (
        document.order == CANONICAL_ORDER
        and writers[document.version] is writers[CANONICAL_VERSION]
    )


def pair_bytes(document: Document, field: Field) -> bytes:
    """A metadata pair in canonical form."""
    if is_canonical(document):
        return field.encoded
    canonical: bytes = codec(CANONICAL_ORDER).WRITE_METADATA_KV[CANONICAL_VERSION](field.record)
    return canonical


def pair_chunk(document: Document, field: Field) -> Chunk:
    """A metadata pair in canonical form, left in the file where it is so there."""
    if is_canonical(document) and not field.is_edited:
        return Copy(field.start, field.end - field.start)
    return Literal(pair_bytes(document, field))


def tensor_chunk(tensor: TensorInfo, order: str = CANONICAL_ORDER, source: int = 0) -> Chunk:
    """The data of a tensor in a byte order ("<" or ">"), as it lies where its layout is unknown.

    Raises:
        TruncatedError: the data is not all there.
    """
    if BLOCKS.get(tensor.type) is None or tensor.nbytes is None:
        return Copy(tensor.data_offset, tensor.size, source)
    return tensor.chunk(order, source)


def combine(
    rows: Sequence[HashRow], digests: Sequence[bytes], algorithm: str, new: Callable[[], Any]
) -> HashReport:
    """The report of hashed rows; `new` makes a hasher (`update`, `hexdigest`)."""
    order = sorted(
        range(len(rows)), key=lambda at: (rows[at].kind, _raw(rows[at]), rows[at].occurrence)
    )
    content = new()
    content.update(_CONTENT_MARK)
    for at in order:
        row = rows[at]
        if row.in_content:
            name = _raw(row)
            content.update(f"{row.kind} {len(name)} ".encode() + name + b" " + digests[at])
    hexes = [digest.hex() for digest in digests]
    by_kind: dict[str, dict[str, str]] = {"metadata": {}, "tensor": {}}
    for row, digest in zip(rows, hexes, strict=True):
        by_kind[row.kind][row.label] = digest
    excluded = tuple(row.label for row in rows if not row.in_content)
    return HashReport(
        algorithm, content.hexdigest(), by_kind["metadata"], by_kind["tensor"], excluded
    )


def _raw(row: HashRow) -> bytes:
    return row.name.encode("utf-8", "surrogateescape")
