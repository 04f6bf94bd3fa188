"""Where a template on the command line comes from."""

from __future__ import annotations

import io
import json
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING

import click
import pytest

from gguf_construct.cli.template.source import read_source
from gguf_construct.errors import GGUFError
from tests.cli.template.template_files import CHATML, template

if TYPE_CHECKING:
    from pathlib import Path


def test_files_texts_models_and_folders(path: Path, tmp_path: Path) -> None:
    file = tmp_path / "t.jinja"
    file.write_text("{{ a }}", encoding="utf-8")
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "tokenizer_config.json").write_text(
        json.dumps({"chat_template": "{{ b }}", "eos_token": "</s>"}), encoding="utf-8"
    )
    assert read_source(str(file)).templates == {"default": "{{ a }}"}
    assert read_source(f"@{file}").templates == {"default": "{{ a }}"}
    assert read_source("{{ c }}").templates == {"default": "{{ c }}"}
    assert read_source("{% if a %}x{% endif %}").special_tokens == {}
    assert read_source(str(path)).templates == {"default": CHATML}
    found = read_source(str(folder))
    assert found.templates == {"default": "{{ b }}"}
    assert found.special_tokens == {"eos_token": "</s>"}


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    stdin = SimpleNamespace(buffer=io.BytesIO(b"{{ in }}"))
    monkeypatch.setattr(sys, "stdin", stdin)
    assert read_source("@-").templates == {"default": "{{ in }}"}


@pytest.mark.parametrize("source", ["absent.jinja", "plain text", "", "{ x }"])
def test_a_mistyped_name_is_no_template(source: str) -> None:
    with pytest.raises(click.UsageError, match="is neither a file nor a template"):
        read_source(source)


def test_what_is_named_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="absent"):
        read_source(f"@{tmp_path}/absent")
    with pytest.raises(GGUFError, match="has no chat template") as caught:
        read_source(str(tmp_path))
    assert "looked for" in str(caught.value.hint)


def test_another_template_of_a_folder_is_warned_of(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    config = {"chat_template": "{{ b }}"}
    (folder / "tokenizer_config.json").write_text(json.dumps(config), encoding="utf-8")
    (folder / "chat_template.jinja").write_text("{{ a }}", encoding="utf-8")
    code, out, err = template(
        capsys, "render", path, "--source", folder, "--messages", "[]", "--set", "a=1"
    )
    assert (code, out) == (0, "1")
    assert "tokenizer_config.json has another template 'default'" in err


@pytest.mark.parametrize(
    ("date", "shown"), [("2026-11-30", "30.11.2026"), ("2024-02-29T12:00:00", "29.02.2024")]
)
def test_dates(path: Path, date: str, shown: str, capsys: pytest.CaptureFixture[str]) -> None:
    source = "{{ strftime_now('%d.%m.%Y') }}"
    arguments = ("--source", source, "--messages", "[]", "--date", date)
    assert template(capsys, "render", path, *arguments) == (0, shown, "")
    code, _, err = template(capsys, "render", path, "--date", "2026-13-01")
    assert (code, "'2026-13-01' is not a date such as 2026-11-30" in err) == (2, True)
