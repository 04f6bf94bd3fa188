"""Tests of the pure core: values, documents, plans."""

from __future__ import annotations
