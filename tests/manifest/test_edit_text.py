"""Metadata as text: nothing changes unless the text does, and then exactly that."""

from __future__ import annotations

import re

import pytest

import gguf_construct as gc
from gguf_construct.errors import BuildError
from gguf_construct.manifest.edit_text import annotate, apply_text, metadata_text, without_messages
from tests.support import builders as b
from tests.support.builders import Model, Pair, build
from tests.support.cases import VALID, Case

TEMPLATE = "{% for m in messages %}\n  {{ m }}\n{% endfor %}\n"
PAIRS = (
    Pair(b"general.architecture", b.text("llama")),
    Pair(b"llama.block_count", b.u32(1)),
    Pair(b"tokenizer.ggml.tokens", b.array(b.STRING, *(b"t%d" % at for at in range(20)))),
    Pair(b"tokenizer.ggml.eos_token_id", b.u32(2)),
    Pair(b"tokenizer.chat_template", b.text(TEMPLATE)),
    Pair(b"x.crlf", b.text("a \r\nb")),
    Pair(b"x.flag", b.boolean(2)),
)
DATA = build(Model(PAIRS)).data


def edited(old: str, new: str, data: bytes = DATA, **how: bool) -> tuple[gc.Model, list[str]]:
    """The model after a replacement in its text, and the actions."""
    model = gc.open(data)
    text = metadata_text(model)
    assert text.count(old) >= 1
    changes = apply_text(model, text.replace(old, new), **how)
    return model, [f"{change.action} {change.key}" for change in changes]


def refused(old: str, new: str, data: bytes = DATA) -> BuildError:
    with gc.open(data) as model:
        text = metadata_text(model)
        assert old in text
        with pytest.raises(BuildError) as caught:
            apply_text(model, text.replace(old, new))
        assert not model.metadata.is_changed
        assert model.to_bytes() == data
    return caught.value


def line_of(word: str) -> int:
    with gc.open(DATA) as model:
        lines = metadata_text(model).split("\n")
    return 1 + next(at for at, line in enumerate(lines) if line.startswith(word))


@pytest.mark.parametrize("case", VALID, ids=str)
def test_a_text_left_as_it_is_changes_nothing(case: Case) -> None:
    with gc.open(case.data) as model:
        assert apply_text(model, metadata_text(model)) == []
        assert not model.metadata.is_changed
        assert model.to_bytes() == case.data


def test_the_text_is_for_people() -> None:
    with gc.open(DATA) as model:
        lines = metadata_text(model).split("\n")
    body = [line for line in lines if line and not line.startswith("#")]
    assert body == [
        "general.architecture: llama  # architecture id; it prefixes the architecture's keys",
        "llama.block_count: !uint32 1  # number of blocks",
        'tokenizer.ggml.tokens: !keep 2  # [string], 20 elements: "t0", "t1", "t2", "t3", ...',
        'tokenizer.ggml.eos_token_id: !uint32 2  # "t2"',
        "tokenizer.chat_template: |",
        "  {% for m in messages %}",
        "    {{ m }}",
        "  {% endfor %}",
        'x.crlf: "a \\r\\n\\',
        '  b"',
        "x.flag: !bool 2",
    ]


@pytest.mark.parametrize(
    ("old", "new", "key", "value"),
    [
        ("block_count: !uint32 1", "block_count: !uint32 3", "llama.block_count", 3),
        ("block_count: !uint32 1", "block_count: 0x10", "llama.block_count", 16),
        ("id: !uint32 2", "id: 3", "tokenizer.ggml.eos_token_id", 3),
        ("{{ m }}", "{{ m }}!", "tokenizer.chat_template", TEMPLATE.replace("m }}", "m }}!")),
        ("!bool 2", "false", "x.flag", False),
        ('b"', 'c"', "x.crlf", "a \r\nc"),
    ],
)
def test_a_changed_value_is_one_change(old: str, new: str, key: str, value: object) -> None:
    model, changes = edited(old, new)
    assert changes == [f"set {key}"]
    assert model.metadata[key] == value
    with gc.open(DATA) as before:
        types = [(field.key, field.type) for field in before.metadata.fields()]
        raws = {field.key: field.encoded for field in before.metadata.fields()}
    assert [(field.key, field.type) for field in model.metadata.fields()] == types
    for field in model.metadata.fields():
        assert (field.encoded == raws[field.key]) == (field.key != key)


def test_keys_come_and_go_and_keep_their_places() -> None:
    model, changes = edited("x.flag: !bool 2", "x.new: !int8 -1\nx.flag: !bool 2")
    assert changes == ["set x.new"]
    assert list(model.metadata)[-2:] == ["x.new", "x.flag"]
    model, changes = edited("x.flag: !bool 2", "")
    assert changes == ["unset x.flag"]
    model, changes = edited("x.flag:", "x.other:")
    assert changes == ["unset x.flag", "set x.other"]
    model, changes = edited("tokenizer.ggml.tokens: !keep 2", "my.tokens: !keep 2")
    assert changes == ["unset tokenizer.ggml.tokens", "set my.tokens"]
    assert model.metadata["my.tokens"][19] == "t19"
    assert list(model.metadata)[2] == "my.tokens"


