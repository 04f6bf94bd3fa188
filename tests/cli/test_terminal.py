"""Nothing from a file reaches a terminal raw: every verb on a pseudo-terminal, over files whose
keys, values, tensor names and names hold escape sequences."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from gguf_construct.cli.main import SECTIONS, run
from tests.support import builders as b
from tests.support.cases_model import with_keys
from tests.support.cases_valid import base
from tests.support.shared import needs_shared, shared_path

if TYPE_CHECKING:
    from pathlib import Path

EVIL = "\x1b[31m\x07\x9b2J\u202eevil\u2066\r\x7f\x00\u200f"
NAME = "e\x1b[31mv\x9b\u202e\nwrote x.gguf"
BIDI = set("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
TEMPLATE = "{% for m in messages %}{{ m.content }}</s>" + EVIL.replace("\x00", "") + "{% endfor %}"
KEY = f"x.{EVIL}"

COMMANDS = [
    "show F",
    "show F --full",
    "show F --json",
    "get F x.text",
    "get F x.text --json",
    "get F x.list",
    "get F K",
    "get F x.nothing",
    "tensors F",
    "tensors F --json",
    "tensor F T",
    "tensor F T --json",
    "tensor F T --block 0",
    "tensor F T --compare F",
    "tensor F nothing",
    "map F",
    "map F --json",
    "map F --hex",
    "map F --at 0x60",
    "map F --path x.text",
    "hash F",
    "hash F --json",
    "hash F --check L",
    "diff F G",
    "diff F G --json",
    "diff F G --full",
    "diff F --upstream D",
    "diff F --upstream D --json",
    "set F -n K=new",
    "set F -i -f x.text=other",
    "set F -n K=new --json",
    "unset F -n K",
    "unset F -n K --json",
    "rename F -n K x.plain",
    "edit F -n",
    "token list F",
    "token list F --json",
    "token find F --regex .",
    "token find F nothing",
    "token set F eos 2 -n",
    "template show F",
    "template show F --json",
    "template show F --list",
    "template check F",
    "template check F --json",
    "template render F --conversation single",
    "template render F",
    "template render F --json",
    "template diff F D",
    "template diff F D --json",
    "template set F D -n",
    "template unset F -n",
    "convert F --endian big -n",
    "repack F -n",
    "export F O",
    "build O -o P",
    "build D -o Q",
    "validate F",
    "validate F G B --all --fix-hints",
    "validate F --json",
    "repair F",
    "repair F --json",
    "recover F",
    "recover F --json",
    "show B",
    "map B",
    "show missing-\x1b[31m",
    "spec keys",
    "completion bash",
]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("evil")
    evil = EVIL.encode()
    pairs = (
        b.Pair(b"general.name", b.text(evil)),
        b.Pair(b"tokenizer.chat_template", b.text(TEMPLATE)),
        b.Pair(b"tokenizer.ggml.tokens", b.array(b.STRING, evil, b"<s>", b"</s>")),
        b.Pair(b"tokenizer.ggml.token_type", b.array(b.INT32, 1, 3, 3)),
        b.Pair(b"tokenizer.ggml.eos_token_id", b.u32(0)),
        b.Pair(KEY.encode(), b.text(evil)),
        b.Pair(b"x.text", b.text(evil)),
        b.Pair(b"x.list", b.array(b.STRING, evil, b"\xff\x1b")),
    )
    tensor = b.Tensor(b"t" + evil, (8,), 0, bytes(32))
    good = b.build(base(*pairs, tensors=(tensor,))).data
    paths = {name: str(folder / f"{name}{NAME}") for name in "FGBLDOPQ"}
    for name, data in (("F", good), ("G", good.replace(b"evil", b"EVIL")), ("B", good[:400])):
        with open(paths[name], "wb") as file:
            file.write(data)
    with open(paths["L"], "w", encoding="utf-8") as file:
        file.write("# gguf-construct hash sha256\n" + f"00  tensor {json.dumps(EVIL)}\n")
    os.mkdir(paths["D"])
    config = {"chat_template": TEMPLATE.replace("evil", "good"), "eos_token": f"{EVIL}\ud800"}
    for name in ("tokenizer_config.json", "config.json"):
        with open(os.path.join(paths["D"], name), "w", encoding="utf-8") as file:
            json.dump({**config, "architectures": [EVIL], "_name_or_path": EVIL}, file)
    return {**paths, "T": f"t{EVIL}".replace("\x00", ""), "K": KEY.replace("\x00", "")}


def on_a_terminal(words: list[str], **environment: str) -> tuple[int, str]:
    """What a command shows on a pseudo-terminal, stdout and stderr, and its exit code."""
    screen, side = pty.openpty()
    known = {"NO_COLOR": "1", "EDITOR": "true", "VISUAL": "true", "COLUMNS": "200", "TERM": "dumb"}
    with subprocess.Popen(
        [sys.executable, "-m", "gguf_construct", *words],
        stdin=side,
        stdout=side,
        stderr=side,
        start_new_session=True,
        env={**os.environ, **known, **environment},
    ) as child:
        os.close(side)
        data = bytearray()
        while True:
            try:
                part = os.read(screen, 65536)
            except OSError:  # Linux: nobody holds the other side any more
                break
            if not part:
                break
            data += part
        os.close(screen)
    return child.returncode, data.decode("utf-8", "replace")


def unsafe(shown: str) -> set[str]:
    """The characters that a terminal acts on; it is the terminal that turns \\n into \\r\\n."""
    shown = shown.replace("\r\n", "\n")
    return {
        one
        for one in shown
        if (one < " " and one not in "\n\t") or "\x7f" <= one <= "\x9f" or one in BIDI
    }


def test_every_verb_is_tried() -> None:
    verbs = {name for section in SECTIONS.values() for name in section}
    assert verbs - {command.split()[0] for command in COMMANDS} == {"demo"}


@pytest.mark.parametrize("command", COMMANDS)
def test_nothing_raw(command: str, files: dict[str, str]) -> None:
    words = [files.get(word, word) for word in command.split(" ")]
    words = [files["K"] + "=new" if word == "K=new" else word for word in words]
    code, shown = on_a_terminal(words)
    assert code in range(5)
    assert shown or command.startswith("unset")
    assert "internal error" not in shown
    assert unsafe(shown) == set()
    assert not any(line.startswith("wrote x.gguf") for line in shown.splitlines())


@pytest.mark.parametrize("command", ["show F", "template show F", "validate F", "map F --hex"])
def test_in_colours_only_ours_are_left(command: str, files: dict[str, str]) -> None:
    words = [files.get(word, word) for word in command.split(" ")]
    _, shown = on_a_terminal(words, NO_COLOR="", FORCE_COLOR="1", TERM="xterm")
    assert unsafe(shown) <= {"\x1b"}
    assert "\x1b[31m\x07" not in shown


@needs_shared
@pytest.mark.parametrize("verb", ["show F", "get F tokenizer.chat_template", "template render F"])
def test_a_reported_file(verb: str) -> None:
    folder = shared_path()
    assert folder is not None
    path = str(folder / "fixtures" / "reports" / "terminal-escapes.gguf")
    _, shown = on_a_terminal([path if word == "F" else word for word in verb.split(" ")])
    assert unsafe(shown) == set()


def test_raw_bytes_go_into_pipes_only(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:

    model = b.build(with_keys({b"x.text": b.text(EVIL)})).data
    path = tmp_path / "m.gguf"
    path.write_bytes(model)
    assert run(["get", str(path), "x.text"]) == 0
    assert capfdbinary.readouterr().out == EVIL.encode()
