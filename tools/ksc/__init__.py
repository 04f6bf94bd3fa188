"""The official Kaitai Struct compiler: what it makes of our schemas, in every language it knows.

Strategy: the compiler's JavaScript build takes a schema that is already parsed. Python reads the
YAML, one node process compiles it for all languages asked for, and the texts come back as JSON.
The compiler and its JavaScript runtime are pinned in package.json beside this file and are
installed into a folder of the build, never into the package.
"""

from __future__ import annotations

from tools.ksc.compiler import LANGUAGES, KscError, compile_languages, compile_spec
from tools.ksc.install import KSC_FOLDER, KscMissing, ensure_compiler, is_installed

__all__ = [
    "KSC_FOLDER",
    "LANGUAGES",
    "KscError",
    "KscMissing",
    "compile_languages",
    "compile_spec",
    "ensure_compiler",
    "is_installed",
]
