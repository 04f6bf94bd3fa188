"""Readers that share no code with ours, in one shape, each with what it cannot see.

`blind(seen)` says why an engine cannot read a file at all; `view(seen)` is the truth as far as the
engine can express it.  Everything else must agree exactly.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .builders import (
    ARRAY,
    BIG,
    BOOL,
    FLOAT32,
    FLOAT64,
    FORMATS,
    INT64,
    LITTLE,
    STRING,
    UINT64,
    Array,
    Value,
    f32_bits,
    f64_bits,
)
from .llama import available as llama_available
from .llama import ggml_headers
from .require import absent
from .seen import Seen, map_scalars, read_plainly

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

_REPOSITORY = Path(__file__).resolve().parents[2]
_KAITAI = _REPOSITORY / "generated" / "kaitai"
_NAN32, _NAN64 = 0x7FC00000, 0x7FF8000000000000


@dataclass(frozen=True)
class Engine:
    """`read(paths)` gives for each file what the engine saw, or its error as text.
    `missing()` says what the machine lacks to run it, with the feature's name, or None."""

    name: str
    read: Callable[[Sequence[Path]], list[Seen | str]]
    view: Callable[[Seen], Seen] = lambda seen: seen
    blind: Callable[[Seen], str | None] = lambda _seen: None
    missing: Callable[[], tuple[str, str] | None] = lambda: None

    def need(self) -> None:
        """Skip the running test where the engine cannot run."""
        lack = self.missing()
        if lack:
            absent(*lack)

    def __str__(self) -> str:
        return self.name


def each(read: Callable[[Path], Seen]) -> Callable[[Sequence[Path]], list[Seen | str]]:
    """A reader of many files from a reader of one; any exception becomes its text."""

    def one(path: Path) -> Seen | str:
        try:
            return read(path)
        except Exception as error:
            return f"{type(error).__name__}: {error}"

    return lambda paths: [one(path) for path in paths]


# ---- views ------------------------------------------------------------------------------------


def _one_nan(type_id: int, payload: Any) -> Any:
    if type_id == FLOAT32 and payload & 0x7FFFFFFF > 0x7F800000:
        return _NAN32
    if type_id == FLOAT64 and payload & (2**63 - 1) > 0x7FF << 52:
        return _NAN64
    return payload


def nan_is_nan(seen: Seen) -> Seen:
    """For engines that hold floats as floats: the bits of a NaN are lost."""
    return seen.map_values(lambda value: map_scalars(value, _one_nan))


def _js_integer(type_id: int, number: int) -> int:
    """64-bit integers are doubles there; its runtime (0.11) errs below -2^31, where the low half
    is subtracted as a signed number: all those count as one."""
    if type_id == INT64 and number < -(2**31):
        return -(2**63)
    return int(float(number)) if type_id in (UINT64, INT64) else number


def _in_doubles(seen: Seen) -> Seen:
    """For JavaScript: see `_js_integer`."""

    def change(type_id: int, payload: Any) -> Any:
        return _js_integer(type_id, payload) if isinstance(payload, int) else payload

    return nan_is_nan(seen).map_values(lambda value: map_scalars(value, change))


def _cut_at_nul(seen: Seen) -> Seen:
    """For ggml: strings come out as C strings, bools as 0 and 1, dims not at all."""

    def change(type_id: int, payload: Any) -> Any:
        if type_id == STRING:
            return payload.split(b"\0")[0]
        return int(payload != 0) if type_id == BOOL else payload

    return Seen(
        seen.version,
        seen.byte_order,
        seen.alignment,
        seen.data_start,
        tuple((key.split(b"\0")[0], map_scalars(value, change)) for key, value in seen.metadata),
        tuple((name.split(b"\0")[0], (), kind, at) for name, _, kind, at in seen.tensors),
    )


# ---- gguf-py ----------------------------------------------------------------------------------


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _is_nested(value: Value) -> bool:
    return value.type == ARRAY and value.payload.type == ARRAY


def _gguf_py_blind(seen: Seen) -> str | None:
    """What `gguf.GGUFReader` 0.19 cannot read."""
    names = [key for key, _ in seen.metadata] + [tensor[0] for tensor in seen.tensors]
    if seen.version == 1:
        return "version 1 is refused"
    if any(_is_nested(value) for _, value in seen.metadata):
        return "nested arrays are flattened"
    if not all(map(_is_utf8, names)):
        return "names must be UTF-8"
    if any(key.startswith(b"GGUF.") for key in names):
        return "a key collides with its own fields"
    if any(kind in (9, 41, 42) for *_, kind, _ in seen.tensors):
        return "Q8_1 has another size there, Q1_0 and Q2_0 are unknown"
    return None


