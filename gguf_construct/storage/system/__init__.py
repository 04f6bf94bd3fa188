"""The operating system: calls, locks, signals, names of private files."""

from __future__ import annotations
