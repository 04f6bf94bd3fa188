"""Plans of manifests by hand: what is laid out where, and what is refused in which line."""

from __future__ import annotations

import pytest

from gguf_construct.core.codec import parse
from gguf_construct.errors import BuildError
from gguf_construct.manifest.build import pairs_of, plan_build
from gguf_construct.manifest.yaml_read import parse_yaml
from tests.manifest.memory_files import MemoryFiles
from tests.support import builders as b
from tests.support.plans import made


def built(text: str, **files: bytes) -> bytes:
    folder = MemoryFiles(**files)
    plan = plan_build(text, folder)
    data = made(plan.chunks, folder.sources)
    assert plan.nbytes == len(data)
    return data


def test_a_manifest_is_the_file_that_it_describes() -> None:
    text = """\
version: 2
byte_order: little
metadata:
  general.architecture: llama
  general.alignment: 64
  n: !uint8 5
tensors:
  a: {values: [1, 2, 3]}
  b: {type: I8, shape: [5], data: b}
"""
    model = b.Model(
        (
            b.Pair(b"general.architecture", b.text("llama")),
            b.Pair(b"general.alignment", b.u32(64)),
            b.Pair(b"n", b.u8(5)),
        ),
        (
            b.Tensor(b"a", (3,), 0, b"\0\0\x80\x3f\0\0\0\x40\0\0\x40\x40"),
            b.Tensor(b"b", (5,), 24, b"hello"),
        ),
        version=2,
    )
    assert built(text, b=b"hello") == b.build(model).data


def test_what_is_left_out_has_a_default() -> None:
    document = parse(built("metadata:\n"))
    assert (document.version, document.byte_order) == (3, "little")
    assert document.file_size == document.header_end
    assert built("{}") == built("manifest: 1\nversion: 3\nbyte_order: little")
    assert parse(built("byte_order: big")).byte_order == "big"


def test_offsets_padding_and_sizes_may_be_odd() -> None:
    text = """\
tensors:
  a: {type: I8, values: [1, 2], offset: 40}
  b: {type: I8, values: [3]}
  c: {type: I8, values: [4], offset: 1}
data_size: 99
filler:
  - {at: 10, bytes: 'xyz'}
  - {at: 90, file: f}
header_padding: PAD
"""
    small = built("tensors:\n  a: {type: I8, values: [1, 2]}\n")
    assert len(small) == parse(small).data_start + 32
    start = parse(built(text.replace("header_padding: PAD\n", ""), f=b"FF")).data_start
    padding = start - parse(built(text.replace("header_padding: PAD\n", ""), f=b"FF")).header_end
    data = built(text.replace("PAD", "p" * padding), f=b"FF")
    assert data[start - padding : start] == b"p" * padding
    section = bytearray(99)
    section[40:42], section[64:65], section[1:2] = b"\1\2", b"\3", b"\4"
    section[10:13], section[90:92] = b"xyz", b"FF"
    assert data[start:] == section
    with pytest.raises(BuildError, match=r"the data must start at .*: the padding"):
        built(text.replace("PAD", "p" * (padding - 1)), f=b"FF")


WRONG = [
    ("", 1, "the manifest is empty"),
    ("[]", 1, "a map is expected here"),
    ("a: 1", 1, "'a' is not known here"),
    ("\nmanifest: 2", 2, "manifest format 2 is not known"),
    ("\nbyte_order: middle", 2, "'middle' is not a byte order: use little or big"),
    ("\nversion: 9", 2, "version '9' is not known: 1, 2, 3"),
    ("\ndata_size: -1", 2, "'-1' is not a size"),
    ("\ndata_size: " + "9" * 19, 2, "is not a size"),
    ("metadata:\n  a: !uint8 1\n  a: !uint8 2", 3, "'a' is already in line 2"),
    ("metadata:\n  - {a: !uint8 1, b: !uint8 2}", 2, "each item of this list is one NAME: VALUE"),
    ("metadata:\n  a: 5", 2, "type of this value is not known"),
    ("tensors:\n  a: {values: [1], offset: 1152921504606846977}", 2, "is beyond any file"),
    ("filler:\n  - {at: 1}", 2, "filler needs at: OFFSET and bytes: or file:"),
    ("filler:\n  - {bytes: a}", 2, "filler needs at"),
    ("filler:\n  - {at: 1, file: x}", 2, "no file x"),
    ("filler:\n  - {at: 1, bytes: '\\'}", 2, "backslash"),
    ("header_padding: '\\'", 1, "backslash"),
]


@pytest.mark.parametrize(("text", "line", "words"), WRONG)
def test_what_is_refused_has_its_line(text: str, line: int, words: str) -> None:
    with pytest.raises(BuildError, match=words) as caught:
        built(text)
    assert caught.value.path == f"line {line}"


def test_names_may_repeat_in_a_list() -> None:
    document = parse(built("metadata:\n  - a: !uint8 1\n  - a: !uint8 2\n"))
    assert [field.value for field in document.metadata.fields()] == [1, 2]
    root = parse_yaml("x: ''\ny:\n")
    assert root is not None
    assert [pairs_of(value) for _, value in root.pairs] == [[], []]
    assert pairs_of(None) == []


def test_the_architecture_of_the_manifest_gives_types() -> None:
    text = "metadata:\n  general.architecture: llama\n  llama.block_count: 3\n"
    assert parse(built(text)).metadata.field("llama.block_count").type == "uint32"
    with pytest.raises(BuildError, match="is not known"):
        built(text.replace("architecture: llama", "architecture: other"))


def test_a_file_that_no_reader_takes_is_not_built() -> None:
    key = "k" * 70_000
    assert len(built(f"metadata:\n  ? {key}\n  : a\n")) > 70_000
    nested = "[" * 20 + "!uint8 [1]" + "]" * 20
    with pytest.raises(BuildError, match=r"no reader would accept this file|nested|deep"):
        built(f"metadata:\n  a: !array {nested}\n")


def test_errors_speak_of_what_was_written() -> None:
    with pytest.raises(BuildError, match=f"'{'x' * 40}' is not a byte order"):
        built("byte_order: " + "x" * 50)
