"""Lists of hashes as text, and what changed since one was written."""

from __future__ import annotations

import pytest

import gguf_construct as gc
from gguf_construct.api import hash_model
from gguf_construct.comparison.hash_list import (
    HashChange,
    compare_hashes,
    format_hashes,
    parse_hashes,
)
from gguf_construct.comparison.hashes import HashReport
from gguf_construct.errors import GGUFError
from tests.support.cases import VALID


@pytest.mark.parametrize("case", VALID, ids=str)
def test_lists_keep_every_name(case: object) -> None:
    with gc.open(case.data) as model:  # type: ignore[attr-defined]
        report = hash_model(model)
    algorithm, found = parse_hashes(format_hashes(report))
    assert (algorithm, found) == ("sha256", report.rows())


@pytest.mark.parametrize("name", ["", " ", '"', "a\nb", "\\n", "\udcff", " x ", "tensor", "名"])
def test_lists_keep_odd_names(name: str) -> None:
    report = HashReport("xxh3", "ab", {name: "cd"}, {name: "ef"})
    assert parse_hashes(format_hashes(report)) == ("xxh3", report.rows())


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("", "line 1"),
        ("# gguf-construct hash md5\n", "line 1"),
        ("# gguf-construct hash sha256\nab content\n", "line 2"),
        ("# gguf-construct hash sha256\n\nxy  content\n", "line 3"),
        ("# gguf-construct hash sha256\nab  other x\n", "line 2"),
        ('# gguf-construct hash sha256\nab  tensor "x\n', "line 2"),
    ],
)
def test_other_texts_are_no_lists(text: str, where: str) -> None:
    with pytest.raises(GGUFError, match=where):
        parse_hashes(text)


def test_comments_and_empty_lines_are_skipped() -> None:
    text = "# gguf-construct hash sha256\n\n# a word\nab  metadata k\ncd  tensor t\nef  content\n"
    rows = {("metadata", "k"): "ab", ("tensor", "t"): "cd", ("content", ""): "ef"}
    assert parse_hashes(text) == ("sha256", rows)


def test_changed_missing_and_new_rows() -> None:
    report = HashReport(
        "sha256", "99", {"same": "aa", "other": "bb", "general.alignment": "cc"}, {"new": "dd"}
    )
    old = {
        ("metadata", "same"): "aa",
        ("metadata", "other"): "b0",
        ("metadata", "gone"): "ee",
        ("metadata", "general.alignment"): "c0",
        ("content", ""): "99",
    }
    assert compare_hashes(old, report) == [
        HashChange("metadata", "other", "b0", "bb"),
        HashChange("metadata", "gone", "ee", None),
        HashChange("tensor", "new", None, "dd"),
    ]
    assert [one.what for one in compare_hashes(old, report)] == ["changed", "missing", "new"]
    assert compare_hashes(report.rows(), report) == []
