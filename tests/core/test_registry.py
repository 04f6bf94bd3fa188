"""Look-ups in the registry of standard keys."""

from __future__ import annotations

import pytest

from gguf_construct._generated.keys import KEYS
from gguf_construct.core import registry


@pytest.mark.parametrize(
    ("key", "architecture", "pattern"),
    [
        ("general.name", None, "general.name"),
        ("llama.block_count", "llama", "{arch}.block_count"),
        ("llama.block_count", None, "{arch}.block_count"),
        ("gpt-oss.attention.head_count", "gpt-oss", "{arch}.attention.head_count"),
        ("a.b.block_count", "a.b", "{arch}.block_count"),
        ("llama.dense_2_feat_in", "llama", "{arch}.dense_2_feat_in"),
        ("{arch}.block_count", None, "{arch}.block_count"),
        ("general.base_model.12.name", None, "general.base_model.{id}.name"),
        ("tokenizer.chat_template", None, "tokenizer.chat_template"),
        ("tokenizer.chat_template.tool_use", None, "tokenizer.chat_template.{name}"),
        ("tokenizer.chat_template.a.b", "llama", "tokenizer.chat_template.{name}"),
        ("tokenizer.chat_template.", "llama", None),
        ("clip.vision.attention.head_count", "clip", "clip.vision.attention.head_count"),
        ("qwen2.block_count", "llama", None),
        ("general.block_count", None, None),
        ("tokenizer.ggml.block_count", None, None),
        ("general.base_model.x.name", None, None),
        ("block_count", "llama", None),
        ("", None, None),
        (".block_count", None, None),
        ("llama.", "llama", None),
        ("\udcff.block_count\udcfe", None, None),
    ],
)
def test_find(key: str, architecture: str | None, pattern: str | None) -> None:
    found = registry.find(key, architecture)
    assert (found.key if found else None) == pattern


def test_every_entry_finds_itself() -> None:
    for info in KEYS:
        assert registry.find(info.key) is info
        key = info.key.replace("{arch}", "llama").replace("{id}", "3").replace("{name}", "rag")
        assert registry.find(key, "llama") is info


@pytest.mark.parametrize(
    ("key", "first"),
    [
        ("llama.block_count", "uint32"),
        ("split.no", "uint16"),
        ("split.tensors.count", "int32"),
        ("tokenizer.ggml.tokens", "[string]"),
        ("llama.attention.layer_norm_rms_epsilon", "float32"),
        ("tokenizer.ggml.add_bos_token", "bool"),
        ("gguf_construct.padding", "[uint8]"),
    ],
)
def test_expected_types(key: str, first: str) -> None:
    assert registry.expected_types(key)[0] == first


def test_unknown_keys_have_no_expected_types() -> None:
    assert registry.expected_types("my.own.key") == ()


def test_token_roles() -> None:
    roles = registry.token_roles()
    assert roles["eos"] == "tokenizer.ggml.eos_token_id"
    assert roles["sep"] == "tokenizer.ggml.seperator_token_id"
    assert roles["fim_pre"] == "tokenizer.ggml.fim_pre_token_id"
    assert {"bos", "eot", "eom", "unk", "pad", "mask", "cls", "fim_suf", "fim_mid"} <= set(roles)
    assert registry.add_token_flags() == {
        "bos": "tokenizer.ggml.add_bos_token",
        "eos": "tokenizer.ggml.add_eos_token",
        "sep": "tokenizer.ggml.add_sep_token",
    }


def test_aliases_share_the_role_of_their_key() -> None:
    aliases = {info.key: info.alias for info in registry.aliases_of(registry.token_roles()["sep"])}
    assert aliases == {"tokenizer.ggml.separator_token_id": "misspelt"}
    for info in KEYS:
        target = registry.find(info.alias_of) if info.alias_of else None
        if target is not None:
            assert target.token == info.token


