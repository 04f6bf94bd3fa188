"""The measured files: an independent reader takes the synthetic ones, and giants cost nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bench import models

if TYPE_CHECKING:
    from pathlib import Path


def test_a_sparse_model_is_large_and_takes_no_space(tmp_path: Path) -> None:
    path = models.sparse_model(tmp_path / "giant.gguf", 1 << 33, num_tokens=100)
    information = path.stat()
    assert abs(information.st_size - (1 << 33)) < 1 << 20
    assert information.st_blocks * 512 < 1 << 20


def test_the_header_has_the_same_size_whatever_the_model(tmp_path: Path) -> None:
    data_nbytes = {1 << 20: 0, 1 << 24: 0}
    for size in data_nbytes:
        path = models.sparse_model(tmp_path / f"{size}.gguf", size, num_tokens=10)
        data_nbytes[size] = path.stat().st_size - size
    assert len(set(data_nbytes.values())) == 1


def test_gguf_py_reads_a_synthetic_model(tmp_path: Path) -> None:
    gguf = pytest.importorskip("gguf")
    path = models.sparse_model(tmp_path / "small.gguf", 1 << 20, num_tokens=10)
    reader = gguf.GGUFReader(path)
    assert reader.fields["tokenizer.ggml.eos_token_id"].contents() == 2
    assert [tensor.name for tensor in reader.tensors] == ["token_embd.weight"]


def test_gguf_py_reads_the_quantised_model(tmp_path: Path) -> None:
    gguf = pytest.importorskip("gguf")
    reader = gguf.GGUFReader(models.q8_0_model(tmp_path / "q8_0.gguf", 1 << 20))
    (tensor,) = reader.tensors
    assert tensor.tensor_type.name == "Q8_0"
    assert tensor.data.nbytes == tensor.n_bytes


def test_an_environment_variable_names_the_real_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GGUF_CONSTRUCT_GEMMA3", str(tmp_path / "copy.gguf"))
    assert models.gemma3() == tmp_path / "copy.gguf"


def test_the_vocabulary_file_exists_without_the_shared_fixtures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GGUF_CONSTRUCT_SHARED", str(tmp_path / "nowhere"))
    monkeypatch.setattr(models, "MODELS", tmp_path / "models")
    assert models.vocabulary().read_bytes()[:4] == b"GGUF"
