"""Header fields that only files of some versions have: said where they say something, read back."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pytest

from gguf_construct.errors import BuildError
from gguf_construct.manifest import optional
from gguf_construct.manifest.optional import optional_yaml, read_optional
from gguf_construct.manifest.yaml_read import parse_yaml

if TYPE_CHECKING:
    from gguf_construct.manifest.yaml_read import Node


class Body(NamedTuple):
    """A record of a schema with two such fields."""

    flags: int = 1
    note: bytes = b"none"


@pytest.fixture(autouse=True)
def two_fields(monkeypatch: pytest.MonkeyPatch) -> None:
    known: dict[str, dict[str, int | bytes]] = {"body": {"flags": 1, "note": b"none"}}
    monkeypatch.setattr(optional, "OPTIONAL_FIELDS", known)


def node_of(text: str) -> Node:
    root = parse_yaml(f"\nheader: {text}\n")
    assert root is not None
    return root.fields("header")["header"]


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (Body(), ""),
        (Body(flags=0), "{flags: 0}"),
        (Body(flags=2**32 - 1), "{flags: 4294967295}"),
        (Body(note=b""), "{note: ''}"),
        (Body(note=b"it's \xff\n"), r"{note: 'it''s \xff\x0a'}"),
        (Body(5, b"x"), "{flags: 5, note: 'x'}"),
    ],
)
def test_what_is_not_the_default_is_said_and_read_back(body: Body, text: str) -> None:
    assert optional_yaml("body", body) == text
    found = read_optional("body", node_of(text)) if text else read_optional("body", None)
    assert Body()._replace(**found) == body


def test_a_type_without_such_fields_has_nothing_to_say() -> None:
    assert optional_yaml("tensor_info", Body(5)) == ""
    with pytest.raises(BuildError, match="line 2: 'flags' is not known here"):
        read_optional("tensor_info", node_of("{flags: 5}"))


@pytest.mark.parametrize(
    ("text", "words"),
    [("{flags: x}", "'x' is not a number"), ("{note: '\\xg'}", "note: "), ("{odd: 1}", "'odd'")],
)
def test_a_value_that_is_none_has_its_line(text: str, words: str) -> None:
    with pytest.raises(BuildError, match=words) as caught:
        read_optional("body", node_of(text))
    assert caught.value.path == "line 2"


def test_numbers_in_any_base() -> None:
    assert read_optional("body", node_of("{flags: 0x10}")) == {"flags": 16}
