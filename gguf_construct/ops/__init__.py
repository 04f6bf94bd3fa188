"""Pure operations on documents: edit, plan, convert, validate, diff, tokens, templates."""

from __future__ import annotations
