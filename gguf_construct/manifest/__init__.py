"""A document as readable text, and the way back."""

from __future__ import annotations
