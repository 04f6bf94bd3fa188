"""The template styles of tests/data/templates, and the special tokens that go with each."""

from __future__ import annotations

from pathlib import Path

TEMPLATES = Path(__file__).resolve().parents[1] / "data" / "templates"

SPECIAL_TOKENS = {
    "alpaca": {"bos_token": "<s>", "eos_token": "</s>"},
    "chatml": {"eos_token": "<|im_end|>"},
    "deepseek": {
        "bos_token": "<\uff5cbegin\u2581of\u2581sentence\uff5c>",
        "eos_token": "<\uff5cend\u2581of\u2581sentence\uff5c>",
    },
    "gemma": {"bos_token": "<bos>", "eos_token": "<end_of_turn>"},
    "llama-2": {"bos_token": "<s>", "eos_token": "</s>"},
    "llama-3": {"bos_token": "<|begin_of_text|>", "eos_token": "<|eot_id|>"},
    "mistral": {"bos_token": "<s>", "eos_token": "</s>"},
    "phi-3": {"bos_token": "<s>", "eos_token": "<|endoftext|>"},
}

STYLES = sorted(SPECIAL_TOKENS)


def template_source(style: str) -> str:
    """The template as it would stand in a file: newlines as written."""
    return (TEMPLATES / f"{style}.jinja").read_text(encoding="utf-8")
