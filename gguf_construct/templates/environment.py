"""The Jinja environment of chat templates: the names, filters and tags that transformers offers.

Everything here only parses; rendering untrusted templates is the job of `rendering`, where
time and memory end.  Source: transformers.utils.chat_template_utils (5.24), by behaviour.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, NoReturn

import jinja2
import jinja2.exceptions
import jinja2.ext
import jinja2.nodes
import jinja2.parser
import jinja2.sandbox
import jinja2.utils

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from jinja2.runtime import Context, Macro

# Where the system cannot limit memory, these do: a longer text, a larger number is refused.
MAX_REPEATED = 1 << 26
MAX_BITS = 1 << 20


class _Environment(jinja2.sandbox.ImmutableSandboxedEnvironment):
    # Intercepted operators are also never folded while a template is being compiled.
    intercepted_binops = frozenset(("*", "**"))

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        if operator == "**":
            _limit_power(left, right)
        elif operator == "*":
            _limit_repeat(left, right)
            _limit_repeat(right, left)
            _limit_product(left, right)
        return super().call_binop(context, operator, left, right)


def _limit_power(base: object, exponent: object) -> None:
    if (
        isinstance(base, int)
        and isinstance(exponent, int)
        and base.bit_length() * max(exponent, 0) > MAX_BITS
    ):
        raise OverflowError("the power is too large")


def _limit_product(left: object, right: object) -> None:
    if (
        isinstance(left, int)
        and isinstance(right, int)
        and left.bit_length() + right.bit_length() > MAX_BITS
    ):
        raise OverflowError("the product is too large")


def _limit_repeat(value: object, times: object) -> None:
    if (
        isinstance(value, (str, bytes, list, tuple))
        and isinstance(times, int)
        and len(value) * times > MAX_REPEATED
    ):
        raise OverflowError("the repeated text is too long")


class _Generation(jinja2.ext.Extension):
    """`{% generation %}` marks what the assistant wrote; here it only yields its body."""

    tags = {"generation"}  # noqa: RUF012 - jinja2 declares it as an instance attribute

    def parse(self, parser: jinja2.parser.Parser) -> jinja2.nodes.Node:
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return jinja2.nodes.CallBlock(self.call_method("_body"), [], [], body).set_lineno(line)

    def _body(self, caller: Macro) -> str:
        return caller()


class _Namespace(jinja2.utils.Namespace):
    """`namespace(...)` without names that start with an underscore."""

    def __init__(*args: Any, **kwargs: Any) -> None:
        self, *rest = args  # `self` is a name that a template may use
        attributes = dict(*rest, **kwargs)
        for name in attributes:
            _refuse_private(name)
        jinja2.utils.Namespace.__init__(self, attributes)

    def __setitem__(self, name: str, value: Any) -> None:
        _refuse_private(name)
        super().__setitem__(name, value)


def _refuse_private(name: object) -> None:
    if isinstance(name, str) and name.startswith("_"):
        raise jinja2.exceptions.SecurityError(f"namespace names cannot start with '_': {name!r}")


class _Empty(jinja2.ChainableUndefined):
    """An absent variable as llama.cpp sees it: added to a text, it is empty."""

    def __add__(self, *args: Any, **kwargs: Any) -> Any:
        (other,) = args
        return other if isinstance(other, str) else self._fail_with_undefined_error()

    __radd__ = __add__


class _Dict:
    """`dict(...)` and `dict.fromkeys(...)`, and nothing else of the type."""

    def __call__(self, *args: Any, **kwargs: Any) -> dict[Any, Any]:
        return dict(*args, **kwargs)

    def fromkeys(self, *args: Any) -> dict[Any, Any]:
        return dict.fromkeys(*args)


def _tojson(
    value: Any,
    ensure_ascii: bool = False,
    indent: int | str | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    """Plain JSON: unlike jinja2's own filter it escapes nothing for HTML."""
    import json

    return json.dumps(
        value,
        ensure_ascii=ensure_ascii,
        indent=indent,
        separators=separators,
        sort_keys=sort_keys,
    )


def _raise_exception(message: object) -> NoReturn:
    raise jinja2.exceptions.TemplateError(message if message is None else str(message))


def _clock(now: datetime | None) -> Callable[[str], str]:
    def strftime_now(format: str) -> str:
        return (now or datetime.now()).strftime(format)

    return strftime_now


def make_environment(now: datetime | None = None, *, lenient: bool = False) -> jinja2.Environment:
    """A sandbox with what transformers offers to chat templates.

    Args:
        now: what `strftime_now` takes for the time; None for the true one.
        lenient: take absent variables and their attributes for empty, as llama.cpp does.
    """
    environment = _Environment(
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=_Empty if lenient else jinja2.Undefined,
        extensions=[_Generation, jinja2.ext.loopcontrols],
    )
    environment.filters["tojson"] = _tojson
    environment.globals.update(
        raise_exception=_raise_exception,
        strftime_now=_clock(now),
        dict=_Dict(),
        namespace=_Namespace,
    )
    return environment


def parsed_line(traceback: TracebackType | None) -> int | None:
    """The line that the parser had reached when an error ended it, from the error's traceback."""
    while traceback:
        parser = traceback.tb_frame.f_locals.get("self")
        if isinstance(parser, jinja2.parser.Parser):
            # It only moves forward: the outermost frame knows where the innermost one is.
            stream = getattr(parser, "stream", None)  # not there before the first token
            return None if stream is None else stream.current.lineno
        traceback = traceback.tb_next
    return None
