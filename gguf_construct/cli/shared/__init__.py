"""What several verbs share: options, tables, messages, writing."""

from __future__ import annotations
