"""Options and arguments that several verbs share."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from .._generated.types import Limits

__all__ = [
    "complete_key",
    "file_argument",
    "json_option",
    "limits_option",
    "output_options",
    "quiet_option",
    "read_limits",
]

F = TypeVar("F", bound=Callable[..., Any])


def file_argument(name: str = "file") -> Callable[[F], F]:
    """The file to work on; always the first argument."""
    return click.argument(name, type=click.Path(), metavar="FILE")


def json_option(function: F) -> F:
    """``--json``: one JSON document on stdout."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")(
        function
    )


def quiet_option(function: F) -> F:
    """``--quiet``: no progress bar and no report."""
    return click.option("-q", "--quiet", is_flag=True, help="No progress bar, no report.")(function)


def limits_option(function: F) -> F:
    """``--limits``: change a safety limit of the reader."""
    return click.option(
        "--limits",
        multiple=True,
        metavar="NAME=N",
        help="Change a safety limit, such as max_array_depth=16. Repeatable.",
    )(function)


def output_options(function: F) -> F:
    """``-o``, ``-i``, ``--force``, ``--yes``, ``--quiet``, ``--json`` of a verb that writes."""
    for option in (
        json_option,
        quiet_option,
        click.option("-y", "--yes", is_flag=True, help="Go ahead where a warning would ask."),
        click.option("-f", "--force", is_flag=True, help="Overwrite an existing OUT."),
        click.option("-i", "--in-place", is_flag=True, help="Change FILE itself, safely."),
        click.option("-o", "--output", type=click.Path(), metavar="OUT", help="Write to OUT."),
    ):
        function = option(function)
    return function


def read_limits(settings: tuple[str, ...]) -> Limits | None:
    """The limits that ``--limits`` asks for, or None for the defaults."""
    if not settings:
        return None
    from .._generated.types import LIMITS

    chosen: dict[str, int] = {}
    for setting in settings:
        for part in setting.split(","):
            name, equals, number = part.partition("=")
            if not equals or name not in LIMITS._fields:
                known = ", ".join(LIMITS._fields)
                raise click.UsageError(f"--limits takes NAME=N; the names are {known}")
            try:
                chosen[name] = int(number, 0)
            except ValueError as error:
                raise click.UsageError(f"--limits {name}: {number!r} is no number") from error
    return LIMITS._replace(**chosen)


def complete_key(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Shell completion of a metadata key, from the file that was named before it."""
    from ..model import open_model

    path = ctx.params.get("file")
    if not path:
        return []
    try:
        with open_model(path) as model:
            return [key for key in model.metadata if key.startswith(incomplete)]
    except (OSError, ValueError):
        return []
