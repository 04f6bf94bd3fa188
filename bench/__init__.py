"""Measurements: this project against cp and against what people use today."""

from __future__ import annotations
