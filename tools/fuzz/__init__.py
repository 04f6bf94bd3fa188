"""A seeded, structure-aware fuzzer of everything that reads or writes a file."""

from __future__ import annotations
