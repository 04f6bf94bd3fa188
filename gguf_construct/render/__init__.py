"""Documents and reports as text and JSON, free of terminal assumptions."""

from __future__ import annotations
