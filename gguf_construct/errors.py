"""The error hierarchy: every failure of the library is a `GGUFError`.

A message says where (field path and absolute byte offset), what was found and what was
expected; `hint` says what to do about it.  Errors also inherit the builtin that a caller
would expect (`ValueError`, `EOFError`, `KeyError`).
"""

from __future__ import annotations

from typing import Any

__all__ = [
    "AmbiguousKeyError",
    "BuildError",
    "ClosedError",
    "DestinationExistsError",
    "EditError",
    "GGUFError",
    "InvalidFieldError",
    "KeyNotFoundError",
    "LimitExceededError",
    "LockedError",
    "NotGGUFError",
    "ParseError",
    "RefusedError",
    "SourceChangedError",
    "TemplateError",
    "TruncatedError",
    "TypeConflictError",
    "UnfinishedEditWarning",
    "UnsupportedVersionError",
    "ValidationError",
    "VerificationError",
    "WriteError",
]


class GGUFError(Exception):
    """Base of all errors of gguf-construct.

    Attributes:
        message: what is wrong, without the place.
        offset: absolute byte offset in the file, or None.
        path: field path such as ``metadata[3] 'general.name'.value``, or None.
        hint: what to do about it, or None.
        file: name of the file at fault, or None where it is not known.
    """

    file: str | None = None

    def __init__(
        self,
        message: str,
        *,
        offset: int | None = None,
        path: str | None = None,
        hint: str | None = None,
        **details: Any,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset
        self.path = path
        self.hint = hint
        for name, value in details.items():
            setattr(self, name, value)

    def __str__(self) -> str:
        place = self.path or ""
        if self.offset is not None:
            place += f"{' ' if place else ''}at 0x{self.offset:x}"
        return f"{place}: {self.message}" if place else self.message

    def __reduce__(self) -> tuple[Any, ...]:
        # Keyword-only details do not survive the default pickling of exceptions.
        return (_rebuild, (type(self), self.message, dict(self.__dict__)))


def _rebuild(kind: type[GGUFError], message: str, state: dict[str, Any]) -> GGUFError:
    error = kind.__new__(kind, message)
    error.__dict__.update(state)
    return error


class ParseError(GGUFError, ValueError):
    """The bytes are not a readable GGUF file."""


class NotGGUFError(ParseError):
    """The file is something else.  `kind` names it (``safetensors``, ``zip``, ...)."""

    kind: str = "unknown"


class UnsupportedVersionError(ParseError):
    """The version field holds a number that no reader knows.  `version` is that number."""

    version: int = 0


class TruncatedError(ParseError, EOFError):
    """A field reaches past the end.  `needed` and `available` count bytes."""

    needed: int = 0
    available: int = 0


class InvalidFieldError(ParseError):
    """A field holds what the format does not allow.  See `expected` and `actual`."""

    expected: object = None
    actual: object = None


class LimitExceededError(ParseError):
    """A count or length is above a safety limit.  See `limit` (its name), `maximum`, `actual`."""

    limit: str = ""
    maximum: int = 0
    actual: int = 0


class BuildError(GGUFError, ValueError):
    """The format cannot hold this: a number out of its type's range, an unknown block layout."""


class ClosedError(GGUFError, ValueError):
    """The model was closed, and what is asked for was not read before."""


class EditError(GGUFError):
    """An edit was refused; nothing was changed."""


class KeyNotFoundError(EditError, KeyError):
    """No such metadata key or tensor.  `matches` lists close names."""

    key: str = ""
    matches: tuple[str, ...] = ()


class AmbiguousKeyError(EditError):
    """The key occurs more than once.  `offsets` says where."""

    key: str = ""
    offsets: tuple[int, ...] = ()


class TypeConflictError(EditError, TypeError):
    """The value does not fit the key's type.  See `expected` and `actual`."""

    expected: str = ""
    actual: str = ""


class RefusedError(EditError, ValueError):
    """The value is well-formed but would break the model; the hint says how to insist."""


class TemplateError(GGUFError, ValueError):
    """A chat template cannot be parsed or rendered.

    `line` counts from 1 inside the template.  `reason` is one of syntax, undefined, security,
    raised (the template itself refuses), time, memory, output, recursion, crash, error.
    """

    line: int | None = None
    reason: str = "error"


class WriteError(GGUFError):
    """Writing failed; the original file is untouched.  The OSError is chained."""


class SourceChangedError(WriteError):
    """The input file changed or shrank while it was being used."""


class DestinationExistsError(WriteError):
    """The output exists and overwriting was not asked for."""


class LockedError(WriteError):
    """Another process is writing this file."""


class VerificationError(WriteError):
    """What was written is not what should have been; it was thrown away."""


class UnfinishedEditWarning(UserWarning):
    """An edit of this file in place was cut short; it is shown as it was before."""


class ValidationError(GGUFError):
    """Validation found errors.  `report` holds the problems."""

    report: Any = None


# The package offers these under its own name; that is the name to show, however they are reached.
for _exported in (GGUFError, ParseError, BuildError, EditError, WriteError, ValidationError):
    _exported.__module__ = __package__
