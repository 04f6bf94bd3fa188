"""The process that parses and renders what a stranger wrote, under limits of its own.

Strategy: one request on stdin, one JSON line on stdout for each finished piece, so that what was
done before a limit struck is not lost.  When the time is over, faulthandler writes the Python stack
to stderr, where the parent finds the template's line, and ends the process.  Should that fail, the
parent ends it.  See `rendering` for the other end.
"""

from __future__ import annotations

import faulthandler
import json
import re
import sys
import time
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType, TracebackType

    import jinja2

_ALL_TOGETHER = 2  # times the limit of one rendering
MAX_WORDS = 2000
_STAND_IN = re.compile(r"t_\d+")


def main(request: dict[str, Any]) -> None:
    """Carry out one request: {source, contexts, report, lenient, now, seconds, memory,
    output}."""

    def send(answer: dict[str, Any]) -> None:
        sys.stdout.buffer.write(json.dumps(answer).encode("ascii") + b"\n")
        sys.stdout.buffer.flush()

    from .environment import make_environment

    _limit_memory(request["memory"])
    now = datetime.fromisoformat(request["now"]) if request["now"] else None
    seconds = request["seconds"]
    if request.get("report"):
        _report(request["source"], seconds, send)
        return
    environment = make_environment(now, lenient=request.get("lenient", False))
    try:
        with _time_limit(seconds):
            template = environment.from_string(request["source"])
    except Exception as error:  # hostile input may raise anything, RecursionError, ValueError ...
        send(_failure(error, lambda number: _compiled_line(environment, request["source"], number)))
        return
    send({"ready": True, "lines": template.debug_info})
    end = time.monotonic() + _ALL_TOGETHER * seconds
    for context in request["contexts"]:
        if time.monotonic() > end:
            send({"error": "not rendered: the ones before it took all the time", "reason": "time"})
        else:
            send(_rendered(template, context, request["output"], seconds))


def _report(source: str, seconds: float, send: Callable[[dict[str, Any]], None]) -> None:
    from ..errors import TemplateError
    from .static import report_of

    try:
        with _time_limit(seconds):
            report = report_of(source)._asdict()
    except TemplateError as error:
        send({"error": error.message, "reason": error.reason, "line": error.line})
    except Exception as error:
        send(_failure(error))
    else:
        send({"report": report})


def _rendered(
    template: jinja2.Template, context: dict[str, Any], limit: int, seconds: float
) -> dict[str, Any]:
    try:
        with _time_limit(seconds):
            # Not render(): after an error that rewrites every frame of the traceback.
            pieces = template.root_render_func(template.new_context(context))
            return {"text": _joined(pieces, limit)}
    except Exception as error:
        return _failure(error)


def _joined(pieces: Iterator[str], limit: int) -> str:
    found: list[str] = []
    size = 0
    for piece in pieces:
        size += len(piece)
        if size > limit:
            frame: FrameType | None = getattr(pieces, "gi_frame", None)
            line = _line_of(frame, frame.f_lineno) if frame else None
            raise _OutputError(f"it renders more than {limit} characters", line)
        found.append(piece)
    return "".join(found)


class _OutputError(Exception):
    """The rendered text is too long.  Arguments: the words, the line."""


def _limit_memory(limit: int) -> None:
    try:
        import resource
    except ImportError:  # Windows: the limits of `environment` and of the output remain
        return
    for name in ("RLIMIT_AS", "RLIMIT_DATA", "RLIMIT_CORE"):
        wanted = 0 if name == "RLIMIT_CORE" else limit
        try:
            kind = getattr(resource, name)
            _, hard = resource.getrlimit(kind)
            if hard == resource.RLIM_INFINITY or wanted < hard:
                resource.setrlimit(kind, (wanted, wanted))
        except (AttributeError, OSError, ValueError):
            continue  # a system that knows the limit but does not let us set it


@contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    """End the process when the body takes longer than it may, and write where it was to stderr.

    faulthandler's thread needs no interpreter lock, so one long C call does not hold it up.
    """
    faulthandler.dump_traceback_later(seconds, exit=True, file=sys.stderr)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()


def _failure(
    error: Exception, line_of_code: Callable[[int], int | None] | None = None
) -> dict[str, Any]:
    from jinja2 import exceptions

    from .environment import parsed_line

    line = _failed_line(error.__traceback__)
    if isinstance(error, exceptions.TemplateSyntaxError):
        reason, line = "syntax", error.lineno
    elif isinstance(error, exceptions.SecurityError):
        reason = "security"
    elif isinstance(error, exceptions.UndefinedError):
        reason = "undefined"
    elif type(error) is exceptions.TemplateError:
        reason = "raised"
    elif isinstance(error, exceptions.TemplateRuntimeError):  # a filter or test that is not there
        reason = "absent"
    elif isinstance(error, _OutputError):
        reason, line = "output", error.args[1]
    elif isinstance(error, SyntaxError):  # from Python: 20 blocks inside each other, break outside
        reason = "syntax"
        line = line_of_code(error.lineno) if line_of_code and error.lineno else None
    else:
        kinds = {MemoryError: "memory", RecursionError: "recursion", OverflowError: "memory"}
        reason = kinds.get(type(error), "error")
        line = line or parsed_line(error.__traceback__)
    return {"error": _words(error, reason), "reason": reason, "line": line}


def _words(error: Exception, reason: str) -> str:
    if isinstance(error, MemoryError):
        return "it needs more memory than it may use"
    if reason == "recursion":
        return "it is nested or recurses too deeply"
    if isinstance(error, _OutputError):
        return str(error.args[0])
    if isinstance(error, SyntaxError):  # without the place in the Python that jinja2 wrote
        return str(error.msg)
    text = str(getattr(error, "message", None) or error)[:MAX_WORDS]
    if reason == "raised":
        return f"the template refuses: {text}"
    return f"{type(error).__name__}: {text}" if reason == "error" else text


def _compiled_line(environment: jinja2.Environment, source: str, number: int) -> int | None:
    """The template's line for a line of the Python that it becomes, which Python did not take."""
    code = environment.compile(source, raw=True)
    pairs = code.rpartition("debug_info = ")[2].strip().strip("'").split("&")
    found = None
    for template_line, _, code_line in (pair.partition("=") for pair in pairs if pair):
        if int(code_line) <= number:
            found = int(template_line)
    return found


def _failed_line(traceback: TracebackType | None) -> int | None:
    """The innermost line of the template in a traceback."""
    line = None
    while traceback:
        # Not that of the stand-in for an absent filter: jinja2 defines it at the top.
        if not _STAND_IN.fullmatch(traceback.tb_frame.f_code.co_name):
            line = _line_of(traceback.tb_frame, traceback.tb_lineno) or line
        traceback = traceback.tb_next
    return line


def _line_of(frame: FrameType, number: int) -> int | None:
    template: jinja2.Template | None = frame.f_globals.get("__jinja_template__")
    return template.get_corresponding_lineno(number) if template else None
