"""Templates in files and in the folders of Hugging Face models."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from gguf_construct.errors import TemplateError
from gguf_construct.storage.read.template_files import is_gguf, read_template_set
from tests.tokens.token_data import vocabulary_file

if TYPE_CHECKING:
    from pathlib import Path

CONFIG = {"chat_template": "from config", "eos_token": {"content": "</s>"}, "bos_token": "<s>"}
TOKENS = {"eos_token": "</s>", "bos_token": "<s>"}


def test_a_template_file_is_kept_byte_for_byte(tmp_path: Path) -> None:
    path = tmp_path / "chat_template.jinja"
    path.write_bytes(b"\xef\xbb\xbfa\r\n\xff\n")
    assert read_template_set(str(path)) == ({"default": "\ufeffa\r\n\udcff\n"}, {})


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_a_configuration_has_templates_and_tokens(mark: bytes, tmp_path: Path) -> None:
    path = tmp_path / "tokenizer_config.json"
    path.write_bytes(mark + json.dumps(CONFIG).encode())
    assert read_template_set(str(path)) == ({"default": "from config"}, TOKENS)


def test_a_configuration_without_template_says_where_to_look(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer_config.json"
    path.write_text("{}")
    with pytest.raises(TemplateError, match="has no chat_template") as caught:
        read_template_set(str(path))
    assert "chat_template.jinja" in (caught.value.hint or "")


def test_a_folder_is_read_as_transformers_reads_it(tmp_path: Path) -> None:
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(CONFIG))
    assert read_template_set(str(tmp_path)) == ({"default": "from config"}, TOKENS)
    (tmp_path / "chat_template.jinja").write_text("from jinja")
    (tmp_path / "additional_chat_templates").mkdir()
    (tmp_path / "additional_chat_templates" / "rag.jinja").write_text("from rag")
    found = read_template_set(str(tmp_path))
    assert found == ({"default": "from jinja", "rag": "from rag"}, TOKENS)


def test_an_empty_folder_has_none(tmp_path: Path) -> None:
    with pytest.raises(TemplateError, match="has no chat template"):
        read_template_set(str(tmp_path))


def test_gguf_files_are_known_by_their_start(tmp_path: Path) -> None:
    path = tmp_path / "any.name"
    path.write_bytes(vocabulary_file())
    assert is_gguf(str(path))
    path.write_bytes(b"GGU")
    assert not is_gguf(str(path))
    assert not is_gguf(str(tmp_path))
    assert not is_gguf(str(tmp_path / "absent"))
