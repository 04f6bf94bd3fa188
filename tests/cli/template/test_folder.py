"""One reader of folders: `diff --upstream`, `template diff` and `template set` agree."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from gguf_construct.cli.main import run
from tests.support import builders as b
from tests.support.builders import Model, Pair, build

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = {
    "chat_template.jinja": "{% for m in messages %}jinja{{ m.content }}{% endfor %}",
    "tokenizer_config.json": "{% for m in messages %}config{{ m.content }}{% endfor %}",
    "chat_template.json": "{% for m in messages %}processor{{ m.content }}{% endfor %}",
}


def write_folder(folder: Path, names: tuple[str, ...]) -> None:
    for name in names:
        text = TEXTS[name]
        is_json = name.endswith(".json")
        (folder / name).write_text(json.dumps({"chat_template": text}) if is_json else text)


@pytest.mark.parametrize(
    ("names", "counts"),
    [
        (("chat_template.jinja", "tokenizer_config.json"), "chat_template.jinja"),
        (("tokenizer_config.json", "chat_template.json"), "tokenizer_config.json"),
        (("chat_template.jinja", "chat_template.json"), "chat_template.jinja"),
        (("chat_template.json",), "chat_template.json"),
    ],
)
@pytest.mark.parametrize("ours", sorted(TEXTS))
def test_three_commands_take_the_same_template(
    names: tuple[str, ...],
    counts: str,
    ours: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    write_folder(folder, names)
    pairs = (
        Pair(b"general.architecture", b.text("llama")),
        Pair(b"tokenizer.chat_template", b.text(TEXTS[ours])),
    )
    path = tmp_path / "model.gguf"
    path.write_bytes(build(Model(pairs)).data)
    differs = int(ours != counts)
    assert run(["diff", str(path), "--upstream", str(folder)]) == differs
    assert run(["template", "diff", str(path), str(folder)]) == differs
    assert run(["template", "set", str(path), str(folder), "-i", "--force-value"]) == 0
    capsys.readouterr()
    assert run(["template", "show", str(path)]) == 0
    assert capsys.readouterr().out.rstrip("\n") == TEXTS[counts]
