"""Tests of the fuzzer, and a short run of it."""

from __future__ import annotations
