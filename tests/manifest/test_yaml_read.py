"""YAML as a tree: lines, tags, and what is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import yaml

from gguf_construct.errors import BuildError
from gguf_construct.manifest import yaml_read
from gguf_construct.manifest.yaml_read import Node, parse_yaml

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(params=["C", "Python"], autouse=True)
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    if request.param == "Python":
        monkeypatch.delattr(yaml, "CSafeLoader", raising=False)
    return iter(())


def test_nodes_know_their_lines() -> None:
    root = parse_yaml("a: !int32 1\nb:\n  - x\n  - 'y'\nc: {d: [1]}\n")
    assert root is not None
    assert (root.kind, root.line) == ("map", 1)
    found = {key.text: value for key, value in root.pairs}
    assert found["a"] == Node("scalar", "int32", "1", 1)
    assert [item.line for item in found["b"].items] == [3, 4]
    assert [item.is_quoted for item in found["b"].items] == [False, True]
    assert found["c"].fields("d", "e")["d"].items[0].text == "1"
    assert found["c"].line == 5


@pytest.mark.parametrize("text", ["", "# only a comment\n", "\n\n"])
def test_an_empty_document(text: str) -> None:
    assert parse_yaml(text) is None


@pytest.mark.parametrize(
    ("tag", "name"),
    [("!", ""), ("!uint8", "uint8"), ("!!str", "string"), ("!!bool", "bool"), ("", "")],
)
def test_tags(tag: str, name: str) -> None:
    root = parse_yaml(f"{tag} 'x'")
    assert root is not None
    assert root.tag == name


WRONG = [
    ("a: [1\nb: 2", 1, "this is not YAML"),
    ("a: 1\nb: 'x", 2, "this is not YAML"),
    ("a: 1\n  b: 2", 2, "this is not YAML"),
    ("a: 1\nb: &x 1", 2, "anchors and aliases are not allowed"),
    ("a: 1\nb: *x", 2, "anchors and aliases are not allowed"),
    ("a: 1\n---\nb: 2", 2, "a second YAML document"),
    ("\na: !!float 1", 2, "the tag !!float is not known here"),
    ("[" * 40 + "]" * 40, 1, "nested more than 32 deep"),
    ("a: 1\nb: \x00", 2, "this is not YAML"),
]


@pytest.mark.parametrize(("text", "line", "words"), WRONG)
def test_what_is_refused_has_its_line(text: str, line: int, words: str) -> None:
    with pytest.raises(BuildError, match=words) as caught:
        parse_yaml(text)
    assert caught.value.path == f"line {line}"


def test_half_of_a_surrogate_pair_has_its_line() -> None:
    with pytest.raises(BuildError, match=r"surrogate pair|special characters") as caught:
        parse_yaml("a: 1\nb: \ud800")
    assert caught.value.path == "line 2"


def test_the_deepest_that_is_read() -> None:
    assert parse_yaml("[" * 33 + "]" * 33) is not None
    with pytest.raises(BuildError, match="nested more than 32 deep"):
        parse_yaml("[" * 34 + "]" * 34)


def test_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yaml_read, "_MAX_CHARS", 10)
    assert parse_yaml("a" * 10) is not None
    with pytest.raises(BuildError, match="more than 10 characters"):
        parse_yaml("a" * 11)
    monkeypatch.undo()
    monkeypatch.setattr(yaml_read, "_MAX_NODES", 50)
    assert parse_yaml("[" + "1, " * 40 + "]") is not None
    with pytest.raises(BuildError, match="more than 50 values"):
        parse_yaml("[" + "1, " * 60 + "]")


def test_each_kind_refuses_the_others() -> None:
    root = parse_yaml("a: [1]")
    assert root is not None
    a_list = root.pairs[0][1]
    for node, name, words in (
        (root, "text", "a text is expected here, not a map"),
        (root, "items", "a list is expected here, not a map"),
        (a_list, "pairs", "a map is expected here, not a list"),
        (a_list, "text", "a text is expected here, not a list"),
    ):
        with pytest.raises(BuildError, match=words):
            getattr(node, name)


def test_fields_are_known_and_stand_once() -> None:
    root = parse_yaml("a: 1\na: 2")
    assert root is not None
    with pytest.raises(BuildError, match="'a' is not known here; use b, c"):
        root.fields("b", "c")
    with pytest.raises(BuildError, match="'a' appears twice here") as caught:
        root.fields("a")
    assert caught.value.path == "line 2"


@pytest.mark.parametrize(
    ("text", "line", "why"),
    [
        ("a: &x 1\nb: *x\n", 1, "aliases"),
        ("[\n" * 40, 34, "deep"),
        ("[" * 100_000, 1, "deep|depth"),
        ("a: 1\n\tb: 2\n", 2, "not YAML"),
        ("a: 1\n---\nb: 2\n", 2, "second"),
        ("a: 1\nb: 'x\n\n\n", 2, "not YAML"),
        ("a: 1\nb: [1\n\nc: 2\nd: 3\n", 2, "not YAML"),
        ("a: !!python/object:os.system x\n", 1, "python/object"),
        ("a: 1\nb: \x00\n", 2, "not YAML"),
        ("a: \ud800\n", 1, "surrogate|not YAML"),
    ],
)
def test_more_that_is_refused(text: str, line: int, why: str) -> None:
    with pytest.raises(BuildError, match=why) as caught:
        parse_yaml(text)
    assert abs(caught.value.line - line) <= 1  # type: ignore[attr-defined]