def test_numbers_and_names() -> None:
    assert registry.file_type_name(15) == "MOSTLY_Q4_K_M"
    assert registry.file_type_name(15 | 1024) == "MOSTLY_Q4_K_M"
    assert registry.file_type_name(999) is None
    removed = registry.file_type(33)
    assert removed is not None
    assert removed.removed
    assert registry.token_type_name(3) == "control"
    assert registry.token_type_name(7) is None
    assert registry.token_type_id("control") == 3
    assert registry.default_token_ids("llama") == {"bos": 1, "eos": 2, "unk": 0}
    assert registry.default_token_ids("of the future") == {}
    assert "<|im_end|>" in registry.token_texts("eot")
    assert registry.token_texts("bos") == ()
    assert {"<end_of_turn>", "</s>"} <= set(registry.end_of_generation_texts())
    assert registry.is_known_architecture("gemma3")
    assert not registry.is_known_architecture("(unknown)")


def test_close_matches() -> None:
    present = ["general.name", "llama.context_length", "tokenizer.chat_template", "x" * 70_000]
    assert registry.close_matches("context_length", present)[0] == "llama.context_length"
    assert registry.close_matches("general.nam", present)[0] == "general.name"
    assert registry.close_matches("Tokenizer.Chat-Template", present)[0] == (
        "tokenizer.chat_template"
    )
    assert registry.close_matches("y" * 70_000, present) == ()
    assert registry.close_matches("zzz", present) == ()


def _needed(
    values: dict[str, object], *kinds: str, architecture: str = "llama", quantized: bool = False
) -> dict[str, str]:
    found = registry.required_keys(kinds, architecture, values.get, quantized=quantized)
    return {requirement.key: requirement.level for requirement in found}


def test_requirements_of_a_model() -> None:
    needed = _needed({"tokenizer.ggml.model": "gpt2"}, "model")
    assert needed["general.architecture"] == "must"
    assert needed["llama.block_count"] == "must"
    assert needed["llama.attention.layer_norm_rms_epsilon"] == "must"
    assert needed["tokenizer.ggml.merges"] == "must"
    assert needed["tokenizer.ggml.pre"] == "should"
    assert "llama.attention.layer_norm_epsilon" not in needed
    assert "general.quantization_version" not in needed
    assert "split.no" not in needed
    assert _needed({}, "model", quantized=True)["general.quantization_version"] == "should"


def test_requirements_follow_the_architecture() -> None:
    needed = _needed({}, "model", architecture="mamba")
    assert needed["mamba.ssm.conv_kernel"] == "must"
    assert "mamba.wkv.head_size" not in needed
    assert needed.keys() >= {"mamba.context_length", "mamba.embedding_length"}


def test_requirements_of_a_vocabulary_without_hyperparameters() -> None:
    needed = _needed({"tokenizer.ggml.model": "llama"}, "vocab")
    assert "llama.block_count" not in needed
    assert needed["tokenizer.ggml.tokens"] == "must"
    assert "tokenizer.ggml.tokens" not in _needed({"tokenizer.ggml.model": "no_vocab"}, "vocab")


def test_requirements_on_conditions() -> None:
    assert "llama.expert_used_count" not in _needed({"llama.expert_count": 0}, "model")
    assert _needed({"llama.expert_count": 8}, "model")["llama.expert_used_count"] == "must"
    scaled = _needed({"llama.rope.scaling.type": "yarn"}, "model")
    assert scaled["llama.rope.scaling.factor"] == "should"
    assert "clip.vision.image_size" in _needed({"clip.has_vision_encoder": True}, "mmproj")
    assert "clip.vision.image_size" not in _needed({"clip.has_vision_encoder": False}, "mmproj")


def test_requirements_of_shards() -> None:
    assert set(_needed({}, "shard")) == {"split.no", "split.count", "split.tensors.count"}


def test_a_count_in_a_file_does_not_set_the_amount_of_work() -> None:
    needed = _needed({"general.base_model.count": 2}, "model")
    assert {"general.base_model.0.name", "general.base_model.1.name"} <= set(needed)
    assert len(_needed({"general.base_model.count": 2**32 - 1}, "model")) < 1000


@pytest.mark.parametrize("value", ["x", [1, 2], 1.5, object()])
def test_values_of_an_unexpected_kind_are_no_error(value: object) -> None:
    for info in KEYS:
        condition = info.required.when if info.required else None
        if condition:
            _needed({registry.concrete(condition.key, "llama"): value}, "model", "mmproj")
    _needed({"general.base_model.count": value}, "model")
