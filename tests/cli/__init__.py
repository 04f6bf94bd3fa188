"""Tests of the command line, verb by verb."""

from __future__ import annotations
