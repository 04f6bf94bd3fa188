"""What we write, a real llama.cpp loads: it sees the new values and speaks as before."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gguf_construct.model import open_model
from tests.support.cases_model import MODEL_CASES
from tests.support.llama import ggml_headers, inspect, inspect_many, needs_llama
from tools.samples import sample_model

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [needs_llama, pytest.mark.engine]

TEMPLATE = "{% for m in messages %}[{{ m['role'] }}]\r\n{{ m['content'] }}{% endfor %}\n é"
EOS = "tokenizer.ggml.eos_token_id"


def _save(folder: Path, name: str, model: object) -> Path:
    path = folder / f"{name}.gguf"
    model.save(path)  # type: ignore[attr-defined]
    return path


def test_llama_sees_edited_values_and_generates(tmp_path: Path) -> None:
    model = open_model(sample_model())
    stop = model.metadata["tokenizer.ggml.tokens"].index("▁small")
    model.metadata["tokenizer.chat_template"] = TEMPLATE
    model.metadata[EOS] = stop
    found = inspect(_save(tmp_path, "edited", model), "Hello from", 16)
    assert found.ok, found.message
    assert (found.eos, found.eos_text, found.chat_template) == (stop, "▁small", TEMPLATE)
    # Its template engine shows line ends as it reads them.
    assert found.props["chat_template"] == TEMPLATE.replace("\r\n", "\n")
    # This token now ends the text; before, " model." followed.
    assert found.text == " a very small"


def test_llama_speaks_alike_however_the_file_is_laid_out(tmp_path: Path) -> None:
    paths = []
    for alignment in (32, 64, 4096):  # below 32, llama.cpp itself dies of an assertion
        model = open_model(sample_model())
        model.metadata.set("general.alignment", alignment)
        paths.append(_save(tmp_path, f"aligned-{alignment}", model))
    for length in range(0, 64, 7):
        model = open_model(sample_model())
        model.metadata.set("general.description", "d" * length)
        paths.append(_save(tmp_path, f"longer-{length}", model))
    model = open_model(sample_model())
    for key in ("general.name", "general.tags", "general.license"):
        del model.metadata[key]
    model.metadata.set("odd.bytes", b"\xff\0\xfe", "string")
    model.metadata.set("odd.empty", [], "[string]")
    paths.append(_save(tmp_path, "fewer", model))
    for path, found in zip(paths, inspect_many(paths, "Hello", 8, facts=False), strict=True):
        assert found.ok, f"{path.name}: {found.message}"
        assert found.text == " from a very small model.", path.name


def test_an_edit_changes_no_verdict(tmp_path: Path) -> None:
    """ggml accepts an edited file exactly when it accepts the file as it was."""
    paths = []
    for case in MODEL_CASES:
        model = open_model(case.data)
        model.metadata.set("general.description", "a new line of text", "string")
        paths.append(_save(tmp_path, case.name, model))
    wrong = [
        case.name
        for case, header in zip(MODEL_CASES, ggml_headers(paths), strict=True)
        if header.ok != (case.ggml == "accepts")
    ]
    assert wrong == []
