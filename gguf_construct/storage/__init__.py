"""The only place that opens files."""

from __future__ import annotations
