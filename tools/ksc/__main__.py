"""python -m tools.ksc: install the compiler, and compile the schema for many languages."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tools.ksc import (
    KSC_FOLDER,
    LANGUAGES,
    KscError,
    KscMissing,
    compile_languages,
    ensure_compiler,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

_SPEC_DIR = Path(__file__).resolve().parents[2] / "spec"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tools.ksc", description=__doc__)
    parser.add_argument("--install", action="store_true", help="install the pinned compiler")
    parser.add_argument("--languages", default="", help="comma-separated names, or 'all'")
    parser.add_argument("--spec", type=Path, default=_SPEC_DIR, help="folder of the .ksy files")
    parser.add_argument("--top", default="gguf", help="name of the schema to compile")
    parser.add_argument("--out", type=Path, help="also write the files to OUT/LANGUAGE/")
    return parser


def _compile(options: argparse.Namespace) -> int:
    """Print one line a language; the number of languages that the compiler refused."""
    every = options.languages == "all"
    languages = LANGUAGES if every else [name for name in options.languages.split(",") if name]
    failures = 0
    for language, result in compile_languages(options.spec, options.top, languages).items():
        if result.error is not None:
            failures += 1
            print(f"{language:<12} FAILED {result.error}")
            continue
        print(f"{language:<12} ok     {' '.join(result.files)}")
        if options.out is not None:
            folder = options.out / language
            folder.mkdir(parents=True, exist_ok=True)
            for name, text in result.files.items():
                target = folder / name
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(text, encoding="utf-8", newline="\n")
    return failures


def main(arguments: Sequence[str] | None = None) -> int:
    """0 when all went well, 1 when a language failed, 2 when the compiler cannot be run."""
    options = _parser().parse_args(arguments)
    try:
        if options.install:
            print(f"the compiler is in {ensure_compiler(KSC_FOLDER)}")
        return 1 if options.languages and _compile(options) else 0
    except (KscMissing, KscError) as error:
        print(f"tools.ksc: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    raise SystemExit(main())