def _gguf_py_value(field: Any, big: bool) -> Value:
    """The bytes of the parts, read as integers: floats keep their bits, bools their byte."""

    def number(type_id: int, part: Any) -> Any:
        data = bytes(part.tobytes())
        if type_id == STRING:
            return data
        return struct.unpack((">" if big else "<") + FORMATS[type_id], data)[0]

    first = int(field.types[0])
    if first != ARRAY:
        return Value(first, number(first, field.parts[field.data[0]]))
    # The last part but the elements is the count; the one before it is the element type.
    element = int(field.types[1]) if len(field.types) > 1 else int(field.parts[3][0])
    items = tuple(number(element, field.parts[index]) for index in field.data)
    return Value(ARRAY, Array(element, items))


def _read_gguf_py(path: Path) -> Seen:
    import gguf

    reader = gguf.GGUFReader(path)
    big = reader.endianess == gguf.GGUFEndian.BIG
    fields = {name: field for name, field in reader.fields.items() if name[:5] != "GGUF."}
    metadata = tuple((name.encode(), _gguf_py_value(f, big)) for name, f in fields.items())
    tensors = tuple(
        (
            tensor.name.encode(),
            tuple(int(dim) for dim in tensor.shape) if int(tensor.field.parts[2][0]) else (),
            int(tensor.tensor_type),
            int(tensor.field.parts[-1][0]),
        )
        for tensor in reader.tensors
    )
    return Seen(
        int(reader.fields["GGUF.version"].parts[0][0]),
        BIG if big else LITTLE,
        reader.alignment,
        reader.data_offset if tensors else None,
        metadata,
        tensors,
    )


# ---- the output of the official Kaitai compiler -----------------------------------------------


def _kaitai_missing() -> tuple[str, str] | None:
    if not (_KAITAI / "gguf.py").is_file():
        return "ksc", "the Kaitai readers are not generated"
    return None


def _kaitai_payload(type_id: int, node: Any) -> Any:
    if type_id == ARRAY:
        element = int(node.element_type)
        return Array(element, tuple(_kaitai_payload(element, item) for item in node.elements))
    if type_id in (FLOAT32, FLOAT64):
        bits = f32_bits if type_id == FLOAT32 else f64_bits
        return _one_nan(type_id, bits(node.value))
    return node.value


def _innermost(node: Any) -> int:
    """The number inside the small types that the schema wraps numbers in."""
    while hasattr(node, "value"):
        node = node.value
    return int(node)


def _read_kaitai_py(path: Path) -> Seen:
    from gguf_construct.core.kaitai_reader import load_kaitai

    root = load_kaitai().Gguf.from_bytes(path.read_bytes())
    body = root.body
    metadata = []
    for pair in body.metadata:
        type_id = int(getattr(pair.value_type, "value", pair.value_type))
        metadata.append((pair.key.value, Value(type_id, _kaitai_payload(type_id, pair.value))))
    tensors = tuple(
        (
            info.name.value,
            tuple(_innermost(dim) for dim in info.dims),
            int(getattr(info.ggml_type, "value", info.ggml_type)),
            info.ofs_data,
        )
        for info in body.tensor_infos
    )
    order = BIG if root.is_be else LITTLE
    start = body.ofs_data if tensors else None
    return Seen(root.version, order, body.alignment, start, tuple(metadata), tensors)


def _node_modules() -> Path | None:
    named = os.environ.get("GGUF_CONSTRUCT_NODE_MODULES")
    if named:
        return Path(named)
    from tools.ksc import KSC_FOLDER

    for folder in (KSC_FOLDER / "node_modules", _REPOSITORY / "node_modules"):
        if (folder / "kaitai-struct").is_dir():
            return folder
    return None


def _kaitai_js_missing() -> tuple[str, str] | None:
    if not (_KAITAI / "Gguf.js").is_file():
        return "ksc", "the Kaitai readers are not generated"
    if shutil.which("node") is None:
        return "node", "node is not installed"
    if _node_modules() is None:
        return "ksc", "run python -m tools.ksc --install for the JavaScript runtime of Kaitai"
    return None


