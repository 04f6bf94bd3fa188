"""Settings of a Hugging Face folder against those of a document."""

from __future__ import annotations
