"""``edit``: the metadata as text in the person's own editor."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

from ..errors import EditError, GGUFError
from .shared.editing import ANY_KEY, editing
from .shared.messages import note
from .shared.options import (
    file_argument,
    force_type_option,
    force_value_option,
    limits_option,
    writing_options,
)
from .shared.writing import report_nothing

if TYPE_CHECKING:
    from .._generated.types import Limits
    from ..editing.changes import Change
    from ..model import Model
    from ..storage.write.editor import EditorFile
    from .shared.options import Writing

_EPILOG = """\b
Examples:
  gguf-construct edit model.gguf -i
  EDITOR="code --wait" gguf-construct edit model.gguf -o fixed.gguf

\b
The editor is $VISUAL or $EDITOR. Values have their types as tags, long arrays are folded to
!keep. An error opens the editor again with the message above its line; leaving it unchanged
gives up. The changes are shown and written only after a yes (--yes answers it)."""


@click.command("edit", epilog=_EPILOG)
@file_argument
@force_type_option
@force_value_option
@writing_options()
@limits_option
def command(
    file: str, force_type: bool, force_value: bool, writing: Writing, limits: Limits | None
) -> None:
    """Edit the metadata of FILE as YAML."""
    from ..storage.write.editor import EditorFile

    is_sure = writing.yes or writing.dry_run
    name = f"{os.path.basename(file)}.metadata.yaml"
    with editing(file, ANY_KEY, writing, limits) as edit:
        if not is_sure and not _is_interactive():
            raise click.UsageError("nobody can be asked here: pass --yes to go ahead")
        with EditorFile(name) as editor:
            try:
                changes = _edit(edit.model, editor, force_value, force_type, is_sure)
            finally:
                if editor.is_kept:
                    note(f"your text is kept in {editor.path}")
            if changes:
                edit.save(changes)
            else:
                report_nothing(edit.target.path, [], writing)


def _is_interactive() -> bool:
    return sys.stdin.isatty()


def _edit(
    model: Model, editor: EditorFile, force: bool, force_type: bool, yes: bool
) -> list[Change]:
    """Edit until the text is right and the person says yes; nothing if it was left unchanged."""
    from ..api import apply_text
    from ..manifest.edit_text import annotate, metadata_text

    shown = metadata_text(model)
    is_first = True
    before = model.metadata.snapshot()
    while True:
        text = editor.edit(shown)
        if text == shown:
            if is_first:
                return []
            raise EditError("the text still has its error: nothing was written")
        is_first = False
        editor.is_kept = True
        try:
            changes = apply_text(model, text, force=force, force_type=force_type)
        except GGUFError as error:
            note(f"{error.path or 'error'}: {error.message}")
            shown = annotate(text, error)
            continue
        if not changes or yes or _is_confirmed(changes):
            editor.is_kept = False
            return changes
        model.metadata.restore(before)
        shown, is_first = text, True


def _is_confirmed(changes: list[Change]) -> bool:
    """Show the changes and ask: True to write, False to edit again.  Raises Abort for a no."""
    from ..render.diff_text import change_lines

    for line in change_lines(changes):
        note(line)
    answer = click.prompt(
        "Write these changes? (yes, no, edit)",
        type=click.Choice(["y", "n", "e", "yes", "no", "edit"]),
        show_choices=False,
        err=True,
    )
    if answer[0] == "n":
        raise EditError("you said no: nothing was written")
    return bool(answer[0] == "y")
