"""The readers that the official compiler makes: generated/kaitai/, unmodified, with a manifest.

The compiler needs node.  Where it is not installed, the committed files stand as long as the
manifest says that they were made from this very schema and nobody touched them.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

from tools.ksc.compiler import compile_spec
from tools.ksc.install import KscMissing

from .text import banner

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["MANIFEST", "StaleKaitaiError", "kaitai_files"]

MANIFEST = "kaitai/MANIFEST.json"
COMPILER = "kaitai-struct-compiler 0.11.0"
_LANGUAGES = ("python", "javascript")


class StaleKaitaiError(Exception):
    """The schema changed since the committed readers were made, and there is no compiler."""


def kaitai_files(spec: Path, generated: Path, digest: str) -> dict[str, str]:
    """Path below generated/ to text.

    Raises:
        StaleKaitaiError: the committed readers do not fit, and there is no compiler.
        KscError: the compiler refuses the schema.
    """
    try:
        texts: dict[str, str] = {}
        for language in _LANGUAGES:
            texts |= compile_spec(spec, "gguf", language)
    except KscMissing as missing:
        texts = _committed(generated, digest, missing)
    files = {f"kaitai/{name}": text for name, text in sorted(texts.items())}
    files["kaitai/__init__.py"] = banner(
        "spec/", digest, "Readers made by the official Kaitai compiler."
    )
    files[MANIFEST] = _manifest(texts, digest)
    return files


def _manifest(texts: dict[str, str], digest: str) -> str:
    hashes = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in texts.items()}
    content = {"compiler": COMPILER, "spec-sha256": digest, "files": dict(sorted(hashes.items()))}
    return json.dumps(content, indent=2) + "\n"


def _committed(generated: Path, digest: str, missing: KscMissing) -> dict[str, str]:
    path = generated / MANIFEST
    stale = StaleKaitaiError(
        f"the Kaitai readers must be made anew, but the compiler is missing: {missing}"
    )
    if not path.is_file():
        raise stale
    known = json.loads(path.read_text(encoding="utf-8"))
    if known.get("spec-sha256") != digest or known.get("compiler") != COMPILER:
        raise stale
    texts = {}
    for name, wanted in known["files"].items():
        text = (generated / "kaitai" / name).read_text(encoding="utf-8")
        if hashlib.sha256(text.encode()).hexdigest() != wanted:
            raise StaleKaitaiError(f"generated/kaitai/{name} was edited by hand: restore it")
        texts[name] = text
    return texts
