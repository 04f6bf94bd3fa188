"""A folder for the demo: temporary, or one that the caller wants to keep."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ..source.resources import sample_path

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def workspace(keep: str | None, model: str | None, texts: dict[str, str]) -> Iterator[Path]:
    """A folder with model.gguf (a copy of `model`, or of our sample) and the given texts.

    It is the working directory inside the block, so that short names do.

    Raises:
        OSError: there is something in the folder already, or a file cannot be copied.
    """
    folder = Path(keep) if keep else Path(tempfile.mkdtemp(prefix="gguf-construct-demo-"))
    before = Path.cwd()
    if keep:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise OSError(errno.ENOTEMPTY, os.strerror(errno.ENOTEMPTY), keep)
    try:
        shutil.copyfile(model or sample_path(), folder / "model.gguf")
        for name, text in texts.items():
            (folder / name).write_text(text, encoding="utf-8", newline="")
        os.chdir(folder)
        yield folder
    finally:
        os.chdir(before)
        if not keep:
            shutil.rmtree(folder, ignore_errors=True)
