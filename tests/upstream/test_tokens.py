"""Special tokens, vocabularies, merges and templates against a repository."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import gguf_construct as gc
from gguf_construct.templates.folder import FolderTemplates
from gguf_construct.upstream.compare import compare_upstream
from gguf_construct.upstream.repository import Repository
from tests.support import builders as b
from tests.support.builders import Model, Pair, build

if TYPE_CHECKING:
    from gguf_construct.upstream.results import UpstreamRow

TOKENS, MERGES = b"tokenizer.ggml.tokens", b"tokenizer.ggml.merges"
EOS = b"tokenizer.ggml.eos_token_id"


def rows(
    pairs: dict[bytes, b.Value], templates: dict[str, str] | None = None, **files: dict[str, Any]
) -> dict[str, list[UpstreamRow]]:
    known = {b"general.architecture": b.text("llama"), **pairs}
    model = Model(tuple(Pair(key, value) for key, value in known.items()))
    chat = FolderTemplates(templates or {}, {}, dict.fromkeys(templates or {}, "a file"))
    found: dict[str, list[UpstreamRow]] = {}
    with gc.open(build(model).data) as opened:
        for row in compare_upstream(opened, Repository(files, chat)):
            found.setdefault(row.key, []).append(row)
    return found


def one(found: dict[str, list[UpstreamRow]], key: bytes) -> UpstreamRow:
    (row,) = found[key.decode()]
    return row


def vocabulary(*texts: str, **more: Any) -> dict[str, Any]:
    return {"model": {"vocab": {text: at for at, text in enumerate(texts)}, **more}}


def here(*texts: bytes, model: str = "gpt2") -> dict[bytes, b.Value]:
    return {TOKENS: b.array(b.STRING, *texts), b"tokenizer.ggml.model": b.text(model)}


def test_other_vocabularies_stay_as_they_are() -> None:
    row = one(rows(here(b"hello", b"##ing"), tokenizer=vocabulary("hello", "##ing")), TOKENS)
    assert row.verdict == "same"


def test_only_some_examples_are_shown() -> None:
    found = rows(here(b"a", b"b", b"c", b"d", b"e"), tokenizer=vocabulary("A", "B", "C", "D", "E"))
    row = one(found, TOKENS)
    assert row.note.startswith("5 differ: [0] 'a' here, 'A' there, [1]")
    assert "[2]" in row.note
    assert "[3]" not in row.note


def test_padding_at_the_end_is_noted() -> None:
    row = one(rows(here(b"a", b"b", b"pad", b"pad2"), tokenizer=vocabulary("a", "b")), TOKENS)
    assert (row.verdict, row.note) == ("same", "2 more here, such as 'pad2'")


def test_vocabularies_may_be_lists() -> None:
    tokenizer = {"model": {"vocab": [["a", -1.0], ["b", -2.0], 5, [], [7]]}}
    assert one(rows(here(b"a", b"b"), tokenizer=tokenizer), TOKENS).verdict == "same"
    assert one(rows(here(b"a", b"c"), tokenizer=tokenizer), TOKENS).verdict == "differs"


def test_merges() -> None:
    pairs = {**here(b"a"), MERGES: b.array(b.STRING, b"a b", "c Ġd".encode())}
    merges = ["a b", ["c", " d"], 5]
    assert one(rows(pairs, tokenizer=vocabulary("a", merges=merges)), MERGES).verdict == "same"
    row = one(rows(pairs, tokenizer=vocabulary("a", merges=["a b"])), MERGES)
    assert (row.verdict, row.note) == ("differs", "1 more here, such as 'c Ġd'")
    row = one(rows(pairs, tokenizer=vocabulary("a", merges=["a b", "c d"])), MERGES)
    assert row.verdict == "differs"


def eos(number: int) -> dict[bytes, b.Value]:
    return {**here(b"a", b"</s>", b"<|im_end|>", b"<stop>"), EOS: b.u32(number)}


@pytest.mark.parametrize(
    ("theirs", "verdict", "shown"),
    [
        (1, "same", "1 '</s>'"),
        (2, "differs", "2 '<|im_end|>'"),
        ([1, 2], "same", "1 '</s>', 2 '<|im_end|>'"),
        ([2, 3], "differs", "2 '<|im_end|>', 3 '<stop>'"),
        (99, "differs", "99"),
    ],
)
def test_ids(theirs: object, verdict: str, shown: str) -> None:
    row = one(rows(eos(1), tokenizer_config={}, generation_config={"eos_token_id": theirs}), EOS)
    assert (row.verdict, row.ours, row.theirs) == (verdict, "1 '</s>'", shown)


@pytest.mark.parametrize(
    ("theirs", "verdict", "shown"),
    [
        ("</s>", "same", "1 '</s>'"),
        ({"content": "</s>", "lstrip": False}, "same", "1 '</s>'"),
        ("<|im_end|>", "differs", "2 '<|im_end|>'"),
        ("<absent>", "differs", "'<absent>'"),
    ],
)
def test_texts(theirs: object, verdict: str, shown: str) -> None:
    row = one(rows(eos(1), tokenizer_config={"eos_token": theirs}), EOS)
    assert (row.verdict, row.theirs) == (verdict, shown)


def test_an_id_outside_the_vocabulary_has_no_text() -> None:
    row = one(rows(eos(77), tokenizer_config={"eos_token": "</s>"}), EOS)
    assert (row.ours, row.verdict) == ("77", "differs")


def test_stops_that_only_upstream_has() -> None:
    both = {"eos_token_id": [1, 3]}
    row = one(rows(eos(1), tokenizer_config={}, generation_config=both), EOS)
    assert row.note == "upstream stops at 3 '<stop>' too, this model does not"
    # <|im_end|> is known by its text, and another role may name a token.
    assert (
        one(rows(eos(1), tokenizer_config={}, generation_config={"eos_token_id": [1, 2]}), EOS).note
        == ""
    )
    also = {**eos(1), b"tokenizer.ggml.eot_token_id": b.u32(3)}
    assert one(rows(also, tokenizer_config={}, generation_config=both), EOS).note == ""
    assert (
        one(rows(eos(1), tokenizer_config={}, generation_config={"eos_token_id": [3]}), EOS).note
        == ""
    )


MAIN = b"tokenizer.chat_template"


@pytest.mark.parametrize(
    ("ours", "theirs", "verdict", "note"),
    [
        ("{{ a }}", "{{ a }}", "same", ""),
        ("{{ a }}\n", "{{ a }}", "differs", "only white space at the start or the end differs"),
        ("{{ a }}\n{{ b }}", "{{ a }}\n{{ c }}", "differs", "from line 2: see `template diff`"),
        ("{{ b }}", "{{ a }}", "differs", "from line 1: see `template diff`"),
        ("{{ a }}\nx", "{{ a }}\nx\ny", "differs", "from line 1: see `template diff`"),
    ],
)
def test_templates(ours: str, theirs: str, verdict: str, note: str) -> None:
    row = one(rows({MAIN: b.text(ours)}, {"default": theirs}), MAIN)
    assert (row.verdict, row.note) == (verdict, note)
    assert (row.ours, row.theirs) == (f"{len(ours)} characters", f"{len(theirs)} characters")
    assert row.where == "a file"


def test_named_templates_have_rows_of_their_own() -> None:
    tool = MAIN + b".tool"
    found = rows({MAIN: b.text("x"), tool: b.text("y")}, {"default": "x", "other": "z"})
    assert one(found, MAIN).verdict == "same"
    assert one(found, tool).verdict == "missing there"
    assert one(found, MAIN + b".other").verdict == "missing here"


WORDPIECES = ("[PAD]", "[CLS]", "hello", "##ing", "##", "[odd", "odd]", "[unused1]")
WORDS = (
    b"[PAD]",
    b"[CLS]",
    b"\xe2\x96\x81hello",
    b"ing",
    b"",
    b"\xe2\x96\x81[odd",
    b"\xe2\x96\x81odd]",
    b"[unused1]",
)


def test_wordpieces_are_spelt_as_llama_wants_them() -> None:
    row = one(
        rows(here(*WORDS, model="bert"), tokenizer=vocabulary(*WORDPIECES, type="WordPiece")),
        TOKENS,
    )
    assert (row.verdict, row.note) == ("same", "")
    assert (row.ours, row.theirs) == ("8 entries", "8 entries")


@pytest.mark.parametrize(
    ("at", "wrong"),
    [
        (0, b"[PAX]"),
        (2, b"\xe2\x96\x81hellp"),
        (3, b"\xe2\x96\x81ing"),
        (3, b"#ing"),
        (7, b"[unused2]"),
    ],
)
def test_wordpieces_that_are_others(at: int, wrong: bytes) -> None:
    texts = [*WORDS[:at], wrong, *WORDS[at + 1 :]]
    row = one(
        rows(here(*texts, model="bert"), tokenizer=vocabulary(*WORDPIECES, type="WordPiece")),
        TOKENS,
    )
    assert row.verdict == "differs"
    assert row.note.startswith(f"1 differ: [{at}] {wrong.decode()!r} here, ")


def test_added_tokens_belong_to_the_vocabulary() -> None:
    tokenizer = {
        **vocabulary("a", "b"),
        "added_tokens": [{"id": 2, "content": "<x>"}, {"id": "?"}, 5],
    }
    assert one(rows(here(b"a", b"b", b"<x>"), tokenizer=tokenizer), TOKENS).verdict == "same"
    row = one(rows(here(b"a", b"b"), tokenizer=tokenizer), TOKENS)
    assert row.verdict == "differs"
    assert row.note == "1 differ: [2] nothing here, '<x>' there"
