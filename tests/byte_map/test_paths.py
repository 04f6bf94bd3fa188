"""Field paths as data."""

from __future__ import annotations

import pytest

from gguf_construct.byte_map.paths import covers, literal_prefix, parse_path, without_labels


def test_labels_are_left_out() -> None:
    assert without_labels("metadata[3] 'it\\'s [1].x'.value") == "metadata[3].value"
    assert without_labels("tensor_infos[0] 'a'") == "tensor_infos[0]"


def test_huge_indices_are_harmless() -> None:
    steps = parse_path(f"a[{10**40}]")
    assert steps is not None
    assert parse_path("a[9:3]") == ("a", range(9, 3))


ENDLESS = 1 << 64
PATHS = [
    ("a", ("a",)),
    ("a.b", ("a", "b")),
    ("metadata[3].value", ("metadata", range(3, 4), "value")),
    ("a[2:5]", ("a", range(2, 5))),
    ("a[2:]", ("a", range(2, ENDLESS))),
    ("a[:5]", ("a", range(5))),
    ("a[1][2]", ("a", range(1, 2), range(2, 3))),
    (".a", ("a",)),
    ("", None),
    ("a..b", None),
    ("a[", None),
    ("a[]", None),
    ("a[:]", None),
    ("a[-1]", None),
    ("a]", None),
    ("a[x]", None),
]


@pytest.mark.parametrize(("path", "steps"), PATHS)
def test_paths_are_taken_apart(path: str, steps: object) -> None:
    assert parse_path(path) == steps


COVERED = [
    ("a", "a", True),
    ("a", "a.b", True),
    ("a.b", "a", False),
    ("a", "b", False),
    ("a[3]", "a[3].x", True),
    ("a[3]", "a[4]", False),
    ("a[3:5]", "a[4]", True),
    ("a[3:5]", "a[5]", False),
    ("a[3:5]", "a[2]", False),
    ("a[4]", "a[2:9]", True),
    ("a[9]", "a[2:9]", False),
    ("a[1]", "a[2:9]", False),
    ("a[4]", "a.b", False),
]


@pytest.mark.parametrize(("wanted", "path", "is_covered"), COVERED)
def test_what_lies_below_a_path(wanted: str, path: str, is_covered: bool) -> None:
    want, steps = parse_path(wanted), parse_path(path)
    assert want is not None
    assert steps is not None
    assert covers(want, steps) is is_covered


def test_a_folded_run_may_hold_what_is_wanted() -> None:
    want, run = parse_path("a[4].len"), parse_path("a[2:9]")
    assert want is not None
    assert run is not None
    assert not covers(want, run)
    assert covers(want, run, is_run=True)
    other = parse_path("a[9].len")
    assert other is not None
    assert not covers(other, run, is_run=True)


@pytest.mark.parametrize(
    ("path", "prefix"),
    [
        ("a", "a"),
        ("a.b", "a.b"),
        ("metadata[3].value", "metadata[3].value"),
        ("metadata[3:5].value", "metadata["),
        ("metadata[3].value.elements[7].len", "metadata[3].value.elements["),
        ("tensors[1].data[7]", "tensors[1].data["),
    ],
)
def test_the_text_that_spans_below_a_path_start_with(path: str, prefix: str) -> None:
    steps = parse_path(path)
    assert steps is not None
    assert literal_prefix(steps) == prefix
