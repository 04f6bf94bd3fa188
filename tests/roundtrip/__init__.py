"""What is written equals what was read."""

from __future__ import annotations
