"""Which architectures read which optional keys, in llama.cpp.

Strategy: a key that is absent matters only where its loader looks for it.  Only keys are listed
that say nothing (0, no scale) when they are absent.

Source: the `load_arch_hparams` methods in src/models of llama.cpp.
"""

from __future__ import annotations


def is_read(suffix: str, architecture: str) -> bool:
    """Whether the loader of an architecture looks for the key ``{arch}.suffix``."""
    return architecture in _READERS.get(suffix, "").split()


# Key -> architectures, separated by spaces.
_READERS = {
    "attention.clamp_kqv": "dbrx mpt olmo",
    "attention.indexer.head_count": (
        "deepseek32 deepseek4 dots3note glm-dsa glm5-next hy_v4 minimax-m3 qwen4exp"
    ),
    "attention.indexer.key_length": (
        "deepseek32 deepseek4 dots3note glm-dsa glm5-next hy_v4 minimax-m3 qwen4exp"
    ),
    "attention.indexer.top_k": (
        "deepseek32 deepseek4 dots3note glm-dsa glm5-next hy_v4 minimax-m3 qwen4exp"
    ),
    "attention.key_length_mla": (
        "bailingmoe3 deepseek2 deepseek32 dots3note glm-dsa glm5-next hy_v4 kimi-k3 "
        "kimi-linear mistral4"
    ),
    "attention.kv_lora_rank": (
        "bailingmoe3 deepseek2 deepseek32 dots3note glm-dsa glm5-next hy_v4 kimi-k3 "
        "kimi-linear minicpm3 mistral4 plm"
    ),
    "attention.q_lora_rank": (
        "bailingmoe3 deepseek2 deepseek32 deepseek4 dflash dots3note glm-dsa glm5-next "
        "hy_v4 kimi-k3 minicpm3 mistral4"
    ),
    "attention.relative_buckets_count": "t5 t5encoder",
    "attention.scale": "dflash granite granite_swa granitehybrid granitemoe graniteswitch",
    "attention.shared_kv_layers": "gemma4 gemma4-assistant",
    "attention.sliding_window": (
        "afmoe cohere2 cohere2moe deepseek4 dflash dots3note exaone-moe exaone4 "
        "gemma-embedding gemma2 gemma3 gemma3n gemma4 gemma4-assistant gpt-oss granite_swa "
        "laguna lfm2 llama4 maple mellum mimo2 modern-bert muse-glimmer olmo2 phi3 plamo3 "
        "smallthinker spark2_5 step35"
    ),
    "attention.value_length_mla": (
        "bailingmoe3 deepseek2 deepseek32 dots3note glm-dsa glm5-next hy_v4 kimi-k3 "
        "kimi-linear mistral4"
    ),
    "attn_logit_softcapping": "gemma2 grok",
    "decoder_block_count": "t5",
    "decoder_start_token_id": "t5",
    "embedding_length_per_layer_input": "gemma4 qwen4exp",
    "embedding_scale": (
        "dflash granite granite_swa granitehybrid granitemoe graniteswitch grok hrm_text minicpm"
    ),
    "expert_chunk_feed_forward_length": "grovemoe",
    "expert_feed_forward_length": (
        "afmoe bailingmoe bailingmoe2 bailingmoe3 cohere2moe deepseek deepseek2 "
        "deepseek2-ocr deepseek32 deepseek4 dflash dots1 dots3note ernie4_5 ernie4_5-moe "
        "exaone-moe gemma4 glm-dsa glm4moe glm5-next gpt-oss grok grovemoe hunyuan-moe "
        "hy_v3 hy_v4 kimi-k3 kimi-linear laguna lfm2moe llada-moe llama4 maple mellum mimo2 "
        "minimax-m2 minimax-m3 mistral4 nemotron_h nemotron_h_moe paddleocr qwen2moe "
        "qwen35moe qwen3moe qwen3next qwen3vlmoe qwen4exp rnd1 smallthinker step35"
    ),
    "expert_shared_count": (
        "afmoe bailingmoe bailingmoe2 bailingmoe3 cohere2moe deepseek deepseek2 "
        "deepseek2-ocr deepseek32 deepseek4 dflash dots1 dots3note exaone-moe glm-dsa "
        "glm4moe glm5-next hy_v4 kimi-k3 kimi-linear laguna minimax-m3 mistral4 nemotron_h "
        "nemotron_h_moe"
    ),
    "expert_shared_feed_forward_length": (
        "bailingmoe2 bailingmoe3 cohere2moe ernie4_5 ernie4_5-moe exaone-moe granite "
        "granite_swa granitehybrid granitemoe graniteswitch hunyuan-moe hy_v3 laguna "
        "nemotron_h nemotron_h_moe paddleocr qwen2moe qwen35moe qwen3next qwen4exp step35"
    ),
    "expert_weights_norm": (
        "afmoe bailingmoe bailingmoe2 bailingmoe3 cohere2moe deepseek2 deepseek2-ocr "
        "deepseek32 deepseek4 dflash dots1 dots3note exaone-moe glm-dsa glm4moe glm5-next "
        "hy_v3 hy_v4 kimi-k3 laguna minimax-m3 mistral4 nemotron_h nemotron_h_moe step35"
    ),
    "expert_weights_scale": (
        "afmoe bailingmoe bailingmoe2 bailingmoe3 cohere2moe deepseek deepseek2 "
        "deepseek2-ocr deepseek32 deepseek4 dflash dots1 dots3note exaone-moe glm-dsa "
        "glm4moe glm5-next hy_v3 hy_v4 kimi-k3 kimi-linear laguna minimax-m3 mistral4 "
        "nemotron_h nemotron_h_moe step35"
    ),
    "final_logit_softcapping": "dflash gemma2 gemma3 gemma4 grok muse-glimmer",
    "interleave_moe_layer_step": "ernie4_5 ernie4_5-moe llama4 paddleocr",
    "leading_dense_block_count": (
        "afmoe bailingmoe bailingmoe2 bailingmoe3 cohere2moe deepseek deepseek2 "
        "deepseek2-ocr deepseek32 dots1 dots3note ernie4_5 ernie4_5-moe exaone-moe glm-dsa "
        "glm4moe glm5-next hy_v4 kimi-k3 kimi-linear laguna lfm2moe minimax-m3 mistral4 "
        "paddleocr"
    ),
    "logit_scale": (
        "cohere2 cohere2moe command-r dflash granite granite_swa granitehybrid granitemoe "
        "graniteswitch grok minicpm muse-glimmer talkie"
    ),
    "residual_scale": (
        "granite granite_swa granitehybrid granitemoe graniteswitch minicpm minimax-01"
    ),
    "rope.dimension_sections": (
        "bailingmoe3 deepseek32 dflash ernie4_5 ernie4_5-moe glm-dsa glm4 glm4moe "
        "hunyuan-dense hunyuan_vl paddleocr qwen2vl qwen35 qwen35moe qwen3tts qwen3vl "
        "qwen3vlmoe qwen4exp"
    ),
    "rope.freq_base_swa": (
        "afmoe cohere2 cohere2moe dots3note exaone-moe exaone4 gemma-embedding gemma2 "
        "gemma3 gemma3n gemma4 gemma4-assistant gpt-oss laguna llama4 maple mellum mimo2 "
        "modern-bert muse-glimmer olmo2 plamo3 smallthinker spark2_5 step35"
    ),
    "ssm.group_count": (
        "falcon-h1 granitehybrid mamba2 nemotron_h nemotron_h_moe plamo2 qwen35 qwen35moe "
        "qwen3next qwen4exp"
    ),
}
