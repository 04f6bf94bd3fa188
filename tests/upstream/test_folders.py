"""Folders as people have them: half downloaded, wrong in one way, or nested."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from gguf_construct.cli.main import run
from tests.support import builders as b
from tests.support.builders import Model, Pair, Tensor, Value, build
from tests.support.shared import needs_shared, shared_path

if TYPE_CHECKING:
    from pathlib import Path

POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:06\nsize 27868174\n"
PAIRS: dict[bytes, Value] = {
    b"general.architecture": b.text("llama"),
    b"llama.block_count": b.u32(1),
    b"llama.context_length": b.u32(256),
    b"llama.embedding_length": b.u32(64),
    b"llama.attention.head_count": b.u32(2),
    b"llama.attention.layer_norm_rms_epsilon": b.f32(1e-5),
    b"tokenizer.ggml.model": b.text("gpt2"),
    b"tokenizer.ggml.pre": b.text("qwen2"),
    b"tokenizer.ggml.tokens": b.array(b.STRING, b"<unk>", b"<s>", b"</s>", b"a"),
    b"tokenizer.ggml.eos_token_id": b.u32(2),
}
CONFIG = {
    "architectures": ["LlamaForCausalLM"],
    "num_hidden_layers": 1,
    "max_position_embeddings": 256,
    "hidden_size": 64,
    "num_attention_heads": 2,
    "rms_norm_eps": 1e-5,
    "rope_theta": 10000.0,
}
LLAMA3 = {"rope_type": "llama3", "factor": 8.0, "rope_theta": 10000.0}


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "model.gguf"
    tensor = Tensor(b"token_embd.weight", (64, 4), 0, bytes(4 * 64 * 4))
    path.write_bytes(build(Model(tuple(Pair(*one) for one in PAIRS.items()), (tensor,))).data)
    return path


def write(folder: Path, files: dict[str, Any]) -> Path:
    folder.mkdir()
    for name, content in files.items():
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        (folder / name).write_bytes(data)
    return folder


CASES: dict[str, tuple[dict[str, Any], int, str]] = {
    "sound": ({"config.json": CONFIG}, 0, "settings compared, no difference"),
    "error-message": (
        {"config.json": {"error": "Invalid credentials"}},
        2,
        "0 of 8 settings could be compared: config.json is the message of a server",
    ),
    "pointer-only": (
        {"tokenizer.json": POINTER},
        2,
        "could be compared: tokenizer.json is a git-lfs pointer: run `git lfs pull`",
    ),
    "pointer-beside": (
        {"config.json": CONFIG, "tokenizer.json": POINTER, "chat_template.jinja": POINTER},
        0,
        "warning: tokenizer.json was not compared: it is a git-lfs pointer",
    ),
    "nothing-in-it": ({"config.json": {"model_type": "x"}}, 2, "0 of 8 settings"),
    "other-files": ({"model.safetensors": b""}, 2, "has none of config.json"),
    "generation-config-only": (
        {"generation_config.json": {"eos_token_id": [999, 3]}},
        1,
        "tokenizer.ggml.eos_token_id",
    ),
    "nested": (
        {"config.json": {"thinker_config": {"text_config": {**CONFIG, "hidden_size": 65}}}},
        1,
        "llama.embedding_length",
    ),
    "vision-is-not-text": (
        {"config.json": {"vision_config": {"hidden_size": 9}, "text_config": CONFIG}},
        0,
        "no difference",
    ),
    "rope-default": ({"config.json": {**CONFIG, "rope_theta": 1e6}}, 1, "llama.rope.freq_base"),
    "llama3-without-factors": (
        {"config.json": {**CONFIG, "rope_parameters": LLAMA3}},
        1,
        "the tensor rope_freqs.weight is missing here",
    ),
    "flags-equal-to-default": (
        {"tokenizer_config.json": {"add_bos_token": False, "add_prefix_space": False}},
        0,
        "2 of ",
    ),
    "byte-order-mark": (
        {"config.json": b"\xef\xbb\xbf" + json.dumps(CONFIG).encode()},
        0,
        "no difference",
    ),
    "lone-surrogate": (
        {"tokenizer_config.json": {"chat_template": [{"name": "\ud800", "template": "x"}]}},
        1,
        r"its name there is '\ud800'",
    ),
    "vocab-json": ({"vocab.json": {"<unk>": 0, "<s>": 1, "</s>": 2, "a": 3}}, 0, "no difference"),
    "other-vocab-json": ({"vocab.json": {"<unk>": 0, "x": 3}}, 1, "[3] 'a' here, 'x' there"),
    "not-json": ({"config.json": b"{"}, 2, "config.json is not JSON"),
    "not-an-object": ({"config.json": b"[]"}, 2, "config.json is not a JSON object"),
}


@pytest.mark.parametrize(("files", "code", "said"), CASES.values(), ids=CASES)
def test_folders(
    files: dict[str, Any],
    code: int,
    said: str,
    model: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = write(tmp_path / "folder", files)
    assert run(["diff", str(model), str(folder)]) == code
    both = "".join(capsys.readouterr())
    assert said in both
    assert run(["diff", str(model), "--upstream", str(folder)]) == code
    assert "".join(capsys.readouterr()) == both


def test_a_template_that_is_a_pointer_is_not_set(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write(tmp_path / "folder", {"chat_template.jinja": POINTER})
    before = model.read_bytes()
    for source in (folder, folder / "chat_template.jinja"):
        assert run(["template", "set", str(model), str(source), "-i"]) == 1
        assert "git lfs pull" in capsys.readouterr().err
    assert model.read_bytes() == before


@needs_shared
@pytest.mark.parametrize(
    ("name", "code", "said"),
    [
        ("generation-config-only", 1, "1 differs"),
        ("error-as-json", 2, "the message of a server"),
        ("nested-text-config", 1, "llama.context_length"),
        ("rope-theta-default", 1, "llama.rope.freq_base"),
        ("rope-llama3-without-factors", 1, "rope_freqs.weight is missing"),
        ("template-is-lfs-pointer", 2, "git lfs pull"),
        ("lone-surrogate", 1, r"\ud800"),
        ("json-with-bom", 1, "tokenizer.chat_template"),
    ],
)
def test_folders_that_were_made_by_hand(
    name: str, code: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    shared = shared_path()
    assert shared is not None
    folder = shared / "fixtures" / "upstream" / name
    beside = folder / "model.gguf"
    path = beside if beside.exists() else shared / "fixtures" / "tiny" / "nano-F16.gguf"
    assert run(["diff", str(path), str(folder)]) == code
    assert said in "".join(capsys.readouterr())
