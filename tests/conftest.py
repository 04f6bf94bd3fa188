"""Settings for the whole suite: how much Hypothesis does, and what a test must not leave open."""

from __future__ import annotations

import gc
import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from tests.support.open_files import open_files

if TYPE_CHECKING:
    from collections.abc import Iterator

# Machines differ in speed: no deadlines. An emulated Python is some ten times slower.
settings.register_profile("local", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.register_profile(
    "emulated", deadline=None, max_examples=10, suppress_health_check=[HealthCheck.too_slow]
)

if os.environ.get("GGUF_CONSTRUCT_EMULATED") == "1":
    settings.load_profile("emulated")
else:
    settings.load_profile("ci" if os.environ.get("CI") else "local")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-transcript",
        action="store_true",
        help="write tests/data/transcript.txt anew",
    )


@pytest.fixture(autouse=True)
def closes_what_it_opens() -> Iterator[None]:
    """A test leaves no file open, nor does what it tries."""
    before = open_files()
    yield
    left = open_files() - before
    if left:
        gc.collect()  # what an exception or a cycle still held
        left = open_files() - before
    assert not left, f"left open: {sorted(path for _, path in left)}"
