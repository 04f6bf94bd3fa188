"""Plan the file that a manifest describes.

Strategy: the header is encoded with all offsets zero and read again, which gives the alignment
by the one rule there is; then offsets are assigned and the header is encoded for good.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._generated.codec import write
from .._generated.types import (
    BYTE_ORDERS,
    VERSIONS,
    WRITTEN_VERSION,
    Body,
    MetadataKv,
    TensorInfo,
)
from ..core.chunks import Copy, Literal, WritePlan, Zeros
from ..core.codec import parse_body
from ..core.registry import expected_types, keys_with_role
from ..core.sizes import align_up
from ..core.values import text_of
from ..errors import BuildError, ParseError
from ..planning.layout import merge_chunks
from .gaps import Piece, lay_out
from .optional import read_optional
from .tensors import TensorSpec, read_tensor
from .values import locate, metadata_value
from .yaml_read import Node, at_line, parse_yaml
from .yaml_values import parse_key
from .yaml_write import parse_bytes

if TYPE_CHECKING:
    from .values import Files

_FORMAT = "1"


def plan_build(text: str, files: Files) -> WritePlan:
    """The plan of the file that a manifest describes; its sources are those of `files`.

    Raises:
        BuildError: the manifest is wrong; `line` and the message say where.
    """
    root = parse_yaml(text)
    if root is None:
        raise at_line(1, "the manifest is empty")
    top = root.fields(
        *("manifest", "version", "byte_order", "metadata", "tensors"),
        *("header_padding", "data_size", "filler", "header"),
    )
    if "manifest" in top and top["manifest"].text != _FORMAT:
        top["manifest"].fail(f"manifest format {top['manifest'].text} is not known")
    order = _order(top.get("byte_order"))
    version = _version(top.get("version"))
    metadata = _metadata(top.get("metadata"), files)
    tensors = _tensors(top.get("tensors"), order, files)
    body = Body(
        version=version,
        num_tensors=len(tensors),
        num_metadata=len(metadata),
        metadata=metadata,
        tensor_infos=[],
        **read_optional("body", top.get("header")),
    )
    header, start, pieces, usual = _header(body, tensors, order)
    padding = _padding(top.get("header_padding"), start - len(header) if tensors else 0)
    pieces += _fillers(top.get("filler"), files)
    size = _size(top.get("data_size"))
    section = lay_out(pieces, size, usual)
    if sum(chunk.nbytes for chunk in section) and len(header) + padding.nbytes < start and tensors:
        top["header_padding"].fail(f"the data must start at {start}: the padding is too short")
    return WritePlan(merge_chunks([Literal(header), padding, *section]))


def _order(node: Node | None) -> str:
    if node is None:
        return BYTE_ORDERS["little"]
    if node.text not in BYTE_ORDERS:
        node.fail(f"{node.text[:40]!r} is not a byte order: use little or big")
    return BYTE_ORDERS[node.text]


def _version(node: Node | None) -> int:
    known = {str(version): version for version in VERSIONS}
    if node is None:
        return WRITTEN_VERSION
    if node.text not in known:
        node.fail(f"version {node.text[:40]!r} is not known: {', '.join(known)}")
    return known[node.text]


def _size(node: Node | None) -> int | None:
    if node is None:
        return None
    if not node.text.isdecimal() or len(node.text) > 18:
        node.fail(f"{node.text[:40]!r} is not a size")
    return int(node.text)


def _padding(node: Node | None, usual: int) -> Literal | Zeros:
    if node is None:
        return Zeros(usual)
    return Literal(_bytes(node))


def _bytes(node: Node) -> bytes:
    try:
        return parse_bytes(node.text)
    except ValueError as error:
        node.fail(str(error))


def pairs_of(node: Node | None) -> list[tuple[Node, Node]]:
    """The pairs of a map, or of a list of maps with one pair each (where names may repeat).

    Raises:
        BuildError: a name is repeated in a map.
    """
    if node is None or (node.kind == "scalar" and not node.value):
        return []
    if node.kind == "list":
        pairs = []
        for item in node.items:
            if len(item.pairs) != 1:
                item.fail("each item of this list is one NAME: VALUE")
            pairs += item.pairs
        return pairs
    seen: dict[bytes, int] = {}
    for key, _ in node.pairs:
        name = parse_key(key)
        if name in seen:
            key.fail(
                f"{text_of(name)!r} is already in line {seen[name]}",
                "write a list to repeat it on purpose: - NAME: VALUE",
            )
        seen[name] = key.line
    return node.pairs


def _metadata(node: Node | None, files: Files) -> list[MetadataKv]:
    pairs = pairs_of(node)
    names = [parse_key(key) for key, _ in pairs]
    wanted = keys_with_role("architecture")[0].key.encode()
    architecture = next(
        (
            value.value
            for name, (_, value) in zip(names, pairs, strict=True)
            if name == wanted and value.kind == "scalar"
        ),
        None,
    )
    records = []
    for name, (_, value) in zip(names, pairs, strict=True):
        specs = expected_types(text_of(name), architecture)
        kind, codec_value = metadata_value(value, specs, files)
        records.append(MetadataKv(key=name, value_type=kind, value=codec_value))
    return records


def _tensors(node: Node | None, order: str, files: Files) -> list[TensorSpec]:
    return [read_tensor(key, value, order, files) for key, value in pairs_of(node)]


def _header(
    body: Body, tensors: list[TensorSpec], order: str
) -> tuple[bytes, int, list[Piece], int]:
    """Header, start of the data section, what lies in it, and its usual size."""

    def encode(offsets: list[int]) -> bytes:
        infos = [
            TensorInfo(
                name=one.name,
                num_dims=len(one.dims),
                dims=one.dims,
                ggml_type=one.type,
                ofs_data=offset,
                **one.optional,
            )
            for one, offset in zip(tensors, offsets, strict=True)
        ]
        return write(body._replace(tensor_infos=infos), order)

    read = _read_again(encode([0] * len(tensors)))
    alignment = read.alignment
    offsets: list[int] = []
    position = end = 0
    for one in tensors:
        offset = position if one.offset is None else one.offset
        if offset > 1 << 60:
            raise at_line(one.line, f"the offset {offset} is beyond any file")
        offsets.append(offset)
        position = align_up(offset + one.chunk.nbytes, alignment)
        end = max(end, offset + one.chunk.nbytes)
    header = encode(offsets)
    pieces = [
        Piece(offset, one.chunk, one.line) for one, offset in zip(tensors, offsets, strict=True)
    ]
    return header, read.ofs_data, pieces, align_up(end, alignment)


def _read_again(header: bytes) -> Body:
    try:
        _, body = parse_body(header)
    except ParseError as error:
        raise BuildError(
            f"no reader would accept this file: {error}", hint="a safety limit is exceeded"
        ) from error
    return body


def _fillers(node: Node | None, files: Files) -> list[Piece]:
    pieces = []
    for item in node.items if node is not None else []:
        fields = item.fields("at", "bytes", "file")
        at = _size(fields.get("at"))
        data: Any = None
        if "bytes" in fields:
            data = Literal(_bytes(fields["bytes"]))
        elif "file" in fields:
            source, size = locate(fields["file"], files)
            data = Copy(0, size, source)
        if at is None or data is None:
            item.fail("filler needs at: OFFSET and bytes: or file:")
        pieces.append(Piece(at, data, item.line))
    return pieces
