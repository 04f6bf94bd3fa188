"""A target for atheris, for runs of hours: coverage-guided, in one process.

    pip install atheris
    python -m tools.fuzz.atheris_target build/fuzz -max_len=65536 -rss_limit_mb=512 -timeout=5

The first folder collects the inputs that reach new code; the hand-made cases are written into it.
"""

from __future__ import annotations

import sys
from pathlib import Path


def main() -> None:
    """Run until something breaks or the options say stop."""
    import atheris  # type: ignore[import-untyped, import-not-found, unused-ignore]

    with atheris.instrument_imports(include=["gguf_construct"]):
        from tools.fuzz.corpus import Corpus
        from tools.fuzz.targets import check

    folder = Path(next((one for one in sys.argv[1:] if not one.startswith("-")), "build/fuzz"))
    folder.mkdir(parents=True, exist_ok=True)
    for number, data in enumerate(Corpus(0).first()):
        (folder / f"case-{number:04}").write_bytes(data)
    atheris.Setup(sys.argv, check)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
