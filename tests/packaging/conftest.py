"""Builds the sdist, and the wheel from the sdist, once for all tests of this folder."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
NOT_SOURCE = shutil.ignore_patterns(
    ".git", ".venv*", "build", "dist", "*.egg-info", "__pycache__", ".*_cache", ".hypothesis"
)


@pytest.fixture(scope="session")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one sdist and one wheel, built from a copy of the tree."""
    pytest.importorskip("build")
    scratch = tmp_path_factory.mktemp("distributions")
    tree = scratch / "tree"
    shutil.copytree(REPOSITORY, tree, symlinks=True, ignore=NOT_SOURCE)
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(scratch / "dist")]
    done = subprocess.run(
        [*command, str(tree)],
        cwd=scratch,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:]
    return scratch / "dist"


@pytest.fixture(scope="session")
def wheel(distributions: Path) -> Path:
    """The wheel."""
    (path,) = distributions.glob("*.whl")
    return path


@pytest.fixture(scope="session")
def sdist(distributions: Path) -> Path:
    """The source distribution."""
    (path,) = distributions.glob("*.tar.gz")
    return path


@pytest.fixture(scope="session")
def site_packages(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that holds what installing the wheel would put into site-packages."""
    folder = tmp_path_factory.mktemp("site-packages")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder
