"""Files that are installed with the package: the schema and the Kaitai readers."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path


def _spec_folder() -> Path:
    installed = Path(str(files("gguf_construct"))) / "_spec"
    # In a checkout the schema lies beside the package.
    return installed if installed.is_dir() else installed.parent.parent / "spec"


def spec_names() -> dict[str, str]:
    """Short name to file name of each schema."""
    return {path.stem: path.name for path in sorted(_spec_folder().iterdir()) if path.is_file()}


def spec_text(name: str) -> str:
    """The text of a schema file."""
    return (_spec_folder() / name).read_text(encoding="utf-8")


def sample_path() -> Path:
    """The sample model that is installed with the package (made by tools/samples.py)."""
    return Path(str(files("gguf_construct"))) / "data" / "sample.gguf"
