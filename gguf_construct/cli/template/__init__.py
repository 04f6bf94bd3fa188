"""The verb `template`, one file per subcommand."""

from __future__ import annotations

from .group import command

__all__ = ["command"]