def _from_js(type_id: int, item: Any) -> Any:
    if type_id == STRING:
        return bytes.fromhex(item)
    if type_id == ARRAY:
        element = item["element"]
        return Array(element, tuple(_from_js(element, one) for one in item["items"]))
    if type_id in (FLOAT32, FLOAT64):
        bits = int(item, 16)
        if type_id == FLOAT32:
            bits = f32_bits(struct.unpack(">d", bytes.fromhex(item))[0])
        return _one_nan(type_id, bits)
    return _js_integer(type_id, int(item))


def _seen_js(found: dict[str, Any]) -> Seen | str:
    if "error" in found:
        return str(found["error"])
    tensors = tuple(
        (bytes.fromhex(name), tuple(map(int, dims)), kind, int(offset))
        for name, dims, kind, offset in found["tensors"]
    )
    metadata = tuple(
        (bytes.fromhex(key), Value(kind, _from_js(kind, item)))
        for key, kind, item in found["metadata"]
    )
    order = BIG if found["big"] else LITTLE
    start = found["data_start"] if tensors else None
    return Seen(found["version"], order, found["alignment"], start, metadata, tensors)


def _read_kaitai_js(paths: Sequence[Path]) -> list[Seen | str]:
    script = str(Path(__file__).with_name("kaitai_dump.js"))
    command = ["node", script, str(_KAITAI), str(_node_modules()), *map(str, paths)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
    return [_seen_js(json.loads(line)) for line in done.stdout.splitlines()]


# ---- ggml's own loader ------------------------------------------------------------------------


def _ggml_blind(seen: Seen) -> str | None:
    if seen.byte_order == BIG or seen.version == 1:
        return "only versions 2 and 3 in the host's byte order are read"
    if any(_is_nested(value) for _, value in seen.metadata):
        return "nested arrays are refused"
    if any(len(name) > 63 for name, *_ in seen.tensors):
        return "tensor names have at most 63 bytes"
    return None


def _numbers(type_id: int, data: bytes) -> Iterable[Any]:
    # The loader hands out memory of the host; the engine runs on little-endian hosts only.
    return (one for (one,) in struct.iter_unpack("<" + FORMATS[type_id], data))


def _ggml_value(found: dict[str, Any]) -> Value:
    kind = found["type"]
    if kind == STRING:
        return Value(kind, bytes.fromhex(found["string"]))
    if kind != ARRAY:
        return Value(kind, next(iter(_numbers(kind, bytes.fromhex(found["bytes"])))))
    element = found["element"]
    if element == STRING:
        return Value(kind, Array(element, tuple(map(bytes.fromhex, found["strings"]))))
    return Value(kind, Array(element, tuple(_numbers(element, bytes.fromhex(found["bytes"])))))


def _read_ggml(paths: Sequence[Path]) -> list[Seen | str]:
    results: list[Seen | str] = []
    for header in ggml_headers(paths, full=True):
        if not header.ok:
            results.append(header.message)
            continue
        found = header.found
        tensors = tuple(
            (bytes.fromhex(t["name"]), (), t["type"], t["offset"]) for t in found["tensors"]
        )
        metadata = tuple((bytes.fromhex(p["key"]), _ggml_value(p)) for p in found["metadata"])
        start = found["data_start"] if tensors else None
        seen = Seen(found["version"], LITTLE, found["alignment"], start, metadata, tensors)
        results.append(seen)
    return results


def _need_module(feature: str, module: str) -> Callable[[], tuple[str, str] | None]:
    found = importlib.util.find_spec(module) is not None
    return lambda: None if found else (feature, f"{module} is not installed")


PLAIN = Engine("plain", each(lambda path: read_plainly(path.read_bytes())[0]))
GGUF_PY = Engine(
    "gguf-py", each(_read_gguf_py), blind=_gguf_py_blind, missing=_need_module("gguf-py", "gguf")
)
KAITAI_PY = Engine("kaitai-py", each(_read_kaitai_py), view=nan_is_nan, missing=_kaitai_missing)
KAITAI_JS = Engine("kaitai-js", _read_kaitai_js, view=_in_doubles, missing=_kaitai_js_missing)
GGML = Engine(
    "ggml",
    _read_ggml,
    view=_cut_at_nul,
    blind=_ggml_blind,
    missing=lambda: None if llama_available() else ("engine", "no llama.cpp here"),
)
ENGINES = (PLAIN, GGUF_PY, KAITAI_PY, KAITAI_JS, GGML)
