"""The readers that the official compiler makes: generated/kaitai/, unmodified, with a manifest.

The compiler needs node.  Where it is not installed, the committed files stand as long as the
manifest says that they were made from this very schema.  One that somebody touched is compared
with what git has.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
from typing import TYPE_CHECKING

from tools.ksc.compiler import compile_spec
from tools.ksc.install import KscMissing

from .text import banner

if TYPE_CHECKING:
    from pathlib import Path

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
    try:
        known = json.loads(path.read_bytes())
        hashes = dict(known["files"])
        if known["spec-sha256"] != digest or known["compiler"] != COMPILER:
            raise stale
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise stale from error
    return {name: _untouched(path.parent / name, wanted) for name, wanted in hashes.items()}


def _untouched(path: Path, wanted: str) -> str:
    """The file's text as the compiler made it."""
    here = path.read_bytes().replace(b"\r\n", b"\n") if path.is_file() else None
    for data in (here, _committed_bytes(path)):
        if data is not None and hashlib.sha256(data).hexdigest() == wanted:
            return data.decode("utf-8")
    what = "is missing" if here is None else "was edited by hand"
    raise StaleKaitaiError(f"generated/kaitai/{path.name} {what}: restore it")


def _committed_bytes(path: Path) -> bytes | None:
    git = shutil.which("git")
    if git is None:
        return None
    command = [git, "show", f"HEAD:./{path.name}"]
    done = subprocess.run(command, cwd=path.parent, capture_output=True, check=False)
    return done.stdout if done.returncode == 0 else None
