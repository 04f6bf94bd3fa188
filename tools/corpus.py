"""Published chat templates for the tests: ``python -m tools.corpus`` puts them into build/corpus.

They come with the source of llama.cpp that the source distribution of llama-cpp-python carries:
its models/templates, the prompts that its own test expects, and its converter, for
tools.real_pairs.  Nothing of them is committed.
"""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any, NamedTuple

CORPUS = Path(__file__).resolve().parents[1] / "build" / "corpus"
CONVERTER = CORPUS / "converter"
"""The folder of llama.cpp's converter: the package `conversion`, and `gguf` in gguf-py."""
_PACKAGE = "llama-cpp-python==0.3.36"
_SHA256 = "832db0699007f1be95a7e41ef12e88926b02ba836461e36a36372db2760c1a2e"
_TEMPLATES = "/vendor/llama.cpp/models/templates/"
_CONVERTER = ("/vendor/llama.cpp/conversion/", "/vendor/llama.cpp/gguf-py/gguf/")
_TEST = "/vendor/llama.cpp/tests/test-chat-template.cpp"


def fetch(target: Path = CORPUS) -> int:
    """Download the source distribution and take the templates out of it; how many there are."""
    done = target / "done"
    if not done.is_file() or not (target / "converter").is_dir():
        archive = _download(target)
        if hashlib.sha256(archive.read_bytes()).hexdigest() != _SHA256:
            raise SystemExit(f"{archive.name} is not the file that is known: see tools/corpus.py")
        _extract(archive, target)
        archive.unlink()
        done.write_text(f"{_PACKAGE}\n", encoding="utf-8")
    return len(published_templates(target))


def _download(target: Path) -> Path:
    target.mkdir(parents=True, exist_ok=True)
    subprocess.run(
        [
            *(sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "-q"),
            *("--no-deps", "--no-binary", ":all:", "-d", str(target), _PACKAGE),
        ],
        check=True,
    )
    return next(target.glob("*.tar.gz"))


def _extract(archive: Path, target: Path) -> None:
    """Plain files only, each under its own name in one folder; the converter as it lies."""
    with tarfile.open(archive) as tar:
        for member in tar:
            if member.isfile() and any(part in member.name for part in _CONVERTER):
                path = target / "converter" / member.name.partition("/vendor/llama.cpp/")[2]
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(_content(tar, member))
            is_template = _TEMPLATES in member.name and member.name.endswith(".jinja")
            if is_template or member.name.endswith(_TEST):
                (target / Path(member.name).name).write_bytes(_content(tar, member))


def _content(tar: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    file = tar.extractfile(member)
    if file is None:
        raise SystemExit(f"{member.name} is no file: see tools/corpus.py")
    return file.read()


def published_templates(folder: Path = CORPUS) -> dict[str, str]:
    """The templates by name, line ends as they are."""
    return {path.stem: path.read_bytes().decode("utf-8") for path in sorted(folder.glob("*.jinja"))}


class Expected(NamedTuple):
    """A template and the prompt that llama.cpp's own test expects of its engine."""

    name: str
    source: str
    prompt: str
    bos: str
    eos: str
    messages: tuple[dict[str, Any], ...]


_LITERAL = r'"(?:[^"\\]|\\.)*"'
_FIELD = re.compile(
    rf"/\* \.(\w+)=? \*/\s*(?:u8|U8C\()?({_LITERAL}|true|false|\{{\{{.*\}}\}})", re.DOTALL
)
_PAIR = re.compile(rf"\{{({_LITERAL}),\s*({_LITERAL})\}}")


def expected_prompts(folder: Path = CORPUS) -> list[Expected]:
    """The cases of llama.cpp's test of chat templates that its Jinja engine shall render."""
    code = (folder / Path(_TEST).name).read_text(encoding="utf-8")
    start = code.index("conversation {")
    conversation = _pairs(code[start : code.index("};", start)])
    cases = code[code.index("/* .name= */") :].split("/* .name= */")[1:]
    found = []
    for case in cases:
        fields = dict(_FIELD.findall(f"/* .name= */{case}"))
        if fields.get("supported_with_jinja") == "false":
            continue
        prompt = _text(fields.get("expected_output_jinja", '""')) or _text(
            fields["expected_output"]
        )
        messages = (*conversation, *_pairs(fields.get("extra_conversation", "")))
        bos, eos = (_text(fields.get(name, "")) for name in ("bos_token", "eos_token"))
        name, source = _text(fields["name"]), _text(fields["template_str"])
        found.append(Expected(name, source, prompt, bos, eos, messages))
    return found


def _pairs(code: str) -> tuple[dict[str, Any], ...]:
    return tuple(
        {"role": _text(role), "content": _text(content)} for role, content in _PAIR.findall(code)
    )


def _text(literal: str) -> str:
    """The text of a C++ string literal."""
    escapes = {"n": "\n", "t": "\t", "r": "\r"}
    return re.sub(
        r"\\(.)", lambda found: escapes.get(found[1], found[1]), literal[1:-1], flags=re.DOTALL
    )


if __name__ == "__main__":
    print(f"{fetch()} published chat templates in {CORPUS}")
