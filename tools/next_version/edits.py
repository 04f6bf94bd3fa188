"""The edits of the schema that make the next version."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from gguf_construct._generated.types import VERSIONS
from tools.next_version.numbers import FLAGS_DEFAULT, TENSOR_TYPE, VALUE_TYPE, VERSION

if TYPE_CHECKING:
    from collections.abc import Mapping

_LAST_CASE = re.compile(r"( +)value_type::float64: scalar_float64\n")
_LAST_BLOCK = re.compile(r"( +)'ggml_type::q2_0': block_q2_0\n")


class StaleEditError(Exception):
    """The schema no longer has what an edit looks for."""


class _Edit(NamedTuple):
    """Text of a schema file, and what takes its place wherever it occurs."""

    file: str
    pattern: str
    text: str


_VERSIONS = _Edit("gguf.ksy", r"any-of: \[[0-9, ]+\]", f"any-of: {[*VERSIONS, VERSION]}")
_HEADER_FIELD = _Edit(
    "gguf.ksy",
    r"(?=      - id: num_tensors\n)",
    f"""\
      - id: flags
        type: u4
        if: version >= {VERSION}
        -default: {FLAGS_DEFAULT}
        doc: What else the file is.
""",
)
_EDITS = (
    _VERSIONS,
    _HEADER_FIELD,
    _Edit(
        "gguf.ksy",
        r"(          - id: ofs_data\n(?:            .*\n)+)(?=        instances:\n)",
        rf"""\g<1>          - id: checksum
            type: u4
            if: _root.version >= {VERSION}
            doc: A checksum of the data.
""",
    ),
    _Edit(
        "gguf.ksy",
        _LAST_CASE.pattern,
        r"\g<0>\g<1>value_type::timestamp: scalar_timestamp" + "\n",
    ),
    _Edit(
        "gguf.ksy",
        r"(?=      dimension:\n)",
        """\
      scalar_timestamp:
        doc: Nanoseconds since 1970.
        seq:
          - id: value
            type: s8
            doc: The number.
""",
    ),
    _Edit(
        "gguf.ksy",
        r"\Z",
        f"""\
        {VALUE_TYPE}:
          id: timestamp
          -orig-id: GGUF_TYPE_TIMESTAMP
          -since: {VERSION}
          doc: A point in time; since version {VERSION}.
""",
    ),
    _Edit("ggml.ksy", _LAST_BLOCK.pattern, r"\g<0>\g<1>'ggml_type::q3_0': block_q3_0" + "\n"),
    _Edit(
        "ggml.ksy",
        r"\(ggml_type == ggml_type::q4_0 or",
        r"(ggml_type == ggml_type::q3_0 or ggml_type == ggml_type::q4_0 or",
    ),
    _Edit(
        "ggml.ksy",
        r"(?=  block_f16:\n)",
        """\
  block_q3_0:
    -ggml-type: q3_0
    -elements: 32
    -bytes: 14
    -orig-id: block_q3_0
    doc: 32 elements of 3 bits with one scale.
    seq:
      - id: d
        type: u2
        -type: f2
        doc: Scale.
      - id: qs
        size: 12
        doc: 3-bit values.
""",
    ),
    _Edit(
        "ggml.ksy",
        r"(enums:\n  ggml_type:\n)",
        rf"""\g<1>    {TENSOR_TYPE}:
      id: q3_0
      -orig-id: GGML_TYPE_Q3_0
      doc: 3 bits.
""",
    ),
)

# What each fact would be if hand-written code derived it from the list of versions, or forgot it.
FACTS: Mapping[str, tuple[str, str]] = {
    "written_version": (r"(  written_version:\n    value: )\d+", rf"\g<1>{VERSION}"),
    "oldest_written_version": (
        r"(  oldest_written_version:\n    value: )\d+",
        rf"\g<1>{VERSIONS[0]}",
    ),
    "big_endian_version": (r"(  big_endian_version:\n    value: )\d+", rf"\g<1>{VERSION}"),
    "canonical_version": (r"(  canonical_version:\n    value: )\d+", rf"\g<1>{VERSION}"),
    "canonical_order": (r"(  canonical_order:\n    value: )le", r"\g<1>be"),
    "since": (rf"          -since: {VERSION}\n", ""),
    "default": (rf"        -default: {FLAGS_DEFAULT}\n", ""),
}


def with_next_version(spec: Mapping[str, str]) -> dict[str, str]:
    """The schema files, by name, with the next version in them.  Raises StaleEditError."""
    return _edited(spec, _EDITS)


def only_a_header_field(spec: Mapping[str, str]) -> dict[str, str]:
    """The schema files with the smallest next version: one more field in the header."""
    return _edited(spec, (_VERSIONS, _HEADER_FIELD))


def without_fact(spec: Mapping[str, str], fact: str) -> dict[str, str]:
    """The schema files as if a fact had been derived, or forgotten.  Raises StaleEditError."""
    pattern, text = FACTS[fact]
    return _edited(spec, (_Edit("gguf.ksy", pattern, text),))


def _edited(spec: Mapping[str, str], edits: tuple[_Edit, ...]) -> dict[str, str]:
    found = dict(spec)
    for edit in edits:
        text, count = re.subn(edit.pattern, edit.text, found[edit.file])
        if not count:
            raise StaleEditError(
                f"{edit.file} has nothing like {edit.pattern!r}: follow the schema"
            )
        found[edit.file] = text
    return found
