"""Run llama.cpp's converter on a folder without weights: the metadata, and no tensors.

A script, not a module: it sees the converter's packages, and needs transformers.  PyTorch stays
out of it, for no tensor is read; the converter only wants to import it.
"""

from __future__ import annotations

import importlib.util
import json
import logging
import sys
import warnings
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

_SMALL = {
    "hidden_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "intermediate_size": 128,
    "max_position_embeddings": 4096,
}


def write_config(folder: Path, model_type: str, architecture: str) -> None:
    """The config.json that transformers writes for a small model with this tokenizer."""
    from transformers import CONFIG_MAPPING

    tokenizer = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
    settings = json.loads((folder / "tokenizer_config.json").read_text(encoding="utf-8"))
    added = {token["content"]: token["id"] for token in tokenizer["added_tokens"]}
    special: dict[str, Any] = {}
    for role in ("bos", "eos", "pad"):
        text = settings.get(f"{role}_token")
        special[f"{role}_token_id"] = added.get(text["content"] if isinstance(text, dict) else text)
    num_tokens = 1 + max(*tokenizer["model"]["vocab"].values(), *added.values())
    make: Any = CONFIG_MAPPING[model_type]  # typed differently from release to release
    config = make(**_SMALL, **special, vocab_size=num_tokens)
    config.architectures = [architecture]
    (folder / "config.json").write_text(config.to_json_string(use_diff=False), encoding="utf-8")


def convert(folder: Path, architecture: str) -> None:
    """Write model.gguf as the converter does, without tensors."""
    for name in ("torch", "sentencepiece"):
        if importlib.util.find_spec(name) is None:
            sys.modules[name] = MagicMock(__spec__=None)
    import gguf
    from conversion import load_all_models  # type: ignore[import-not-found]
    from conversion.base import ModelBase, ModelType  # type: ignore[import-not-found]

    load_all_models()
    known: Any = ModelBase._model_classes[ModelType.TEXT][architecture]
    body = {"model_arch": known.model_arch, "index_tensors": lambda *_, **__: {}}
    target = folder / "model.gguf"
    model = type("WithoutTensors", (known,), body)(
        dir_model=folder,
        ftype=gguf.LlamaFileType.MOSTLY_F16,
        fname_out=target,
        is_big_endian=False,
        use_temp_file=False,
        eager=False,
    )
    model.prepare_metadata(vocab_only=False)
    model.gguf_writer.write_header_to_file(path=target)
    model.gguf_writer.write_kv_data_to_file()
    model.gguf_writer.write_ti_data_to_file()
    model.gguf_writer.close()


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    where, kind, name = sys.argv[1:]
    write_config(Path(where), kind, name)
    convert(Path(where), name)
