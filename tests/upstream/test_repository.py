"""The files of a repository: which are read, and where a setting stands in them."""

from __future__ import annotations

import json

import pytest

from gguf_construct.upstream.repository import (
    FILES,
    WANTED,
    Repository,
    look_up,
    parse_repository,
    place,
)


def encoded(**files: object) -> dict[str, bytes]:
    return {FILES[name]: json.dumps(value).encode() for name, value in files.items()}


def test_absent_files_are_left_out() -> None:
    found = parse_repository(encoded(config={"a": 1}, tokenizer={"b": 2}))
    assert found.files == {"config": {"a": 1}, "tokenizer": {"b": 2}}
    assert {*FILES.values()} <= {*WANTED}
    assert len(set(WANTED)) == len(WANTED)


def test_a_template_alone_will_do() -> None:
    found = parse_repository({"chat_template.jinja": b"{{ x }}"})
    assert found.files == {}
    assert found.chat.templates == {"default": "{{ x }}"}


@pytest.mark.parametrize("name", ["text_config", "llm_config", "language_config", "lm_config"])
def test_the_text_part_counts(name: str) -> None:
    config = {"hidden_size": 1, "other": 2, name: {"hidden_size": 5}}
    found = parse_repository(encoded(config=config)).files["config"]
    assert (found["hidden_size"], found["other"]) == (5, 2)
    odd = parse_repository(encoded(config={"hidden_size": 1, name: 5})).files["config"]
    assert odd["hidden_size"] == 1


REPOSITORY = Repository(
    {
        "config": {
            "a": {"b": 3, "null": None},
            "zero": 0,
            "rope_parameters": {"factor": 1, "full_attention": {"theta": 7, "factor": 9}},
        }
    }
)


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("config:a.b", 3),
        ("config:a", {"b": 3, "null": None}),
        ("config:zero", 0),
        ("config:a.null", None),
        ("config:a.b.c", None),
        ("config:absent", None),
        ("absent:a", None),
        ("config:rope_parameters.factor", 1),
        ("config:rope_parameters.theta", 7),
        ("config:rope_parameters.absent", None),
        ("config:full_attention.theta", None),
    ],
)
def test_settings_are_looked_up(source: str, value: object) -> None:
    assert look_up(REPOSITORY, source) == value


def test_places_for_people() -> None:
    assert place("config:a.b") == "config.json a.b"
    assert place("other:x") == "other x"
