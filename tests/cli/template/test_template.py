"""``template`` on the command line: sources, prompts, findings, hostile templates, exit codes."""

from __future__ import annotations

import io
import json
import sys
from typing import TYPE_CHECKING

import pytest

import gguf_construct as gc
from gguf_construct.cli.main import run
from gguf_construct.templates import rendering
from gguf_construct.templates.conversations import CONVERSATIONS
from tests.support import builders as b
from tests.support.builders import Pair
from tests.templates.template_data import TEMPLATES, template_source
from tests.tokens.token_data import token_id, vocabulary_file

if TYPE_CHECKING:
    from pathlib import Path

KEY = "tokenizer.chat_template"
CHATML = template_source("chatml")
MESSAGES = '[{"role": "user", "content": "Hi"}]'


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A model with chatml, whose EOS is the end of a turn."""
    target = tmp_path / "model.gguf"
    source = Pair(KEY.encode(), b.text(CHATML))
    target.write_bytes(vocabulary_file("llama", token_id(b"eos", 7), source))
    return target


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    target = tmp_path / "bare.gguf"
    target.write_bytes(vocabulary_file("llama"))
    return target


def template(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = run(["template", *map(str, arguments)])
    out, err = capsys.readouterr()
    return code, out, err


class TestShow:
    @pytest.mark.parametrize("source", [b"a\r\n{{ x }}\n", b"\xff\xfe", b"no newline", b"\x1b[31m"])
    def test_a_pipe_gets_the_bytes(
        self, source: bytes, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
    ) -> None:
        target = tmp_path / "m.gguf"
        target.write_bytes(vocabulary_file("llama", Pair(KEY.encode(), b.text(source))))
        assert run(["template", "show", str(target)]) == 0
        assert capfdbinary.readouterr().out == source

    def test_names(self, path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        rag = ("{{ x }}", "--name", "rag", "--force-value", "-i")
        assert run(["template", "set", str(path), *rag]) == 0
        capsys.readouterr()
        assert template(capsys, "show", path, "--list") == (0, "default\nrag\n", "")
        assert template(capsys, "show", path, "--name", "rag") == (0, "{{ x }}", "")
        assert "more templates: rag" in template(capsys, "show", path)[2]
        found = json.loads(template(capsys, "show", path, "--json")[1])
        assert found["templates"] == [
            {"name": "default", "key": KEY, "source": CHATML},
            {"name": "rag", "key": f"{KEY}.rag", "source": "{{ x }}"},
        ]

    def test_none(self, bare: Path, capsys: pytest.CaptureFixture[str]) -> None:
        code, out, err = template(capsys, "show", bare)
        assert (code, out) == (2, "")
        assert "no chat template" in err

    def test_a_terminal_gets_no_control_characters(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        target = tmp_path / "m.gguf"
        source = b"\x1b]0;owned\x07{{ x }}"
        target.write_bytes(vocabulary_file("llama", Pair(KEY.encode(), b.text(source))))
        for variable, has_colours in (("NO_COLOR", False), ("FORCE_COLOR", True)):
            screen = Terminal()
            monkeypatch.setenv(variable, "1")
            monkeypatch.setattr(sys, "stdout", screen)
            assert run(["template", "show", str(target)]) == 0
            monkeypatch.undo()
            assert "\x1b]" not in screen.getvalue()
            assert "\x07" not in screen.getvalue()
            assert ("\x1b[" in screen.getvalue()) is has_colours


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


class TestSet:
    def check(self, path: Path, expected: bytes, key: str = KEY) -> None:
        with gc.open(path) as model:
            assert model.metadata.field(key).record.value == expected

    @pytest.mark.parametrize(
        "data", [b"{{ messages }}\r\n", b"{{ messages }}", b"\n{{ messages }}\n\n"]
    )
    def test_from_a_file_byte_for_byte(self, data: bytes, bare: Path, tmp_path: Path) -> None:
        source, out = tmp_path / "t.jinja", tmp_path / "out.gguf"
        source.write_bytes(data)
        for given in (f"@{source}", str(source)):
            assert run(["template", "set", str(bare), given, "-o", str(out), "-f"]) == 0
            self.check(out, data)

    def test_from_a_text(self, bare: Path) -> None:
        assert run(["template", "set", str(bare), "{{ messages }}", "-i"]) == 0
        self.check(bare, b"{{ messages }}")

    def test_from_another_model(self, bare: Path, path: Path) -> None:
        assert run(["template", "set", str(bare), str(path), "-i"]) == 0
        self.check(bare, CHATML.encode())

    def test_from_a_configuration_with_names(self, bare: Path, tmp_path: Path) -> None:
        source = tmp_path / "tokenizer_config.json"
        entries = [("default", "1{{ messages }}"), ("tool_use", "2{{ messages }}")]
        listed = [{"name": name, "template": text} for name, text in entries]
        source.write_text(json.dumps({"chat_template": listed}))
        assert run(["template", "set", str(bare), str(source), "-i"]) == 0
        self.check(bare, b"1{{ messages }}")
        self.check(bare, b"2{{ messages }}", f"{KEY}.tool_use")
        assert run(["template", "unset", str(bare), "--all", "-i"]) == 0
        assert run(["template", "set", str(bare), str(source), "--name", "tool_use", "-i"]) == 0
        with gc.open(bare) as model:
            assert [key for key in model.metadata if "chat_template" in key] == [
                f"{KEY}.tool_use",
                "tokenizer.chat_templates",
            ]

    @pytest.mark.parametrize(
        ("source", "words"),
        [
            ("absent.jinja", "neither a file nor a template"),
            ("\n{% if %}", "line 2"),
            ("{{ x.__class__ }}", "line 1: the attribute '__class__'"),
            ("{{ x|nofilter }}", "line 1: No filter named 'nofilter'"),
        ],
    )
    def test_what_does_not_work_is_refused(
        self, source: str, words: str, path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        before = path.read_bytes()
        code, _, err = template(capsys, "set", path, source, "-i")
        assert code == 2
        assert words in err
        assert path.read_bytes() == before

    def test_one_can_insist(self, bare: Path) -> None:
        assert run(["template", "set", str(bare), "{% if %}", "--force-value", "-i"]) == 0
        self.check(bare, b"{% if %}")

    def test_what_may_not_be_meant_is_warned_of(
        self, bare: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        source = tmp_path / "t.jinja"
        source.write_bytes(b"\xef\xbb\xbf{{ messages }}<|nope|>")
        code, _, err = template(capsys, "set", bare, source, "-i")
        assert code == 0
        assert "'<|nope|>' is not a token of the vocabulary" in err
        assert "byte order mark" in err

    def test_the_same_again_writes_nothing(
        self, path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        code, _, err = template(capsys, "set", path, TEMPLATES / "chatml.jinja", "-i")
        assert code == 0
        assert "nothing to change" in err

    def test_several_templates_for_one_name(
        self, path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        (tmp_path / "additional_chat_templates").mkdir()
        (tmp_path / "chat_template.jinja").write_text("{{ x }}")
        (tmp_path / "additional_chat_templates" / "rag.jinja").write_text("{{ y }}")
        code, _, err = template(capsys, "set", path, tmp_path, "--name", "other", "-i")
        assert code == 2
        assert "default, rag" in err


def test_unset(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert template(capsys, "unset", path, "-i")[0] == 0
    code, _, err = template(capsys, "unset", path, "-i")
    assert code == 2
    assert "no chat template" in err
    assert template(capsys, "unset", path, "--all", "--name", "x", "-i")[0] == 2


class TestRender:
    def test_one_conversation_byte_for_byte(
        self, path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        expected = "<|im_start|>user\nHi<|im_end|>\n"
        assert template(capsys, "render", path, "--messages", MESSAGES) == (0, expected, "")
        code, out, _ = template(
            capsys, "render", path, "--messages", MESSAGES, "--add-generation-prompt"
        )
        assert (code, out) == (0, expected + "<|im_start|>assistant\n")

    def test_messages_and_tools_from_files(
        self, path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        chat, tools = tmp_path / "chat.json", tmp_path / "tools.json"
        chat.write_text(json.dumps({"messages": json.loads(MESSAGES), "tools": [1]}))
        tools.write_text("[2]")
        arguments = ("--messages", chat, "--source", "{{ tools }}")
        assert template(capsys, "render", path, *arguments)[1] == "[1]"
        assert template(capsys, "render", path, *arguments, "--tools", tools)[1] == "[2]"

    def test_variables_and_date(self, path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        source = "{{ eos_token }} {{ a + 1 }} {{ word }} {{ strftime_now('%d.%m.%Y') }}"
        settings = ("--set", "a=1", "--set", "word=x y", "--date", "2026-11-30")
        found = template(
            capsys, "render", path, "--messages", MESSAGES, "--source", source, *settings
        )
        assert found == (0, "<|im_end|> 2 x y 30.11.2026", "")

    def test_all_built_in_conversations(
        self, path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        code, out, _ = template(capsys, "render", path)
        assert code == 0
        assert [line for line in out.splitlines() if line.startswith("===")] == [
            f"=== {name} ===" for name in CONVERSATIONS
        ]
        code, out, _ = template(capsys, "render", path, "--json")
        assert [one["conversation"] for one in json.loads(out)["rendered"]] == [*CONVERSATIONS]

    def test_a_template_may_refuse_some(
        self, path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        source = "{% if tools %}{{ raise_exception('no tools') }}{% endif %}x"
        code, out, err = template(capsys, "render", path, "--source", source)
        assert (code, out.count("\nx\n")) == (0, 10)
        assert "no tools" in err
        arguments = ("--source", source, "--conversation", "tools")
        code, out, err = template(capsys, "render", path, *arguments)
        assert (code, out) == (1, "")
        assert "line 1: the template refuses: no tools" in err

    @pytest.mark.parametrize(
        ("arguments", "words"),
        [
            (("--messages", "[1"), "not JSON"),
            (("--messages", "{}"), "takes a list, or an object"),
            (("--conversation", "nope"), "choose from single"),
            (("--conversation", "single", "--messages", "[]"), "exclude each other"),
            (("--date", "tomorrow"), "is not a date"),
            (("--set", "x"), "VAR=JSON"),
        ],
    )
    def test_usage(
        self,
        arguments: tuple[str, ...],
        words: str,
        path: Path,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        code, _, err = template(capsys, "render", path, *arguments)
        assert code == 2
        assert words in err

    def test_messages_that_are_none(self, path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        code, _, err = template(capsys, "render", path, "--messages", "[1]")
        assert code == 1
        assert "a message must be a mapping" in err


class TestCheck:
    def test_a_sound_template(self, path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert run(["token", "mark", str(path), "<|im_end|>", "control", "-i"]) == 0
        capsys.readouterr()
        code, _, err = template(capsys, "check", path, "--strict")
        assert (code, "template 'default' is fine" in err) == (0, True)

    def test_findings_have_line_and_code(
        self, path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        source = "x\n{{ y|nope }}"
        code, out, _ = template(capsys, "check", path, "--source", source, "--engine", "none")
        assert code == 1
        assert "template 'default': line 2: error: No filter named 'nope'" in out
        assert "[template-syntax]" in out

    def test_warnings_are_no_errors_unless_strict(
        self, path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        source = "{% for m in messages %}{{ m.content }}<|nope|>{% endfor %}{{ tools }}"
        how = ("--source", source, "--engine", "none")
        assert template(capsys, "check", path, *how)[0] == 0
        code, out, _ = template(capsys, "check", path, *how, "--strict", "--json")
        assert code == 1
        (report,) = json.loads(out)["templates"]
        assert report["ok"] is True
        assert {one["code"] for one in report["problems"]} == {
            "template-token",
            "template-turn-end",
        }
        assert report["engines"]["llama.cpp"] is None
        rendered = report["engines"]["transformers"]["rendered"]
        assert [one["conversation"] for one in rendered] == [*CONVERSATIONS]

    def test_every_template_is_checked(
        self, path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        bad = ("{% if %}", "--name", "rag", "--force-value", "-i")
        assert template(capsys, "set", path, *bad)[0] == 0
        code, out, _ = template(capsys, "check", path, "--json")
        assert code == 1
        assert [one["ok"] for one in json.loads(out)["templates"]] == [True, False]
        assert template(capsys, "check", path, "--name", "default")[0] == 0

    def test_none(self, bare: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert template(capsys, "check", bare)[0] == 2


HOSTILE = {
    "attribute walk": "{{ ''.__class__.__mro__[1].__subclasses__() }}",
    "attribute by filter": "{{ (''|attr('__class__')).x }}",
    "endless loop": "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}"
    "{% endfor %}",
    "endless text": "{% for i in range(99999) %}{{ 'x' * 99999 }}{% endfor %}",
    "one huge text": "{{ 'x' * 10**9 * 10 }}",
    "endless recursion": "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}",
    "deep nesting": "{% if x %}" * 500 + "{% endif %}" * 500,
    "power": "{{ 9**9999**9999 }}",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_templates_end_with_line_and_exit_code_1(
    name: str,
    bare: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    limits = rendering.RenderLimits(seconds=0.5)
    monkeypatch.setattr(rendering, "RenderLimits", lambda: limits)
    source = tmp_path / "hostile.jinja"
    source.write_text(f"first line\n{HOSTILE[name]}\n")
    code, out, _ = template(capsys, "check", bare, "--source", source)
    assert code == 1
    assert "line 2: error: " in out
    arguments = ("--source", source, "--messages", MESSAGES)
    code, out, err = template(capsys, "render", bare, *arguments)
    assert (code, out) == (1, "")
    assert "line 2: " in err
    before = bare.read_bytes()
    assert template(capsys, "set", bare, source, "-i")[0] == 2
    assert run(["set", str(bare), f"{KEY}=@{source}", "-i"]) == 2
    assert bare.read_bytes() == before
