"""Options and arguments that several verbs share."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..._generated.types import Limits
    from ...planning.options import SaveOptions

F = TypeVar("F", bound=Callable[..., Any])

# Only opening a file shows whether it may be read: exit code 4, where click's check says 2.
PATH = click.Path(readable=False)


class _NewFile(click.Path):
    """A file to write; not standard output, because a finished file is renamed into place."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == "-":
            self.fail("a model cannot go to standard output; write ./- for a file called -")
        if os.fspath(value).endswith(("/", os.sep)):
            self.fail(f"{value!r} names a folder; name the file in it")
        return super().convert(value, param, ctx)


NEW_FILE = _NewFile(readable=False)


file_argument = click.argument("file", type=PATH, metavar="FILE")
"""The file to work on; always the first argument."""

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
quiet_option = click.option("-q", "--quiet", is_flag=True, help="No progress bar, no report.")
force_option = click.option("-f", "--force", is_flag=True, help="Overwrite an existing OUT.")
force_type_option = click.option(
    "--force-type", is_flag=True, help="Allow a type that readers do not expect."
)
force_value_option = click.option(
    "--force-value", is_flag=True, help="Allow a value that would break the model."
)


def _limits(ctx: click.Context, param: click.Parameter, settings: Sequence[str]) -> Limits | None:
    """The limits that the settings ask for, or None for the defaults."""
    if not settings:
        return None
    from ..._generated.types import LIMITS

    chosen: dict[str, int] = {}
    for part in ",".join(settings).split(","):
        name, equals, number = part.partition("=")
        if not equals or name not in LIMITS._fields:
            known = ", ".join(LIMITS._fields)
            raise click.UsageError(f"--limits takes NAME=N; the names are {known}")
        try:
            chosen[name] = int(number, 0)
        except ValueError as error:
            raise click.UsageError(f"--limits {name}: {number!r} is not a number") from error
    return LIMITS._replace(**chosen)


limits_option = click.option(
    "--limits",
    multiple=True,
    callback=_limits,
    metavar="NAME=N",
    help="Change a safety limit, such as max_array_depth=16. Repeatable.",
)


class Writing(NamedTuple):
    """Where and how a verb writes; the options of `writing_options` in one piece.

    Attributes:
        output: the file to write, or None.
        in_place: change the file itself.
        yes: go ahead where a warning would ask.
        quiet: no progress bar and no report.
        as_json: report as one JSON document on stdout.
        dry_run: only show what would be written.
        save: how it is saved.
    """

    output: str | None
    in_place: bool
    yes: bool
    quiet: bool
    as_json: bool
    dry_run: bool
    save: SaveOptions


def _size(ctx: click.Context, param: click.Parameter, value: str | None) -> int | None:
    """A number of bytes such as 4096, 64KiB or 1MiB."""
    if value is None:
        return None
    from ...render.sizes import parse_size

    try:
        return parse_size(value)
    except ValueError as error:
        raise click.BadParameter(str(error), ctx, param) from error


def _reserve_setting() -> int | None:
    """What the user wants kept free wherever an edit moves the data section; None for nothing."""
    text = os.environ.get(_RESERVE_SETTING)
    if not text:
        return None
    from ...render.sizes import parse_size

    try:
        return parse_size(text)
    except ValueError as error:
        raise click.UsageError(f"{_RESERVE_SETTING}: {error}") from error


_RESERVE_SETTING = "GGUF_CONSTRUCT_RESERVE"

_VERIFY = click.option(
    "--verify",
    type=click.Choice(["none", "header", "full", "kaitai"]),
    default="header",
    show_default=True,
    help="Check the result before it counts: read the header again; compare the hash of every "
    "tensor too; read it with the independent Kaitai reader (slow).",
)
_SYNC = click.option(
    "--sync",
    is_flag=True,
    help="Wait until a new OUT is on the disk (a file that is replaced or changed always is).",
)
_HOW = (
    click.option(
        "--strategy",
        type=click.Choice(["auto", "in-place", "insert", "replace", "new-file"]),
        default="auto",
        show_default=True,
        help="How to change the file; refused where that is impossible.",
    ),
    click.option(
        "--reserve",
        callback=_size,
        metavar="SIZE",
        help="Keep SIZE (64KiB, 1MiB) free for later edits, in a padding key; 0 removes it.",
    ),
)
_SAVING = ("strategy", "reserve", "verify", "sync")
_WHERE = (
    click.option("-o", "--output", type=NEW_FILE, metavar="OUT", help="Write to OUT."),
    click.option("-i", "--in-place", is_flag=True, help="Change FILE itself, safely."),
    force_option,
    click.option("-n", "--dry-run", is_flag=True, help="Show what would be written, and stop."),
    click.option("-y", "--yes", is_flag=True, help="Go ahead where a warning would ask."),
)


def writing_options(*, keeps_data: bool = True) -> Callable[[F], Callable[..., Any]]:
    """The options of a verb that writes, handed to it as one argument, `writing`.

    Args:
        keeps_data: the verb may leave the data section where it is, so that there is a choice
            of strategies, and room to reserve.
    """
    options = (*_WHERE, *(_HOW if keeps_data else ()), _VERIFY, _SYNC, quiet_option, json_option)

    def decorate(function: F) -> Callable[..., Any]:
        @functools.wraps(function)
        def packed(*arguments: Any, **named: Any) -> Any:
            from ...planning.options import SaveOptions

            how = {name: named.pop(name) for name in _SAVING if name in named}
            where = {name: named.pop(name) for name in Writing._fields if name in named}
            if where["in_place"] or where["dry_run"]:
                how["reserve_if_moved"] = _reserve_setting()
            options = SaveOptions(overwrite=named.pop("force"), **{"strategy": "auto", **how})
            return function(*arguments, writing=Writing(**where, save=options), **named)

        command: Any = packed
        for option in reversed(options):
            command = option(command)
        return packed

    return decorate


def complete_key(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Shell completion of a metadata key, from the file that was named before it."""
    from ...model import open_model

    path = ctx.params.get("file")
    if not path:
        return []
    try:
        with open_model(path) as model:
            return [key for key in model.metadata if key.startswith(incomplete)]
    except (OSError, ValueError):
        return []
