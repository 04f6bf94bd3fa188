"""What a check of a chat template finds, and how an engine is asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from ..errors import TemplateError

if TYPE_CHECKING:
    from .conversations import Conversation

Rendered: TypeAlias = Mapping[str, str | TemplateError]
"""A prompt or an error for each conversation, by name."""

EngineAnswer: TypeAlias = Rendered | TemplateError
"""What an engine makes of a template; an error where it does not even load it."""

Engine: TypeAlias = Callable[[str, "Mapping[str, Conversation]", Mapping[str, str]], EngineAnswer]
"""Another engine: takes the template, conversations by name, and special tokens by variable."""


class TemplateFinding(NamedTuple):
    """Something about a template.

    Attributes:
        code: a stable name of its kind.
        severity: error (it does not work), warning (it works in some engines or for some
            conversations only, or not as it should), or info.
        message: what it is.
        line: where; None where that is not known.
        hint: what to do; FILE stands for the name of the model's file.
    """

    code: str
    severity: str
    message: str
    line: int | None = None
    hint: str | None = None
