"""Rules about the types of values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..._generated.keys import READERS
from ..._generated.types import ValueType
from ...core.type_names import SCALARS
from .base import Finding, rule
from .loaded import loaded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..._generated.keys import KeyInfo
    from ...core.problem import Severity
    from .context import Context

_GET_KEY = "get_key, get_arr in llama-model-loader.cpp (exact type, else 'wrong type')"

# llama.cpp passes over these when they are of another type.
_LENIENT_ROLES = frozenset({"chat_template", "chat_template_names"})
# Sections that nobody reads, or reads with any of the listed types.
_ANY_LISTED = frozenset({"quantize", "clip", "controlvector", "imatrix"})
_STRICT_ARRAYS = frozenset({"{arch}.rope.dimension_sections"})
_REFUSED_VALUES = frozenset({"{arch}.rope.scaling.type", "adapter.type"})
_TOLERATED = (
    "llama.cpp (tried: xllamacpp 2026.10) loads it, readers that want exactly this type refuse it"
)
_INTEGERS = frozenset(name for name in SCALARS if "int" in name)
_FLOATS = frozenset({"float32", "float64"})


@rule("key-type", source=_GET_KEY, spec="warning")
def standard_types(c: Context) -> Iterator[Finding]:
    """A standard key has the type that llama.cpp reads it with: counts are UINT32, not INT32 or
    UINT64."""
    replay = loaded(c) if c.is_llama else None
    wrong = {one.key: one.wanted for one in replay.wrong_types if one.wanted} if replay else {}
    asked = replay.read if replay else set()
    for key, (at, _) in c.records.items():
        info = c.find(key)
        if key in wrong:
            yield _wrong_type(c, at, wrong[key], "error")
        if info is None or not info.types or key in wrong or key in asked:
            continue
        found = c.fields[at].type
        allowed = _allowed(info, c.is_llama)
        if found in allowed or (not c.is_llama and _same_kind(found, info.types)):
            continue
        # Of an architecture's keys, the loader stops only at those that it asks for.
        passed_over = replay is not None and info.section == "architecture"
        is_error = c.is_llama and _is_read(c, info, found) and not passed_over
        tolerated = f": {_TOLERATED}" if c.is_llama and found in info.tolerated else ""
        wanted = " or ".join(allowed) + tolerated
        yield _wrong_type(c, at, wanted, "error" if is_error else "warning")


def _wrong_type(c: Context, at: int, wanted: str, severity: Severity) -> Finding:
    field = c.fields[at]
    return Finding(
        f"it is {field.type}, not {wanted}",
        field.record.at("value_type"),
        c.key_path(at, "value_type"),
        _advice(field.key, field.type, wanted.partition(" ")[0].rstrip(":")),
        severity,
    )


def _allowed(info: KeyInfo, is_llama: bool) -> list[str]:
    """The types that llama.cpp takes: one scalar type (the first), any listed array type."""
    if not is_llama:
        return list(info.types)
    scalars = [one for one in info.types if not one.startswith("[")]
    arrays = [one for one in info.types if one.startswith("[")]
    if info.section in _ANY_LISTED:
        return scalars + arrays
    if info.key == "tokenizer.ggml.token_type":
        arrays = arrays[:1]
    return scalars[:1] + arrays


def _is_read(c: Context, info: KeyInfo, found: str) -> bool:
    """Whether the loader of such a file stops at a wrong type of this key."""
    if not _LENIENT_ROLES.isdisjoint(info.roles):
        return False
    if found in info.tolerated or not any(_reads(kind, info) for kind in c.kinds):
        return False
    # get_arr gives nothing, silently, for a scalar; the vocabulary is read more strictly.
    only_arrays = all(one.startswith("[") for one in info.types)
    strict = info.section in ("tokenizer", "clip") or info.key in _STRICT_ARRAYS
    return not only_arrays or found.startswith("[") or strict


def _reads(kind: str, info: KeyInfo) -> bool:
    reader = READERS.get(kind)
    if reader is None or info.key in reader.skips:
        return False
    return info.section in reader.sections or info.key in reader.keys


def _same_kind(found: str, types: tuple[str, ...]) -> bool:
    """The format's text wants readers to take any width of integer."""
    return any(found in kind and not kind.isdisjoint(types) for kind in (_INTEGERS, _FLOATS))


def _advice(key: str, found: str, wanted: str) -> str:
    numbers = _INTEGERS | _FLOATS
    if found in numbers and wanted in numbers:
        return f"gguf-construct set ... {key}:{wanted}=VALUE"
    return "store it again with the right type, or convert the model again"


@rule("array-nested", source="gguf_init_from_file in gguf.cpp", spec=None)
def nested(c: Context) -> Iterator[Finding]:
    """No array holds arrays: the format allows it, ggml refuses the file."""
    for at, field in enumerate(c.fields):
        record = field.record
        if record.value_type == ValueType.ARRAY and record.value.element_type == ValueType.ARRAY:
            yield Finding(
                "an array of arrays; ggml's loader refuses the whole file",
                record.value.at("element_type"),
                c.key_path(at, "value.element_type"),
                f"gguf-construct unset ... {field.key}",
            )


@rule("bool-byte", source="docs/gguf.md, GGUF_METADATA_VALUE_TYPE_BOOL", llama="warning")
def bool_bytes(c: Context) -> Iterator[Finding]:
    """A boolean is the byte 0 or 1."""
    for at, field in enumerate(c.fields):
        record = field.record
        if record.value_type == ValueType.BOOL and record.value > 1:
            yield Finding(
                f"a boolean of the byte {record.value}; llama.cpp takes it for true",
                record.at("value"),
                c.key_path(at, "value"),
                f"gguf-construct set ... {field.key}=true",
            )
        elif record.value_type == ValueType.ARRAY and record.value.element_type == ValueType.BOOL:
            raw = record.value.elements.raw
            wrong = len(raw) - len(raw.lstrip(b"\0\1"))
            if raw.strip(b"\0\1"):
                yield Finding(
                    f"element {wrong} is a boolean of the byte {raw[wrong]}",
                    record.value.elements.start + wrong,
                    c.key_path(at, f"value.elements[{wrong}]"),
                )


@rule("float-not-finite", source="registry of standard keys", llama="warning", spec="warning")
def not_finite(c: Context) -> Iterator[Finding]:
    """Numbers of standard keys are finite."""
    for key, (at, record) in c.records.items():
        value = record.value
        if not isinstance(value, float) or c.find(key) is None:
            continue
        if value != value or value in (float("inf"), float("-inf")):
            yield Finding(f"the value is {value}", record.at("value"), c.key_path(at, "value"))


@rule("value-unexpected", source="registry of standard keys; load_hparams in llama-model.cpp")
def known_values(c: Context) -> Iterator[Finding]:
    """A key with a fixed set of values has one of them; llama.cpp refuses a rotary scaling that
    it does not know, and guesses with other keys."""
    for key, (at, record) in c.records.items():
        info = c.find(key)
        if info is None or not info.values or info.key == "tokenizer.ggml.model":
            continue
        value = c.scalar(key)
        if value is None or value in [one for one, _ in info.values]:
            continue
        known = ", ".join(f"{one} ({name})" if name else str(one) for one, name in info.values)
        yield Finding(
            f"{value!r} is none of {known}",
            record.at("value"),
            c.key_path(at, "value"),
            None,
            None if info.key in _REFUSED_VALUES else "warning",
        )
