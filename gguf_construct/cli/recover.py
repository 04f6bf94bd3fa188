"""``recover``: finish or undo an edit in place that was cut short."""

from __future__ import annotations

import click

from .shared.messages import note
from .shared.options import file_argument, json_option

__all__ = ["command"]

_EPILOG = """\b
Examples:
  gguf-construct recover m.gguf
  gguf-construct recover m.gguf --json

\b
An edit in place first saves the bytes that it will destroy in a hidden file beside FILE, the
journal. If a kill or a power cut leaves one behind, reading verbs show FILE as it was before,
writing verbs recover it by themselves, and this verb does only that. All or nothing of the
edit remains. Without a journal nothing happens."""


@click.command("recover", epilog=_EPILOG)
@file_argument()
@click.option(
    "--force",
    is_flag=True,
    help="Put the old bytes back even if FILE was changed by something else since.",
)
@json_option
def command(file: str, force: bool, as_json: bool) -> None:
    """Bring FILE back into one piece after an edit that was cut short."""
    from ..render.plan_text import recovery_text
    from ..storage.inplace.recover import recover
    from ..storage.source.source import open_source

    result = recover(file, force=force)
    open_source(file).close()  # a mistyped name has no journal either
    if as_json:
        from ..render.json_text import SCHEMA, dump

        told = {"action": result.action, "bytes_written": result.nbytes_written}
        click.echo(dump({"schema": SCHEMA, "path": file, **told}))
    note(recovery_text(result))
