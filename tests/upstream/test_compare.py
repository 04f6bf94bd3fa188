"""A model against a Hugging Face folder, made by hand."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest

import gguf_construct as gc
from gguf_construct.errors import GGUFError
from gguf_construct.storage.read.hf_folder import read_folder
from gguf_construct.templates.folder import FolderTemplates
from gguf_construct.upstream.compare import compare_upstream
from gguf_construct.upstream.repository import FILES, WANTED, Repository, parse_repository
from tests.support import builders as b
from tests.support.builders import Model, Pair, Value, build

if TYPE_CHECKING:
    from pathlib import Path

    from gguf_construct.upstream.results import UpstreamRow

TOKENS = (b"<unk>", b"<s>", b"</s>", b"<|im_end|>", b"a", b"b", b"ab")
PAIRS: dict[bytes, Value] = {
    b"general.architecture": b.text("llama"),
    b"llama.context_length": b.u32(2048),
    b"llama.embedding_length": b.u32(64),
    b"llama.attention.head_count": b.u32(4),
    b"llama.attention.layer_norm_rms_epsilon": b.f32(1e-5),
    b"llama.rope.freq_base": b.f32(10000.0),
    b"llama.feed_forward_length": b.array(b.UINT32, 8, 8),
    b"tokenizer.ggml.model": b.text("gpt2"),
    b"tokenizer.ggml.tokens": b.array(b.STRING, *TOKENS),
    b"tokenizer.ggml.merges": b.array(b.STRING, b"a b"),
    b"tokenizer.ggml.eos_token_id": b.u32(2),
    b"tokenizer.ggml.add_bos_token": b.boolean(1),
    b"tokenizer.chat_template": b.text("{{ messages }}\n"),
}
CONFIG: dict[str, Any] = {
    "max_position_embeddings": 2048,
    "hidden_size": 64,
    "num_attention_heads": 4,
    "num_key_value_heads": 4,
    "rms_norm_eps": 1e-5,
    "rope_theta": 10000,
    "intermediate_size": 8,
    "vocab_size": 7,
    "head_dim": 16,
    "rope_scaling": None,
}
TOKENIZER: dict[str, Any] = {
    "model": {
        "type": "BPE",
        "vocab": {text.decode(): at for at, text in enumerate(TOKENS)},
        "merges": [["a", "b"]],
    },
    "added_tokens": [{"id": 2, "content": "</s>"}],
}


def rows(
    changes: dict[bytes, Value | None] | None = None,
    templates: dict[str, str] | None = None,
    **files: dict[str, Any],
) -> dict[str, list[UpstreamRow]]:
    pairs = {**PAIRS, **(changes or {})}
    made = Model(tuple(Pair(key, value) for key, value in pairs.items() if value is not None))
    found: dict[str, list[UpstreamRow]] = {}
    with gc.open(build(made).data) as model:
        for row in compare_upstream(model, repository(files, templates)):
            found.setdefault(row.key, []).append(row)
    return found


def repository(files: dict[str, Any], templates: dict[str, str] | None) -> Repository:
    parsed = parse_repository(
        {FILES[name]: json.dumps(one).encode() for name, one in files.items()}
        | {"chat_template.jinja": b""}
    )
    chat = FolderTemplates(templates or {}, {}, dict.fromkeys(templates or {}, "template"))
    return parsed._replace(chat=chat)


def read_upstream(folder: Path) -> Repository:
    return parse_repository(read_folder(folder, WANTED))


def verdicts(found: dict[str, list[UpstreamRow]]) -> dict[str, str]:
    return {key: ", ".join(row.verdict for row in listed) for key, listed in found.items()}


def test_a_faithful_conversion_is_the_same() -> None:
    found = rows(config=CONFIG, tokenizer=TOKENIZER, templates={"default": "{{ messages }}\n"})
    assert set(verdicts(found).values()) == {"same", "missing there"}
    missing = {key for key, what in verdicts(found).items() if what == "missing there"}
    assert missing == {
        "general.architecture",
        "tokenizer.ggml.eos_token_id",
        "tokenizer.ggml.add_bos_token",
    }
    assert found["llama.vocab_size"][0].ours == len(TOKENS)
    assert all(len(listed) == 1 for listed in found.values())


@pytest.mark.parametrize(
    ("name", "value", "key"),
    [
        ("max_position_embeddings", 4096, "llama.context_length"),
        ("hidden_size", 65, "llama.embedding_length"),
        ("num_attention_heads", 8, "llama.attention.head_count"),
        ("num_key_value_heads", 1, "llama.attention.head_count_kv"),
        ("rms_norm_eps", 1e-6, "llama.attention.layer_norm_rms_epsilon"),
        ("rope_theta", 5e5, "llama.rope.freq_base"),
        ("intermediate_size", [8, 9], "llama.feed_forward_length"),
        ("vocab_size", 8, "llama.vocab_size"),
        ("head_dim", 8, "llama.attention.key_length"),
        ("rope_scaling", {"rope_type": "yarn", "factor": 4.0}, "llama.rope.scaling.type"),
    ],
)
def test_each_setting_is_compared(name: str, value: object, key: str) -> None:
    found = verdicts(rows(config={**CONFIG, name: value}))
    assert found[key] == "differs"


def test_the_text_part_of_a_larger_configuration_counts() -> None:
    nested = {"hidden_size": 1, "text_config": CONFIG, "vision_config": {"hidden_size": 9}}
    assert verdicts(rows(config=nested))["llama.embedding_length"] == "same"


def test_rope_settings_may_be_nested() -> None:
    rope = {"full_attention": {"rope_theta": 10000.0, "rope_type": "default"}}
    config = {**CONFIG, "rope_theta": None, "rope_parameters": rope}
    found = verdicts(rows(config=config))
    assert found["llama.rope.freq_base"] == "same"
    assert found["llama.rope.scaling.type"] == "same"


def test_places_that_contradict_the_one_that_counts_are_notes() -> None:
    (row,) = rows(
        tokenizer=TOKENIZER,
        config={"eos_token_id": 2},
        generation_config={"eos_token_id": [2, 3]},
        tokenizer_config={"eos_token": {"content": "<|im_end|>"}},
        special_tokens_map={"eos_token": "</s>"},
    )["tokenizer.ggml.eos_token_id"]
    assert (row.verdict, row.where) == ("differs", "tokenizer_config.json eos_token")
    assert (row.ours, row.theirs) == ("2 '</s>'", "3 '<|im_end|>'")
    assert "config.json eos_token_id has 2 '</s>'" in row.note
    assert "special_tokens_map.json eos_token has 2 '</s>'" in row.note


@pytest.mark.parametrize(
    ("with_tokenizer", "where"), [(True, "tokenizer_config"), (False, "config")]
)
def test_without_tokenizer_json_numbers_count_first(with_tokenizer: bool, where: str) -> None:
    files: dict[str, dict[str, Any]] = {
        "config": {"eos_token_id": 2},
        "tokenizer_config": {"eos_token": "a"},
    }
    if with_tokenizer:
        files["tokenizer"] = TOKENIZER
    (row,) = rows(None, None, **files)["tokenizer.ggml.eos_token_id"]
    assert row.where.startswith(f"{where}.json")
    assert row.verdict == ("differs" if with_tokenizer else "same")


def test_a_stop_token_that_only_upstream_has_is_told() -> None:
    found = rows(generation_config={"eos_token_id": [2, 6]}, config={})
    assert "6 'ab'" in found["tokenizer.ggml.eos_token_id"][0].note


@pytest.mark.parametrize(
    ("key", "value", "verdict"),
    [
        (b"tokenizer.ggml.tokens", b.array(b.STRING, *TOKENS[:-1], b"x"), "differs"),
        (b"tokenizer.ggml.tokens", b.array(b.STRING, *TOKENS[:-1]), "differs"),
        (b"tokenizer.ggml.tokens", b.array(b.STRING, *TOKENS, b"[PAD7]"), "same"),
        (b"tokenizer.ggml.tokens", None, "missing here"),
        (b"tokenizer.ggml.merges", b.array(b.STRING, b"b a"), "differs"),
        (b"tokenizer.ggml.merges", b.array(b.STRING, b"a b", b"b a"), "differs"),
        (b"tokenizer.ggml.merges", None, "missing here"),
    ],
)
def test_vocabularies_are_compared_by_id(key: bytes, value: Value | None, verdict: str) -> None:
    assert verdicts(rows({key: value}, tokenizer=TOKENIZER))[key.decode()] == verdict


def test_templates_are_compared_by_name() -> None:
    found = rows(templates={"default": "{{ messages }}", "tool_use": "{{ tools }}"})
    assert [
        (row.key, row.verdict)
        for listed in found.values()
        for row in listed
        if row.verdict != "missing there"
    ] == [
        ("tokenizer.chat_template", "differs"),
        ("tokenizer.chat_template.tool_use", "missing here"),
    ]
    assert "white space" in found["tokenizer.chat_template"][0].note


def test_a_folder_is_read_as_transformers_reads_it(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps(CONFIG))
    (tmp_path / "tokenizer_config.json").write_text(
        json.dumps({"chat_template": [{"name": "default", "template": "old"}]})
    )
    assert read_upstream(tmp_path).chat.templates == {"default": "old"}
    (tmp_path / "chat_template.jinja").write_bytes(b"{{ messages }}\n")
    upstream = read_upstream(tmp_path)
    assert upstream.chat.templates == {"default": "{{ messages }}\n"}
    assert upstream.files["config"] == CONFIG
    with gc.open(build(Model(tuple(Pair(*pair) for pair in PAIRS.items()))).data) as model:
        assert not any(row.is_difference for row in gc.diff_upstream(model, tmp_path))


@pytest.mark.parametrize("text", ["{", "[]", "[" * 100_000, '{"a": 1'])
def test_what_is_no_configuration_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(text)
    with pytest.raises(GGUFError, match="config"):
        read_upstream(tmp_path)


def test_a_folder_without_any_of_the_files_is_refused(tmp_path: Path) -> None:
    with pytest.raises(GGUFError, match="config"):
        read_upstream(tmp_path)


@pytest.mark.parametrize(
    "files",
    [
        {"config": {"hidden_size": "x", "vocab_size": {}, "rope_scaling": [1], "head_dim": 1e400}},
        {"config": {"hidden_size": 10**400, "head_dim": 10**400, "partial_rotary_factor": 1e400}},
        {"config": {"num_nextn_predict_layers": 10**30, "layer_types": ["conv", "x"]}},
        {"config": {"use_double_wide_mlp": True, "num_hidden_layers": 10**9}},
        {"config": {"expand": 1e400, "mamba_num_heads": 1, "rms_norm_eps": "x"}},
        {"config": {"text_config": [], "eos_token_id": [[1]], "layer_types": {}}},
        {"tokenizer": {"model": [], "added_tokens": {}}},
        {"tokenizer": {"model": {"vocab": {"a": "b"}, "merges": [[1, None], 2]}}},
        {"tokenizer": {"model": {"vocab": [[], [1], ["a"]], "merges": "x"}}},
        {"tokenizer": {"model": {"vocab": {"a": 0}}, "added_tokens": [1, {"id": "x"}]}},
        {"tokenizer_config": {"eos_token": {"no": 1}, "add_bos_token": "yes"}},
        {"generation_config": {"eos_token_id": {}, "top_k": None, "suppress_tokens": "x"}},
    ],
)
def test_odd_files_make_rows_not_faults(files: dict[str, Any]) -> None:
    with suppress(GGUFError):
        rows(**files)
    for listed in rows(config=CONFIG | files.pop("config", {}), **files).values():
        assert all(row.verdict for row in listed)
