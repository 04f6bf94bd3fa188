"""Messages for people, on stderr: notes, warnings, errors with a place and a hint."""

from __future__ import annotations

import io
import os
import sys
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import click

from ...errors import GGUFError
from ...render.escaping import one_line, printable
from .exit_codes import FAILED, INTERRUPTED, code_of
from .output import colours

if TYPE_CHECKING:
    from collections.abc import Iterator

_TRACEBACK = "GGUF_CONSTRUCT_TRACEBACK"


def note(text: str) -> None:
    """Say what was done."""
    _tell(one_line(text))


def warn(text: str) -> None:
    """Say what a person should look at, though it was done."""
    _say("warning:", "yellow", text)


def _say(label: str, colour: str, text: str) -> None:
    if colours(sys.stderr):
        label = click.style(label, fg=colour, bold=True)
    _tell(f"{label} {one_line(text)}")


def _tell(text: str) -> None:
    # A closed or full stderr must not stop an edit halfway.
    with suppress(OSError):
        click.echo(text, err=True, color=colours(sys.stderr))


@contextmanager
def about_file(path: str) -> Iterator[None]:
    """Name the file in errors raised in here; for verbs that read several."""
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
        _show_usage(error)
        return error.exit_code
    if isinstance(error, (KeyboardInterrupt, click.Abort)):
        _tell("")
        _say("interrupted:", "yellow", "nothing was left half-written")
        return INTERRUPTED
    code = code_of(error)
    if code is None:
        return _report_fault(error)
    _say("error:", "red", _text(error))
    hint = getattr(error, "hint", None)
    if hint:
        _say("hint:", "cyan", hint)
    return code


def _show_usage(error: click.ClickException) -> None:
    shown = io.StringIO()
    error.show(shown)
    _tell(printable(shown.getvalue()).rstrip("\n"))


def _report_fault(error: BaseException) -> int:
    """Print an error that no verb is meant to raise; never exit code 1, which means findings."""
    if isinstance(error, MemoryError):
        _say("error:", "red", "not enough memory for this")
        return FAILED
    what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    _say("error:", "red", f"internal error in gguf-construct: {what}")
    _say("hint:", "cyan", f"please report it, with the output of a run under {_TRACEBACK}=1")
    if os.environ.get(_TRACEBACK):
        from traceback import format_exception

        _tell(printable("".join(format_exception(error))))
    return FAILED


def _text(error: BaseException) -> str:
    if isinstance(error, OSError) and not isinstance(error, GGUFError) and error.strerror:
        name = f"{os.fsdecode(error.filename)}: " if error.filename else ""
        return f"{name}{error.strerror}"
    file = getattr(error, "file", None)
    return f"{file}: {error}" if file else str(error)
