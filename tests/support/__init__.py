"""Helpers shared by the tests: hand-made bytes, real files, engines."""

from __future__ import annotations
