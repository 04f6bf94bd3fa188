"""``template check``: every template, both engines, hints that can be pasted."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from gguf_construct.cli.template import source as source_module
from gguf_construct.errors import TemplateError
from gguf_construct.templates.conversations import CONVERSATIONS
from tests.cli.template.test_template import KEY, bare, path, template
from tests.support import builders as b
from tests.support.builders import Pair
from tests.support.require import need_engine
from tests.tokens.token_data import token_id, vocabulary_file

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["bare", "path"]

EACH = "{% for m in messages %}{{ m.content }}<|im_end|>{% endfor %}{{ tools }}"
HOSTILE = "{{ cycler.__init__.__globals__ }}"


@pytest.fixture
def repeated(tmp_path: Path) -> Path:
    """A model with the same key twice, the second time with a hostile template."""
    target = tmp_path / "repeated.gguf"
    pairs = [Pair(KEY.encode(), b.text(one)) for one in (EACH, HOSTILE)]
    target.write_bytes(vocabulary_file("llama", token_id(b"eos", 7), *pairs))
    return target


def test_every_occurrence_is_checked(repeated: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = template(capsys, "check", repeated, "--engine", "none", "--json")
    first, second = json.loads(out)["templates"]
    assert code == 1
    assert (first["name"], first["ok"]) == ("default", True)
    assert (second["name"], second["ok"]) == ("default#2", False)
    assert (second["key"], second["occurrence"]) == (KEY, 2)
    assert "template-security" in {one["code"] for one in second["problems"]}
    for one in (first, second):
        assert "template-repeated" in {one["code"] for one in one["problems"]}


def test_every_occurrence_is_shown_and_rendered(
    repeated: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert template(capsys, "show", repeated, "--list")[1] == "default\ndefault#2\n"
    code, out, err = template(capsys, "show", repeated)
    assert (code, out) == (0, EACH)
    assert "default#2" in err
    assert template(capsys, "show", repeated, "--name", "default#2")[1] == HOSTILE
    how = ("--name", "default#2", "--conversation", "single")
    code, _, err = template(capsys, "render", repeated, *how)
    assert code == 1
    assert "__init__" in err
    code, out, _ = template(capsys, "diff", repeated, EACH)
    assert (code, out) == (1, f"template 'default#2' is only in {repeated}\n")


def test_hints_name_the_file(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = EACH.replace("im_end", "im_start")
    _, out, _ = template(capsys, "check", path, "--engine", "none", "--source", source)
    assert f"gguf-construct token set {path} eot '<|im_start|>' -i" in out


def test_llama_cpp_is_asked_where_it_is_installed(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    need_engine()
    source = EACH + "{{ '%s' % 'x' }}"
    code, out, _ = template(capsys, "check", path, "--source", source, "--json")
    (report,) = json.loads(out)["templates"]
    assert code == 0
    assert report["engines"]["llama.cpp"]["loads"] is False
    assert "template-llama-load" in {one["code"] for one in report["problems"]}
    source = EACH + "{% if tools %}{{ '%s' % 'x' }}{% endif %}{{ [1, 2] | select('odd') | list }}"
    _, out, _ = template(capsys, "check", path, "--source", source)
    assert "conversation  " in out
    assert "[template-engines]" in out


def test_both_engines_are_rendered(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    need_engine()
    source = EACH + "{{ enable_thinking }}"
    how = ("--source", source, "--conversation", "single", "--engine")
    assert template(capsys, "render", path, *how, "llama.cpp")[1].endswith("False")
    code, out, _ = template(capsys, "render", path, *how, "both")
    assert code == 0
    assert out.startswith("=== single: differs ===\n--- transformers\n+++ llama.cpp\n")
    found = json.loads(template(capsys, "render", path, *how, "both", "--json")[1])
    assert [one["conversation"] for one in found["llama.cpp"]] == ["single"]
    assert len(CONVERSATIONS) == 15


def test_a_required_engine_must_be_there(
    path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from gguf_construct.engine import llama_templates

    monkeypatch.setattr(llama_templates, "_PACKAGE", "no_such_package_here")
    assert source_module.installed_engine() is None
    for verb in ("check", "render"):
        code, _, err = template(capsys, verb, path, "--engine", "llama.cpp")
        assert code == 1
        assert "pip install" in err
    assert template(capsys, "check", path)[0] == 0
    assert issubclass(TemplateError, ValueError)
