"""A document as a manifest (YAML for people) and files with what is too long for it.

Strategy: the manifest states what cannot be computed.  Offsets, padding and sizes appear only
where they are not what the builder would choose, so the manifest of a usual file is short and
that of an odd one is exact.  Files are lists of plan chunks: nothing is read here.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from .._generated.codec import codec
from .._generated.types import CANONICAL_ORDER, CANONICAL_VERSION, GGMLType, ValueType
from ..core.chunks import Chunk, Copy, Literal
from ..core.registry import find
from ..core.sizes import align_up
from ..core.type_names import scalar_spec
from ..runtime.views import NumberArray, StringArray
from . import npy
from .gaps import fillers
from .optional import optional_yaml
from .yaml_values import pair_lines, tagged_yaml, value_yaml
from .yaml_write import bytes_scalar

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .._generated.types import Array
    from ..core.document import Document
    from ..core.field import Field
    from ..core.tensors import TensorInfo

MANIFEST = "manifest.yaml"
_HEAD = """\
# A GGUF file as text. `gguf-construct build FOLDER -o model.gguf` makes the file again.
# Values: !uint32 5, !float32 0.5, text, true; lists: !int32 [1, 2]; long ones are in files.
# Tensors follow one another, aligned; their shapes are in numpy's order.
"""
_INLINE_ELEMENTS = 16
_INLINE_NBYTES = 200
_NESTED_NBYTES = 4096
_MAX_STEM = 80
_RESERVED = frozenset({"aux", "con", "nul", "prn"})


class ExportFile(NamedTuple):
    """A file to write: its path inside the folder, with forward slashes, and its bytes."""

    path: str
    chunks: tuple[Chunk, ...]


class _Names:
    """Paths that no file system confuses: plain letters, and unique whatever the case."""

    def __init__(self) -> None:
        self._taken: dict[str, int] = {}

    def path(self, folder: str, name: str, suffix: str) -> str:
        stem = re.sub(r"[^A-Za-z0-9._-]", "_", name)[:_MAX_STEM].strip(".") or "_"
        if stem.partition(".")[0].lower() in _RESERVED:
            stem = f"_{stem}"
        path = f"{folder}/{stem}{suffix}"
        number = self._taken[path.lower()] = self._taken.get(path.lower(), 0) + 1
        return path if number == 1 else self.path(folder, f"{stem[:70]}-{number}", suffix)


class _Export:
    def __init__(self, document: Document) -> None:
        self.document = document
        self.files: list[ExportFile] = []
        self._names = _Names()

    def add(self, folder: str, name: str, suffix: str, *chunks: Chunk) -> str:
        path = self._names.path(folder, name, suffix)
        self.files.append(ExportFile(path, chunks))
        return path

    # -- metadata ----------------------------------------------------------------------------

    def metadata(self) -> list[str]:
        fields = self.document.metadata.fields()
        pairs = [(field.raw_key, self.value(field)) for field in fields]
        return _section("metadata", pairs)

    def value(self, field: Field) -> str:
        kind, value = field.record.value_type, field.record.value
        if kind == ValueType.STRING:
            if len(value) <= _INLINE_NBYTES and b"\n" not in value:
                return self._tagged(field)
            info = find(field.key, self.document.metadata.architecture)
            is_template = info is not None and "chat_template" in info.roles
            suffix = ".jinja" if is_template else ".txt"
            return f"!string {{file: {self.add('metadata', field.key, suffix, Literal(value))}}}"
        if kind == ValueType.ARRAY:
            return self.array(field, value)
        return self._tagged(field)

    def _tagged(self, field: Field) -> str:
        return tagged_yaml(field, self.document.metadata.architecture)

    def array(self, field: Field, array: Array) -> str:
        elements: Any = array.elements
        spec = scalar_spec(array.element_type)
        if array.element_type == ValueType.ARRAY:
            if field.end - field.value_start <= _NESTED_NBYTES:
                return value_yaml(ValueType.ARRAY, array)
            data = codec(CANONICAL_ORDER).WRITE_ARRAY[CANONICAL_VERSION](array)
            return f"!{spec} {{array: {self.add('metadata', field.key, '.bin', Literal(data))}}}"
        if array.num_elements <= _INLINE_ELEMENTS and field.end - field.value_start < 2000:
            return value_yaml(ValueType.ARRAY, array)
        if isinstance(elements, StringArray):
            data = strings_jsonl(elements.iter_raw())
            return f"!{spec} {{array: {self.add('metadata', field.key, '.jsonl', Literal(data))}}}"
        assert isinstance(elements, NumberArray)
        header = npy.npy_header(elements.dtype, (elements.num,))
        path = self.add("metadata", field.key, ".npy", Literal(header + elements.raw))
        return f"!{spec} {{array: {path}}}"

    # -- tensors -----------------------------------------------------------------------------

    def tensors(self) -> list[str]:
        pairs = []
        expected = 0
        for tensor in self.document.tensors.all:
            size = tensor.size
            fields = {"type": _type_text(tensor.type), "shape": str(list(tensor.shape))}
            if tensor.offset != expected:
                fields["offset"] = str(tensor.offset)
            optional = optional_yaml("tensor_info", tensor.record)
            if optional:
                fields["header"] = optional
            fields["data"] = self.blob(tensor, size)
            expected = align_up(tensor.offset + size, self.document.alignment)
            shown = ", ".join(f"{key}: {value}" for key, value in fields.items())
            pairs.append((tensor.record.name, f"{{{shown}}}"))
        return _section("tensors", pairs)

    def blob(self, tensor: TensorInfo, size: int) -> str:
        data = Copy(tensor.data_offset, size)
        dtype = npy.dtype_of(tensor.type, self.document.order)
        if dtype is None or tensor.nbytes is None:
            return self.add("tensors", tensor.name, ".bin", data)
        header = Literal(npy.npy_header(dtype, tensor.shape))
        return self.add("tensors", tensor.name, ".npy", header, data)

    # -- what lies between -------------------------------------------------------------------

    def layout(self) -> list[str]:
        document = self.document
        start, size = document.data_start, document.file_size
        end = document.header_end
        padding = bytes(document.buffer[end : min(start, size)])
        usual = start - end if document.tensors.all else 0
        lines = []
        if padding != bytes(usual):
            lines.append(f"header_padding: !bytes {bytes_scalar(padding)}")
        ends = [tensor.offset + tensor.size for tensor in document.tensors.all]
        section = max(size - start, 0)
        if section != align_up(max(ends, default=0), document.alignment):
            lines.append(f"data_size: {section}")
        found = fillers(document, section)
        if found:
            lines.append("filler:")
        for at, nbytes in found:
            place = start + at
            if nbytes <= _INLINE_NBYTES:
                text = bytes_scalar(bytes(document.buffer[place : place + nbytes]))
                lines.append(f"  - {{at: {at}, bytes: !bytes {text}}}")
            else:
                path = self.add("filler", f"{at:012x}", ".bin", Copy(place, nbytes))
                lines.append(f"  - {{at: {at}, file: {path}}}")
        return lines


def plan_export(document: Document) -> list[ExportFile]:
    """The files of an export, the manifest last.

    Raises:
        TruncatedError: the data of a tensor is not all there.
    """
    export = _Export(document)
    optional = optional_yaml("body", document.body)
    lines = [
        _HEAD,
        f"version: {document.version}",
        f"byte_order: {document.byte_order}",
        *([f"header: {optional}"] if optional else []),
        *export.metadata(),
        *export.tensors(),
        *export.layout(),
        "",
    ]
    text = Literal("\n".join(lines).encode())
    return [*export.files, ExportFile(MANIFEST, (text,))]


def _section(title: str, pairs: list[tuple[bytes, str]]) -> list[str]:
    """A map, or where a name is repeated a list of maps with one pair each."""
    if not pairs:
        return []
    dash = "- " if len({name for name, _ in pairs}) < len(pairs) else ""
    lines = [f"{title}:"]
    for name, value in pairs:
        lines += pair_lines(name, value, f"  {dash}")
    return lines


def _type_text(type: int) -> str:
    try:
        return GGMLType(type).name
    except ValueError:
        return str(type)


def strings_jsonl(items: Iterable[bytes]) -> bytes:
    """Strings as JSON, one a line; those that are not UTF-8 as ``{"base64": ...}``."""
    from json.encoder import encode_basestring

    lines = []
    for item in items:
        try:
            lines.append(encode_basestring(item.decode()))
        except UnicodeDecodeError:
            from base64 import b64encode

            lines.append(f'{{"base64": "{b64encode(item).decode()}"}}')
    lines.append("")
    return "\n".join(lines).encode()
