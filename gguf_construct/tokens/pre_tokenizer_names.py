"""Names that llama.cpp knows and no registry entry lists.

Source: llama-vocab.cpp of llama.cpp as vendored by llama-cpp-python 0.3.36.
"""

from __future__ import annotations

# fmt: off
PRE_TOKENIZERS = frozenset(
    {
        "a.x-4.0", "afmoe", "bailingmoe", "bailingmoe2", "bloom", "chameleon", "chatglm-bpe",
        "codeshell", "cohere2moe", "command-r", "dbrx", "deepseek-coder", "deepseek-llm",
        "deepseek-r1-qwen", "deepseek-v3", "default", "exaone", "exaone-moe", "exaone4", "f2llmv2",
        "falcon", "falcon-h1", "falcon3", "gemma4", "gigachat", "glm4", "glm5", "gpt-2", "gpt-4o",
        "gpt3-finnish", "granite-docling", "granite-embed-multi-311m", "granite-embed-multi-97m",
        "grok-2", "hunyuan", "hunyuan-dense", "hy_v4", "jais", "jais-2", "jina-de", "jina-es",
        "jina-v1-en", "jina-v2-code", "jina-v2-de", "jina-v2-es", "jina-v5-nano", "joyai-llm",
        "kanana2", "kimi-k2", "kormo", "laguna", "lfm2", "llada-moe", "llama-bpe", "llama-v3",
        "llama3", "llama4", "megrez", "mellum", "mellum2", "midm-2.0", "minerva-7b", "minicpm5",
        "minimax-m2", "modern-bert", "mpt", "olmo", "phi-2", "pixtral", "poro-chat", "qwen2",
        "qwen35", "refact", "roberta-bpe", "sarvam-moe", "seed-coder", "smaug-bpe", "smollm",
        "solar-open", "spark2_5", "stablelm2", "starcoder", "superbpe", "talkie", "tekken",
        "tiny_aya", "trillion", "ufakzeka", "viking", "whitespace", "youtu",
    }
)
# fmt: on
"""Values of tokenizer.ggml.pre for a vocabulary of byte pairs (gpt2 and its like)."""

NO_MERGES_PRE = frozenset({"kimi-k2"})
"""Those of them that need no tokenizer.ggml.merges."""

_PHI3 = ("</s>", "<unk>", "<s>", "<|endoftext|>")
TOKENS_OF_NAMES = {"phi-3": _PHI3, "phi3": _PHI3}
"""Tokens that a model must have whose general.name, in lower case, holds a word."""