def test_the_order_of_lines_is_the_order_of_keys() -> None:
    with gc.open(DATA) as model:
        text = "x.flag: !bool 2\n" + metadata_text(model).replace("x.flag: !bool 2", "")
        changes = apply_text(model, text)
        assert [change.action for change in changes] == ["order"]
        assert next(iter(model.metadata)) == "x.flag"
        assert sorted(model.metadata) == sorted(pair.key.decode() for pair in PAIRS)  # type: ignore[union-attr]


def test_keys_that_depend_on_each_other_change_together() -> None:
    tokens = "!string [" + ", ".join(f"n{at}" for at in range(25)) + "]"
    with gc.open(DATA) as model:
        text = metadata_text(model).replace("id: !uint32 2", "id: !uint32 24")
        apply_text(model, text.replace("!keep 2 ", tokens + " "))
        assert model.metadata["tokenizer.ggml.eos_token_id"] == 24
        assert len(model.metadata["tokenizer.ggml.tokens"]) == 25


@pytest.mark.parametrize(
    ("old", "new", "word", "why"),
    [
        ("id: !uint32 2", "id: !uint32 99", "tokenizer.ggml.eos", "20 tokens"),
        ("id: !uint32 2", "id: !int32 2", "tokenizer.ggml.eos", "uint32"),
        ("id: !uint32 2", "id: two", "tokenizer.ggml.eos", "uint32"),
        ("{{ m }}", "{{ m }", "tokenizer.chat_template", "template"),
        ("x.flag: !bool 2", "x.flag: !bool [", "x.flag", "YAML"),
        ("x.flag: !bool 2", "x.crlf: y", "x.flag", "already"),
        ("!keep 2 ", "!keep 7 ", "tokenizer.ggml.tokens", "pair"),
        ("!keep 2 ", "!keep 0000000000 ", "tokenizer.ggml.tokens", "pair"),
        ("x.flag: !bool 2", "x.new: 5", "x.flag", "type"),
        ("x.flag: !bool 2", "x.flag: {file: /etc/hostname}", "x.flag", "map"),
        ("x.flag: !bool 2", '"": x', "x.flag", "empty"),
    ],
)
def test_errors_name_their_line_and_change_nothing(old: str, new: str, word: str, why: str) -> None:
    error = refused(old, new)
    assert why in error.message
    assert abs(error.line - line_of(word)) <= (1 if why == "YAML" else 0)  # type: ignore[attr-defined]


def test_what_would_break_the_model_can_be_forced() -> None:
    model, _ = edited("id: !uint32 2", "id: !uint32 99", force=True)
    assert model.metadata["tokenizer.ggml.eos_token_id"] == 99
    model, _ = edited("id: !uint32 2", "id: !int32 2", force_type=True)
    assert model.metadata.field("tokenizer.ggml.eos_token_id").type == "int32"


def test_repeated_keys_are_listed_and_can_be_thinned_out() -> None:
    data = build(Model((*PAIRS, Pair(b"general.architecture", b.text("gemma"))))).data
    error = refused("architecture: gemma", "architecture: qwen", data)
    assert "more than once" in error.message
    model, changes = edited("- general.architecture: llama", "- x.old: llama", data)
    assert changes == ["unset general.architecture", "set x.old"]
    assert model.metadata["general.architecture"] == "gemma"


def test_a_message_stands_above_its_line_and_does_not_count() -> None:
    error = refused("id: !uint32 2", "id: !uint32 99")
    with gc.open(DATA) as model:
        text = metadata_text(model).replace("id: !uint32 2", "id: !uint32 99")
        told = annotate(text, error)
        lines = told.split("\n")
        at = next(at for at, line in enumerate(lines) if line.startswith("#! error: "))
        assert lines[at + 2].startswith("tokenizer.ggml.eos_token_id: !uint32 99")
        assert without_messages(told) == text
        assert annotate(told, error) == told
        inside = told.replace("\n    {{ m", "\n#! error: x\n    {{ m").replace("32 99", "32 2")
        assert apply_text(model, inside) == []


def test_some_of_many_pairs_with_the_same_key_are_removed() -> None:
    pairs = tuple(b.Pair(b"k", b.u16(at)) for at in range(3000))
    model = gc.open(b.build(b.Model(pairs)).data)
    lines = gc.metadata_text(model).splitlines()
    pattern = re.compile(r"- k: !uint16 (7|\d007)$|[^-]")
    kept = [line for line in lines if pattern.match(line)]
    changes = gc.apply_text(model, "\n".join(kept))
    assert [field.value for field in model.metadata.fields()] == [7, 1007, 2007]
    assert [change.old.value for change in changes] == [at for at in range(3000) if at % 1000 != 7]
