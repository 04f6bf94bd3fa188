"""Settings for the whole suite: how much Hypothesis does, and where."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    import pytest

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
