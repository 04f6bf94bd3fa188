"""``recover``: finish or undo an edit in place that was cut short."""

from __future__ import annotations

import click

from .shared.messages import note
from .shared.options import file_argument, json_option
from .shared.output import print_json, report_done

_EPILOG = """\b
Examples:
  gguf-construct recover m.gguf
  gguf-construct recover m.gguf --json

\b
An edit in place first saves the bytes it will overwrite in a journal, a hidden file beside FILE.
If a kill or a power cut leaves the journal behind, reading verbs show FILE as it was before the
edit, and writing verbs recover it first; this verb does nothing else. Afterwards FILE has all of
the edit or none of it. Without a journal nothing happens."""


@click.command("recover", epilog=_EPILOG)
@file_argument
@click.option(
    "--force",
    is_flag=True,
    help="Put the old bytes back even if something else has changed FILE since.",
)
@json_option
def command(file: str, force: bool, as_json: bool) -> None:
    """Bring FILE back into one piece after an edit that was cut short."""
    from ..render.plan_text import recovery_text
    from ..storage.inplace.recover import recover
    from ..storage.source.source import open_source

    result = recover(file, force=force)
    open_source(file).close()  # a mistyped name has no journal either
    report_done(recovery_text(result))
    if as_json:
        done = {"action": result.action, "bytes_written": result.nbytes_written}
        print_json({"path": file, **done})
    note(recovery_text(result))
