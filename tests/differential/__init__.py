"""Our readers against independent ones."""

from __future__ import annotations
