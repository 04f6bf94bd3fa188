"""The folder of a manifest, in memory."""

from __future__ import annotations

from gguf_construct.errors import BuildError


class MemoryFiles:
    """Files by path; each becomes a source when it is located."""

    def __init__(self, **files: bytes) -> None:
        self.files = {name.replace("__", "."): data for name, data in files.items()}
        self.sources: list[bytes] = []

    def read(self, path: str) -> bytes:
        return self._file(path)

    def head(self, path: str, nbytes: int) -> bytes:
        return self._file(path)[:nbytes]

    def locate(self, path: str) -> tuple[int, int]:
        self.sources.append(self._file(path))
        return len(self.sources) - 1, len(self.sources[-1])

    def _file(self, path: str) -> bytes:
        if path not in self.files:
            raise BuildError(f"no file {path}", hint="put it there")
        return self.files[path]
