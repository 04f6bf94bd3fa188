"""Rules about metadata keys as such."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from ...core.registry import aliases_of, close_matches, concrete, find
from ...core.values import text_of
from .base import Finding, rule
from .context import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .context import Context

_LOADER = "gguf_init_from_file in gguf.cpp"
_KEYS = "docs/gguf.md, gguf_metadata_kv_t"
_SYNTAX = re.compile(rb"[a-z0-9_]+(\.[a-z0-9_]+)*")
_MAX_NBYTES = 65535
_VALUE_SHOWN = 40
_LETTERS = 2
_MOST_COMPARED = 500


@rule("key-duplicate", source=_LOADER)
def duplicates(c: Context) -> Iterator[Finding]:
    """Every key stands there once: which one wins differs between readers."""
    first: dict[bytes, int] = {}
    for at, field in enumerate(c.fields):
        before = first.setdefault(field.raw_key, at)
        if before == at:
            continue
        one = c.fields[before]
        same = (one.record.value_type, one.raw) == (field.record.value_type, field.raw)
        values = "with the same value" if same else f"{_value(c, before)} and {_value(c, at)}"
        yield Finding(
            f"the key stands at 0x{one.start:x} already, {values}",
            field.start,
            c.key_path(at, "key"),
            "remove the copy: gguf-construct repair ..."
            if same
            else "readers differ in which one they take: remove one of them",
        )


def _value(c: Context, at: int) -> str:
    field = c.fields[at]
    if field.array_length is not None:
        return f"{field.type} of {field.array_length}"
    value = repr(field.value)
    return value if len(value) <= _VALUE_SHOWN else f"{value[: _VALUE_SHOWN - 3]}..."


@rule("key-empty", source=_LOADER)
def empty(c: Context) -> Iterator[Finding]:
    """No key is empty."""
    for at, field in enumerate(c.fields):
        if not field.raw_key:
            yield Finding("the key is empty", field.start, c.key_path(at, "key"))


@rule("key-syntax", source=_KEYS, llama=None, spec="warning")
def syntax(c: Context) -> Iterator[Finding]:
    """Keys are lower_snake_case words joined by dots; the name of an architecture and of a chat
    template stand in them as they are."""
    free = (c.architecture or "").encode("utf-8", "surrogateescape") + b"."
    for at, field in enumerate(c.fields):
        key = field.raw_key
        rest = key.removeprefix(free) if len(free) > 1 else key
        info = c.find(field.key)
        if info is not None and info.key.endswith("{name}"):
            continue
        if key.isascii() and key and not _SYNTAX.fullmatch(rest):
            yield Finding(
                "the key is not lower_snake_case joined by dots",
                field.start,
                c.key_path(at, "key"),
                "rename it, if the program that reads it allows that",
            )


@rule("key-not-ascii", source=_KEYS, llama="warning", spec="error")
def ascii_only(c: Context) -> Iterator[Finding]:
    """Keys are ASCII."""
    for at, field in enumerate(c.fields):
        if not field.raw_key.isascii():
            yield Finding(
                "the key is not ASCII; some readers stop at it, others show another key",
                field.start,
                c.key_path(at, "key"),
            )


@rule("key-too-long", source=_KEYS, llama=None)
def long(c: Context) -> Iterator[Finding]:
    """A key has at most 65535 bytes."""
    for at, field in enumerate(c.fields):
        if len(field.raw_key) > _MAX_NBYTES:
            yield Finding(
                f"the key has {len(field.raw_key)} bytes, more than {_MAX_NBYTES}",
                field.start,
                c.key_path(at, "key"),
            )


@rule("key-alias", source="llm_kv names in llama-arch.cpp", llama="warning", spec=None)
def alias(c: Context) -> Iterator[Finding]:
    """A key is spelt as llama.cpp reads it, not as in a text or an older version."""
    for key, (at, record) in c.records.items():
        info = c.find(key)
        if info is None or not info.alias_of:
            continue
        wanted = concrete(info.alias_of, c.architecture or "")
        if "{" in wanted or wanted in c.records:
            continue
        yield Finding(
            f"llama.cpp reads {wanted!r} ({info.alias})",
            record.at("key"),
            c.key_path(at, "key"),
            f"gguf-construct rename ... {key} {wanted}",
            "info" if info.alias == "deprecated" else None,
        )


@rule("key-spelt-twice", source="llm_kv names in llama-arch.cpp", spec="warning")
def two_spellings(c: Context) -> Iterator[Finding]:
    """A setting is not there under two spellings, of which llama.cpp reads one."""
    for key, (at, record) in c.records.items():
        info = c.find(key)
        if info is None:
            continue
        for other in aliases_of(info.key):
            name = concrete(other.key, c.architecture or "")
            if other.alias == "deprecated" or name not in c.records:
                continue
            place = c.records[name][1].at("key")
            same = c.scalar(name) == c.scalar(key)
            yield Finding(
                f"{name!r} at 0x{place:x} says {'the same' if same else 'something else'}; "
                f"llama.cpp reads {key!r}",
                max(place, record.at("key")),
                c.key_path(at if record.at("key") > place else c.records[name][0], "key"),
                f"gguf-construct unset ... {name}",
                "warning" if same else None,
            )


@rule("key-misspelt", source="registry of standard keys", llama="warning", spec="warning")
def misspelt(c: Context) -> Iterator[Finding]:
    """A key that is unknown is not one letter away from a standard one that is missing."""
    missing = [one.key for one in c.required if one.key not in c.records]
    lengths = {len(key) + more for key in missing for more in range(-_LETTERS, _LETTERS + 1)}
    # Comparing texts is slow: no file has more than a few keys that come into question.
    unknown = (key for key in c.records if len(key) in lengths and c.find(key) is None)
    for key in islice(unknown, _MOST_COMPARED):
        near = close_matches(key, missing, 1)
        if not near or not _is_slip(key, near[0], c.architecture or ""):
            continue
        at, record = c.records[key]
        yield Finding(
            f"the key is unknown and {near[0]!r} is missing",
            record.at("key"),
            c.key_path(at, "key"),
            f"gguf-construct rename ... {key} {near[0]}",
        )


def _is_slip(key: str, wanted: str, architecture: str) -> bool:
    """A different prefix is another mistake (another architecture's keys), not a typing error."""
    same_start = key.partition(".")[0] == wanted.partition(".")[0]
    return abs(len(key) - len(wanted)) <= _LETTERS and (
        same_start or not key.startswith(architecture)
    )


@rule("key-other-architecture", source="llm_kv names in llama-arch.cpp", llama="warning", spec=None)
def other_architecture(c: Context) -> Iterator[Finding]:
    """Keys of an architecture carry the name of this model's architecture."""
    if not c.architecture or "model" not in c.kinds:
        return
    for one in c.required:
        if one.key in c.records or not one.key.startswith(f"{c.architecture}."):
            continue
        suffix = one.key[len(c.architecture) :]
        for key, (at, record) in c.records.items():
            if (
                key.endswith(suffix)
                and find(key) is not None
                and key.count(".") == one.key.count(".")
            ):
                yield Finding(
                    f"general.architecture is {c.architecture!r}, so llama.cpp reads {one.key!r}",
                    record.at("key"),
                    c.key_path(at, "key"),
                    f"gguf-construct rename ... {key} {one.key}",
                )


@rule("key-nul", source="gguf_get_key in gguf.cpp", llama="warning", spec="error")
def nul(c: Context) -> Iterator[Finding]:
    """No key holds a NUL byte: C readers see it cut there."""
    for at, field in enumerate(c.fields):
        if b"\0" in field.raw_key:
            cut = field.raw_key.partition(b"\0")[0]
            yield Finding(
                f"C readers see only {shown(cut)}",
                field.start,
                c.key_path(at, "key"),
            )


@rule("key-reader-own", source="GGUFReader of gguf-py", llama="info", spec=None)
def reader_own(c: Context) -> Iterator[Finding]:
    """No key has a name that a common reader uses for something of its own."""
    taken = {b"GGUF.version", b"GGUF.tensor_count", b"GGUF.kv_count"}
    taken |= {b"version", b"tensor_count", b"kv_count"}
    for at, field in enumerate(c.fields):
        if field.raw_key in taken:
            yield Finding(
                f"gguf-py or @huggingface/gguf keep something of their own under "
                f"{text_of(field.raw_key)!r}",
                field.start,
                c.key_path(at, "key"),
            )
