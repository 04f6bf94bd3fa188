"""Exit codes: what each one means, which error leads to which, and the verdict so far."""

from __future__ import annotations

from ...errors import GGUFError, ParseError, TemplateError, ValidationError, WriteError

FINE, FINDINGS, REFUSED, MALFORMED, FAILED = range(5)
INTERRUPTED = 130
UNDECIDED = 141  # as a shell says it of a program that a closed pipe killed

EXPLAINED = """\
Exit codes: 0 fine, 1 findings or differences, 2 usage or a refused edit,
3 malformed or no GGUF file, 4 reading or writing failed."""

_BY_ERROR: tuple[tuple[type[BaseException], int], ...] = (
    (ParseError, MALFORMED),
    (WriteError, FAILED),
    (ValidationError, FINDINGS),
    (TemplateError, FINDINGS),
    (GGUFError, REFUSED),
    (OSError, FAILED),
)
_verdict = FINE


def code_of(error: BaseException) -> int | None:
    """The exit code for an error; None for one that no verb is meant to raise."""
    return next((code for kind, code in _BY_ERROR if isinstance(error, kind)), None)


def decide(code: int) -> int:
    """Note the exit code before printing starts, in case the reader closes the pipe midway."""
    global _verdict
    _verdict = code
    return code


def verdict() -> int:
    """The exit code that was decided last."""
    return _verdict
