"""Opening what is read: maps, bytes, folders."""

from __future__ import annotations
