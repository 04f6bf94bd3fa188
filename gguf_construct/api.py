"""The functions behind the public names: each opens what it is given and calls a subject."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .storage.read.hf_folder import read_folder
from .upstream.compare import compare_upstream
from .upstream.repository import WANTED, parse_repository

if TYPE_CHECKING:
    import os

    from .core.document import Document
    from .upstream.results import UpstreamRow

__all__ = ["diff_upstream"]


def diff_upstream(document: Document, folder: str | os.PathLike[str]) -> list[UpstreamRow]:
    """A row for each setting that a model and its Hugging Face folder both could have.

    Raises:
        GGUFError: the folder has none of the files, or one of them is no JSON object.
        OSError: there is no such folder, or a file cannot be read.
    """
    return compare_upstream(document, parse_repository(read_folder(folder, WANTED)))
