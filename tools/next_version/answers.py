"""What today's program answers, which a new version must not change."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import gguf_construct as gc
from gguf_construct.errors import BuildError
from tests.support import builders as b
from tools.next_version.files import old_file


def todays_answers() -> dict[str, Any]:
    """Hashes, the version of new files, and the versions that conversions give."""
    return {
        "hashes": hashes(old_file(b.LITTLE)),
        "built": built_version(),
        "big-endian": converted_version(old_file(b.LITTLE, 2), byte_order="big"),
        "version 1": converted_version(old_file(b.LITTLE), version=1),
    }


def hashes(data: bytes) -> dict[str, Any]:
    """Every hash of a model."""
    report = gc.hash_model(data)
    return {"content": report.content, **report.metadata, **report.tensors}


def built_version() -> int:
    """The version of a file whose manifest names none."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "manifest.yaml").write_text("metadata: {a: !uint8 1}\n", encoding="utf-8")
        gc.build_model(folder, folder / "built.gguf")
        with gc.open(folder / "built.gguf") as model:
            return model.version


def converted_version(data: bytes, **how: Any) -> int | None:
    """The version that a conversion gives; None where it is refused."""
    with TemporaryDirectory() as name:
        path = Path(name) / "converted.gguf"
        try:
            gc.convert(data, path, **how)
        except BuildError:
            return None
        with gc.open(path) as model:
            return model.version
