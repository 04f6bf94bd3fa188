"""Messages for people, on stderr: notes, warnings, errors with a place and a hint."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from ...errors import (
    BuildError,
    EditError,
    GGUFError,
    ParseError,
    TemplateError,
    ValidationError,
    WriteError,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["about_file", "colours", "note", "printable", "report_error", "warn"]

_CODES: tuple[tuple[type[BaseException], int], ...] = (
    (ParseError, 3),
    (WriteError, 4),
    (ValidationError, 1),
    (TemplateError, 1),
    (EditError, 2),
    (BuildError, 2),
    (GGUFError, 2),
    (OSError, 4),
)
_INTERRUPTED = 130
_FAILED = 4
_TRACEBACK = "GGUF_CONSTRUCT_TRACEBACK"


def colours(stream: Any = None) -> bool:
    """Whether a stream takes colours: a terminal, unless NO_COLOR or FORCE_COLOR say otherwise."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return bool((sys.stderr if stream is None else stream).isatty())


def printable(text: str) -> str:
    """Text that any terminal takes: control characters and bytes that are no UTF-8 escaped."""
    return "".join(one if one.isprintable() or one == "\n" else _escaped(one) for one in text)


def _one_line(text: str) -> str:
    """A message, in which no name of a file or key can make another one."""
    return printable(text).replace("\n", "\\n")


def _escaped(one: str) -> str:
    # Python reads a byte that is no UTF-8 as U+DC00 plus its value (surrogateescape).
    return f"\\x{ord(one) - 0xDC00:02x}" if "\udc80" <= one <= "\udcff" else repr(one)[1:-1]


def _say(label: str, colour: str, text: str) -> None:
    if colours():
        label = click.style(label, fg=colour, bold=True)
    click.echo(f"{label} {_one_line(text)}", err=True, color=colours())


def note(text: str) -> None:
    """Say what was done."""
    click.echo(_one_line(text), err=True)


def warn(text: str) -> None:
    """Say what a person should look at, though it was done."""
    _say("warning:", "yellow", text)


@contextmanager
def about_file(path: str) -> Iterator[None]:
    """Errors raised in here are about this file, one of several that a verb reads."""
    try:
        yield
    except GGUFError as error:
        error.file = error.file or path
        raise


def report_error(error: BaseException) -> int:
    """Print an error and return the exit code for it."""
    if isinstance(error, click.exceptions.Exit):
        return error.exit_code
    if isinstance(error, click.ClickException):
        error.show()
        return error.exit_code
    if isinstance(error, (KeyboardInterrupt, click.Abort)):
        click.echo("", err=True)
        _say("interrupted:", "yellow", "nothing was left half-written")
        return _INTERRUPTED
    for kind, code in _CODES:
        if isinstance(error, kind):
            _say("error:", "red", _text(error))
            hint = getattr(error, "hint", None)
            if hint:
                _say("hint:", "cyan", hint)
            return code
    return _report_fault(error)


def _report_fault(error: BaseException) -> int:
    """Print an error that no verb is meant to raise; never exit code 1, which means findings."""
    if isinstance(error, MemoryError):
        _say("error:", "red", "there is not enough memory for this")
        return _FAILED
    what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    _say("error:", "red", f"a fault of gguf-construct itself: {what}")
    _say("hint:", "cyan", f"please report it, with what {_TRACEBACK}=1 in the environment adds")
    if os.environ.get(_TRACEBACK):
        from traceback import format_exception

        click.echo(printable("".join(format_exception(error))), err=True)
    return _FAILED


def _text(error: BaseException) -> str:
    if isinstance(error, OSError) and not isinstance(error, GGUFError) and error.strerror:
        name = f"{error.filename}: " if error.filename else ""
        return f"{name}{error.strerror}"
    file = getattr(error, "file", None)
    return f"{file}: {error}" if file else str(error)
