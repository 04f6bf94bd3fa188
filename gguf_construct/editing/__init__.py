"""Edits of a document and the checks that go with them. Pure."""

from __future__ import annotations
