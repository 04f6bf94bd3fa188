"""Build-time tools; never imported by the package."""

from __future__ import annotations
