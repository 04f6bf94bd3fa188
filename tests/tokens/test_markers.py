"""Turn markers that are tokens of type normal."""

from __future__ import annotations

import pytest

from gguf_construct.tokens.markers import find_split, mend_command, split_markers
from tests.support import builders as b
from tests.support.builders import Pair
from tests.tokens.token_data import open_vocabulary

NORMAL, CONTROL, USER = 1, 3, 4


@pytest.mark.parametrize(
    ("text", "kind", "merges", "source", "is_found"),
    [
        (b"<|im_start|>", NORMAL, (), "", True),
        (b"<end_of_turn>", NORMAL, (), "", True),
        (b"<|im_start|>", CONTROL, (), "", False),
        (b"<|im_start|>", USER, (), "", False),
        (b"<turn>", NORMAL, (), "", False),
        (b"<turn>", NORMAL, (), "{{ '<turn>' + m.content }}", True),
        (b"[INST]", NORMAL, (), "[INST] {{ m.content }}", True),
        (b"<turn>", NORMAL, (b"<tu rn>",), "<turn>", False),
        (b"<turn>", NORMAL, (b"<tu rn",), "<turn>", True),
        (b"</s>", NORMAL, (), "", False),
        (b"a < b", NORMAL, (), "{% if a < b %}a < b{% endif %}", False),
    ],
)
def test_markers_are_found_where_they_fall_apart(
    text: bytes, kind: int, merges: tuple[bytes, ...], source: str, is_found: bool
) -> None:
    found = find_split([source], [b"a", text], [NORMAL, kind], merges)
    assert found == ({1: text} if is_found else {})


def test_more_texts_than_types_are_no_fault() -> None:
    assert find_split(["<x>"], [b"a", b"<x>"], [NORMAL], ()) == {}


def test_a_document_is_looked_at_with_its_own_arrays() -> None:
    more = Pair(b"tokenizer.ggml.merges", b.array(b.STRING, b"t he"))
    assert split_markers(open_vocabulary("llama", more), "") == {7: b"<|im_end|>"}
    assert split_markers(open_vocabulary("gpt2"), "<|endoftext|>") == {}


def test_the_command_can_be_pasted() -> None:
    command = mend_command(["<a>", "it's"])
    assert command == "gguf-construct token mark FILE '<a>' 'it'\\''s' control -i"
