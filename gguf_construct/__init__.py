"""gguf-construct."""

from __future__ import annotations
