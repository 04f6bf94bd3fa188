"""Entry point: the list of verbs, and how errors become messages and exit codes.

Strategy: a verb's module is imported only when it is called; `--help` reads the table below.
"""

from __future__ import annotations

import gc
import io
import os
import sys
import warnings
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import click

from .._version import __version__
from ..errors import UnfinishedEditWarning
from .shared.exit_codes import EXPLAINED, FINE, decide, verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

_GARBAGE_FROM = 50_000  # new objects until the next collection

SECTIONS: dict[str, dict[str, str]] = {
    "Look": {
        "show": "Summary, metadata and tensors of a file.",
        "get": "Print one metadata value, raw.",
        "tensors": "List the tensors, with totals by type.",
        "tensor": "One tensor: statistics, a block by hand, export, compare.",
        "map": "Explain every byte of a file.",
        "hash": "Hash each tensor, each key and the content as a whole.",
        "diff": "Compare two files, or a file with its upstream folder.",
    },
    "Edit": {
        "set": "Set metadata keys.",
        "unset": "Remove metadata keys.",
        "rename": "Rename a metadata key.",
        "edit": "Edit the metadata as text in your editor.",
        "token": "Find and set special tokens by text.",
        "template": "Show, set, render and check chat templates.",
    },
    "Convert": {
        "convert": "Change byte order or format version.",
        "repack": "Lay the data section out again.",
        "export": "Write a readable manifest and the tensor blobs.",
        "build": "Build a file from a manifest.",
    },
    "Check": {
        "validate": "Say what is wrong with files, where, and what to do.",
        "repair": "Fix what can be fixed safely, to a new file.",
        "recover": "Finish or undo an edit that was cut short.",
    },
    "About": {
        "spec": "Print the schema of the format.",
        "demo": "Show, edit, convert and validate a sample model.",
        "completion": "Print the completion script for your shell.",
    },
}

_VERBS = {name: text for verbs in SECTIONS.values() for name, text in verbs.items()}


class _Verbs(click.Group):
    """A group whose commands are imported one at a time."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        from importlib import import_module

        if cmd_name not in _VERBS:
            return None
        module = import_module(f".{cmd_name}", __package__)
        command: click.Command = module.command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in _VERBS and not args[0].startswith("-"):
            from difflib import get_close_matches

            close = get_close_matches(args[0], list(_VERBS), n=3, cutoff=0.5)
            advice = f" Did you mean {' or '.join(close)}?" if close else ""
            ctx.fail(f"No such verb {args[0]!r}.{advice}")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        from ..errors import GGUFError

        try:
            return super().invoke(ctx)
        except GGUFError as error:
            # Caught here because click takes an EOFError, which TruncatedError is, for an
            # aborted dialogue.
            from .shared.messages import report_error

            return report_error(error)
        except BrokenPipeError:
            # Here as well: click exits with 1, which is our code for findings.
            return _leave_pipe()

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, verbs in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl(list(verbs.items()))


_EPILOG = f"""\b
Examples:
  gguf-construct show model.gguf
  gguf-construct get model.gguf tokenizer.chat_template > template.jinja
  gguf-construct set model.gguf -o fixed.gguf tokenizer.chat_template=@template.jinja

\b
Every verb has --help with examples. Data goes to stdout, messages to stderr.
{EXPLAINED}"""


@click.group(
    cls=_Verbs,
    name="gguf-construct",
    epilog=_EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="gguf-construct")
def cli() -> None:
    """Inspect, edit, convert and validate GGUF model files, byte for byte."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit."""
    # What a verb makes it needs to the end; looking for garbage meanwhile took 4 ms of a `set`.
    gc.set_threshold(_GARBAGE_FROM)
    code = run(list(sys.argv[1:] if arguments is None else arguments))
    with suppress(OSError, ValueError):  # closed streams have nothing to flush
        sys.stdout.flush()
        sys.stderr.flush()
    if sys.gettrace() is not None:
        sys.exit(code)  # a debugger or a coverage tool wants to end in order
    # Every file is closed by now; taking the interpreter apart costs more than many a verb.
    os._exit(code)


def run(arguments: list[str]) -> int:
    """Run the command line and return its exit code."""
    _open_standard_streams()
    with warnings.catch_warnings():
        show = warnings.showwarning

        def show_ours(message: Warning | str, category: type[Warning], *where: Any) -> None:
            if not issubclass(category, UnfinishedEditWarning):
                show(message, category, *where)
                return
            from .shared.messages import warn

            warn(str(message))

        warnings.showwarning = show_ours  # type: ignore[assignment]  # called by position
        warnings.filterwarnings("always", category=UnfinishedEditWarning)
        return _run(arguments)


def _open_standard_streams() -> None:
    """Make the standard streams fit for use: none closed (``>&-``, a service), all texts taken."""
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            from ..storage.write.small_files import open_nowhere

            setattr(sys, name, open_nowhere())
    stream = sys.stdout
    if not isinstance(stream, io.TextIOWrapper) or stream.encoding.lower() == "utf-8":
        return
    # Vocabularies hold every script. Files and pipes get UTF-8, as JSON has to be; a terminal, or
    # the console of Windows, what it can show.
    if stream.isatty():
        stream.reconfigure(errors="backslashreplace")
    else:
        stream.reconfigure(encoding="utf-8")


def _leave_pipe() -> int:
    """Whoever read our output has seen enough, as in `gguf-construct show m.gguf | head`."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return verdict()


def _run(arguments: list[str]) -> int:
    from .shared.messages import report_error
    from .shared.output import flush

    decide(FINE)
    try:
        result = cli.main(arguments, prog_name="gguf-construct", standalone_mode=False)
        flush()
        return result if isinstance(result, int) else FINE
    except BrokenPipeError:
        return _leave_pipe()
    except Exception as error:
        return report_error(error)
    except KeyboardInterrupt:
        return report_error(KeyboardInterrupt())


if __name__ == "__main__":
    main()
