"""What is wrong with a document, and what can be repaired. Pure."""

from __future__ import annotations
