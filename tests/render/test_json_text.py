"""JSON that every parser takes, whatever bytes a file or its name holds."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from gguf_construct.cli.main import run
from gguf_construct.render.json_text import dump
from tests.support.files import write_vocabulary_model

if TYPE_CHECKING:
    from pathlib import Path

NAME = os.fsdecode(b"a\xff.gguf")
BASE64 = {"base64": "Yf8uZ2d1Zg=="}


def test_undecodable_text_is_base64_wherever_it_stands() -> None:
    document: dict[str, Any] = {
        "path": NAME,
        "in": [{"a": (NAME, 1)}],
        "plain": "\u00e9",
        "n": None,
    }
    shown = json.loads(dump(document).encode())
    assert shown == {"path": BASE64, "in": [{"a": [BASE64, 1]}], "plain": "\u00e9", "n": None}


VERBS = (
    ("show",),
    ("tensors",),
    ("map",),
    ("hash",),
    ("validate",),
    ("repair",),
    ("token", "list"),
    ("set", "-i", "-n", "general.name=x"),
)


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
def test_names_of_files_need_not_be_utf8(
    verb: tuple[str, ...], tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    path = os.fsencode(write_vocabulary_model(tmp_path))
    odd = os.path.join(os.path.dirname(path), b"a\xff.gguf")
    try:
        os.rename(path, odd)
    except OSError:
        pytest.skip("this file system takes only UTF-8 names")
    words = 2 if verb[0] == "token" else 1
    run([*verb[:words], os.fsdecode(odd), *verb[words:], "--json"])
    assert json.loads(capfdbinary.readouterr().out.decode())["schema"] == 1
