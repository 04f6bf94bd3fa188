"""The journal of an edit in place, and how far an interrupted edit got."""

from __future__ import annotations
