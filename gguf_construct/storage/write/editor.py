"""Let a person edit a text in their own editor, by way of a private file."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import tempfile

from ...errors import EditError

_PRIVATE = 0o600


def editor_command() -> list[str]:
    """The person's editor: $VISUAL, else $EDITOR, else what the system has."""
    for name in ("VISUAL", "EDITOR"):
        command = os.environ.get(name, "").strip()
        if command:
            return shlex.split(command, posix=os.name != "nt")
    if os.name == "nt":
        return ["notepad"]
    return [next((name for name in ("nano", "vim") if shutil.which(name)), "vi")]


class EditorFile:
    """A text in a private file.

    Attributes:
        path: the file.
        is_kept: whether it stays when the block is left, so that no work is lost.
    """

    def __init__(self, name: str) -> None:
        """`name` is what the editor shows, and tells it the language."""
        self._folder = tempfile.mkdtemp(prefix="gguf-construct-")
        self.path = os.path.join(self._folder, name)
        self.is_kept = False

    def edit(self, text: str) -> str:
        """Show the text and return what it is when the editor has been left.

        Raises:
            EditError: the editor cannot be started or failed, or left no UTF-8.
        """
        fd = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, _PRIVATE)
        with open(fd, "wb") as file:
            file.write(text.encode("utf-8", "surrogateescape"))
        command = editor_command()
        try:
            done = subprocess.run([*command, self.path], check=False)
        except OSError as error:
            raise EditError(
                f"the editor {command[0]!r} cannot be started: {error.strerror}",
                hint="set VISUAL or EDITOR to your editor",
            ) from error
        if done.returncode:
            raise EditError(
                f"the editor {command[0]!r} failed ({done.returncode}): nothing written"
            )
        try:
            with open(self.path, "rb") as file:
                return file.read().decode("utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            self.is_kept = isinstance(error, UnicodeDecodeError)
            raise EditError(f"what the editor left cannot be read: {error}") from error

    def __enter__(self) -> EditorFile:
        return self

    def __exit__(self, *_: object) -> None:
        if not self.is_kept:
            shutil.rmtree(self._folder, ignore_errors=True)
