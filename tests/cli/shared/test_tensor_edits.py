"""tensors --drop, --rename, --take, --requantize, --order: written, refused, undone, loaded."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pytest

import gguf_construct as gc
from gguf_construct.cli.main import run
from tests.support.llama import needs_llama
from tests.support.llama_load import Judge
from tools.samples import sample_model

if TYPE_CHECKING:
    from pathlib import Path

Text = pytest.CaptureFixture[str]

SOUND = sample_model()
SWAP = ["--rename", "blk.0.*=blk.1.*", "--rename", "blk.1.*=blk.0.*"]


class Edit(NamedTuple):
    """Options, those that undo them, and the tensors whose bytes they change."""

    options: list[str]
    undo: list[str]
    changed: set[str]


EDITS = {
    "replaced": Edit(
        ["--take", "{other}:blk.1.ffn_up.weight"],
        ["--take", "{old}:blk.1.ffn_up.weight"],
        {"blk.1.ffn_up.weight"},
    ),
    "layer taken": Edit(
        ["--take", "{other}:blk.1.*"], ["--take", "{old}:blk.1.*"], {"blk.1.ffn_up.weight"}
    ),
    "dropped": Edit(
        ["--drop", "output.weight"],
        [
            *("--take", "{old}:output.weight", "--order", "token_embd.*"),
            *("--order", "output_norm.*", "--order", "output.*"),
        ],
        {"output.weight"},
    ),
    "renamed": Edit(SWAP, SWAP, set()),
    "requantized": Edit(
        ["--requantize", "blk.0.*=F16"],
        ["--take", "{old}:blk.0.*"],
        {
            *("blk.0.attn_q.weight", "blk.0.attn_k.weight", "blk.0.attn_output.weight"),
            *("blk.0.ffn_gate.weight", "blk.0.ffn_up.weight", "blk.0.ffn_down.weight"),
        },
    ),
    "ordered": Edit(
        ["--order", "blk.1.*"],
        ["--order", "token_embd.*", "--order", "output*", "--order", "blk.0.*"],
        set(),
    ),
}


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """The sample model, a copy to edit, and another model that has one other tensor."""
    paths = {name: tmp_path / f"{name}.gguf" for name in ("old", "model", "other")}
    for path in paths.values():
        path.write_bytes(SOUND)
    with gc.open(SOUND) as model:
        model.tensors.set("blk.1.ffn_up.weight", np.zeros((128, 64), np.float16))
        model.save(paths["other"], overwrite=True)
    return paths


def _run(files: dict[str, Path], options: list[str]) -> int:
    named = {name: str(path) for name, path in files.items()}
    return run(["tensors", named["model"], *(one.format(**named) for one in options), "-i", "-q"])


def _hashes(path: Path) -> dict[str, bytes]:
    with gc.open(path) as model:
        return {name: bytes(one.raw) for name, one in model.tensors.items()}


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_only_what_is_named_changes_and_undo_gives_the_old_file(
    edit: Edit, files: dict[str, Path]
) -> None:
    assert _run(files, edit.options) == 0
    old, new = _hashes(files["old"]), _hashes(files["model"])
    assert files["model"].read_bytes() != SOUND
    assert gc.validate(files["model"]).ok
    if edit.options is SWAP:
        other = {0: 1, 1: 0}
        old = {
            f"blk.{other[int(name[4])]}{name[5:]}" if name.startswith("blk.") else name: data
            for name, data in old.items()
        }
    assert {name for name in old if old[name] != new.get(name)} == edit.changed
    assert _run(files, edit.undo) == 0
    assert files["model"].read_bytes() == SOUND


@needs_llama
@pytest.mark.engine
def test_llama_cpp_loads_what_is_made(files: dict[str, Path]) -> None:
    with Judge(runs=True) as judge:
        for name, edit in EDITS.items():
            files["model"].write_bytes(SOUND)
            assert _run(files, edit.options) == 0, name
            assert judge.judge_file(files["model"]).ok, name


def test_projector_tensors_are_taken_out_and_kept(files: dict[str, Path], capsys: Text) -> None:
    """As of a blob that holds a language model and its projector in one file."""
    blob = files["model"].with_name("blob.gguf")
    with gc.open(SOUND) as model:
        for name in ("v.blk.0.ln1.weight", "mm.0.weight"):
            model.tensors.set(name, np.ones((2, 4), np.float32))
        model.save(blob)
    out = files["model"].with_name("text.gguf")
    command = ["tensors", str(blob), "--drop", "v.*", "--drop", "mm.*", "-o", str(out), "--json"]
    assert run([*command, "-n"]) == 0
    planned = json.loads(capsys.readouterr().out)
    assert (planned["dry_run"], out.exists()) == (True, False)
    assert run(command) == 0
    changes = json.loads(capsys.readouterr().out)["changes"]
    assert changes == planned["changes"]
    assert changes[0] == {
        "action": "drop",
        "key": "v.blk.0.ln1.weight",
        "type": "F32",
        "old": "F32 [2, 4]",
        "new": None,
        "notes": [],
    }
    assert out.read_bytes() == SOUND


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--drop", "output_norm.weight"], "'output_norm.weight' is missing [tensor-missing]"),
        (["--rename", "blk.0.*=blk.7.*"], "this edit would add"),
        (["--take", "{other}:nope.*"], "no tensor matches 'nope.*'"),
        (["--take", "missing.gguf:*"], "missing.gguf"),
        (["--take", "nope"], "'nope' is not OTHER:PATTERN"),
        (["--rename", "a"], "'a' is not OLD=NEW"),
        (["--requantize", "blk.0.ffn_up.weight=Q9"], "there is no tensor type 'Q9'"),
        (["--drop", "output.weight", "--totals"], "either list tensors or edit them"),
        (["--totals"], "nothing to write: say what to edit"),
    ],
)
def test_what_is_refused_leaves_the_file(
    options: list[str], message: str, files: dict[str, Path], capsys: Text
) -> None:
    assert _run(files, options) != 0
    assert message in capsys.readouterr().err
    assert files["model"].read_bytes() == SOUND


def test_who_insists_may_break_the_model(files: dict[str, Path], capsys: Text) -> None:
    assert _run(files, ["--drop", "output_norm.weight", "--force-value"]) == 0
    assert "warning: this edit would add an error" in capsys.readouterr().err
    assert "output_norm.weight" not in _hashes(files["model"])


def test_one_shard_keeps_its_number_of_tensors(files: dict[str, Path], capsys: Text) -> None:
    with gc.open(SOUND) as model:
        gc.edit(
            model,
            {"split.no:uint16": 0, "split.count:uint16": 2, "split.tensors.count:int32": 40},
            force=True,
        )
        model.save(files["model"], overwrite=True)
    assert _run(files, ["--drop", "output.weight"]) != 0
    assert "split.tensors.count" in capsys.readouterr().err
    assert _run(files, ["--requantize", "output.weight=F32"]) == 0


def test_nothing_to_change_writes_nothing(files: dict[str, Path], capsys: Text) -> None:
    before = files["model"].stat()
    assert run(["tensors", str(files["model"]), "--order", "token_embd.*", "-i"]) == 0
    assert "nothing was written" in capsys.readouterr().err
    assert files["model"].stat().st_ino == before.st_ino


def test_no_room_is_offered_that_would_spare_nothing(
    files: dict[str, Path], capsys: Text, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gguf_construct.planning.strategy.LARGE", 0)
    assert run(["tensors", str(files["model"]), "--drop", "output.weight", "-i"]) == 0
    assert "--reserve" not in capsys.readouterr().err
