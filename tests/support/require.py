"""What a test needs beyond Python: absent, the test is skipped, or fails where it is required.

The environment variable GGUF_CONSTRUCT_REQUIRE holds a comma-separated list of features (ksc,
node, engine, gemma3, corpus, pairs, shared) whose absence is an error: continuous integration
sets it, so that a broken installation cannot pass as a row of skips.
"""

from __future__ import annotations

import importlib
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import pytest

from tests.support.shared import shared_path

if TYPE_CHECKING:
    from types import ModuleType

# An emulated program is slow, and the emulator may leave its memory unlimited.
EMULATED = os.environ.get("GGUF_CONSTRUCT_EMULATED") == "1"

_REPOSITORY = Path(__file__).resolve().parents[2]


def absent(feature: str, reason: str) -> NoReturn:
    """Skip the running test, or fail it when the environment says that `feature` is required."""
    required = os.environ.get("GGUF_CONSTRUCT_REQUIRE", "").split(",")
    if feature in (name.strip() for name in required):
        pytest.fail(f"{feature} is required here: {reason}", pytrace=False)
    pytest.skip(reason)


def need_node() -> str:
    """The path of the `node` program."""
    return shutil.which("node") or absent("node", "node is not installed")


def need_ksc() -> Path:
    """The folder of the official Kaitai compiler and its JavaScript runtime."""
    from tools.ksc import KSC_FOLDER, is_installed

    need_node()
    if not is_installed():
        absent("ksc", "run python -m tools.ksc --install for the official Kaitai compiler")
    return KSC_FOLDER


def need_engine() -> ModuleType:
    """The package xllamacpp: a real llama.cpp."""
    try:
        return importlib.import_module("xllamacpp")
    except ImportError as error:
        absent("engine", f"no llama.cpp to load models with: {error}")


def need_gemma3() -> Path:
    """The real 253 MB model, where the environment or the build folder has it; read only."""
    named = os.environ.get("GGUF_CONSTRUCT_GEMMA3")
    path = Path(named) if named else _REPOSITORY / "build" / "models" / "gemma3.gguf"
    if not path.is_file():
        absent("gemma3", "run python -m bench.models to put the real model into build/models")
    return path


def need_corpus() -> Path:
    """The folder of published chat templates."""
    from tools.corpus import CORPUS

    if not (CORPUS / "done").is_file():
        absent("corpus", "run python -m tools.corpus to put published templates into build/corpus")
    return CORPUS


def need_pairs() -> list[Path]:
    """Folders with a repository's files and the model that llama.cpp's converter made of them."""
    from tools.real_pairs.cases import CASES, PAIRS

    folders = [PAIRS / case.tokenizer for case in CASES]
    if not all((folder / "model.gguf").is_file() for folder in folders):
        absent("pairs", "run python -m tools.real_pairs to make pairs with real vocabularies")
    return folders


def need_shared() -> Path:
    """The folder of facts and fixtures beside the checkout."""
    return shared_path() or absent("shared", "the shared fixtures are not here")
