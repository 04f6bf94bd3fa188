"""Render everything in generated/ from spec/, then write it or compare it.

    python -m tools.generate            write what changed, remove stray files
    python -m tools.generate --check    change nothing; print a diff and exit 1 on any drift

All text is rendered in memory first, so a schema error leaves generated/ as it was.
"""

from __future__ import annotations

import argparse
import difflib
import hashlib
import sys
from contextlib import suppress
from pathlib import Path

from tools.emit import StaleKaitaiError, render_all, render_kaitai
from tools.ksc.compiler import KscError
from tools.ksc.install import KscMissing, ensure_compiler
from tools.ksy.errors import Place, SchemaError

REPOSITORY = Path(__file__).resolve().parents[1]
SPEC = REPOSITORY / "spec"
GENERATED = REPOSITORY / "generated"


def spec_hash(*names: str) -> str:
    """One sha256 over the named files of spec/."""
    digest = hashlib.sha256()
    for name in sorted(names):
        digest.update(name.encode() + b"\0" + (SPEC / name).read_bytes() + b"\0")
    return digest.hexdigest()


def render() -> dict[str, str]:
    """Path below generated/ to text, for every file but the Kaitai readers."""

    def read(name: str) -> str:
        path = SPEC / name
        if not path.is_file():
            raise FileNotFoundError(f"spec/{name} is not there")
        data = path.read_bytes()
        try:
            return data.decode("utf-8").replace("\r\n", "\n")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            raise SchemaError(Place(name, line), "not UTF-8") from error

    return render_all(read, spec_hash)


def drift(wanted: dict[str, str], folder: Path) -> list[str]:
    """Unified diffs of the files that differ from `wanted`, and of stray ones."""
    found = []
    present = _present(folder)
    for name in sorted(present | set(wanted)):
        old = _read(folder / name) if (folder / name).is_file() else ""
        new = wanted.get(name, "")
        if name not in wanted:
            found.append(f"generated/{name}: stray file, no part of the output\n")
        elif old != new or name not in present:
            lines = difflib.unified_diff(
                old.splitlines(True), new.splitlines(True), f"generated/{name}", "from spec/"
            )
            found.append("".join(lines) or f"generated/{name}: missing\n")
    return found


def _present(folder: Path) -> set[str]:
    """All files below generated/, links that lead nowhere among them."""
    return {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if (path.is_file() or path.is_symlink()) and "__pycache__" not in path.parts
    }


def _read(path: Path) -> str:
    # newline="" so that a file with CRLF shows up as drift too.
    with path.open(encoding="utf-8", errors="replace", newline="") as stream:
        return stream.read()


def write(wanted: dict[str, str], folder: Path, keep: str = "") -> list[str]:
    """Write the files that changed and remove stray ones, but for those below `keep`."""
    changed = []
    for name, text in wanted.items():
        path = folder / name
        if not path.is_file() or _read(path) != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
            changed.append(name)
    for name in sorted(_present(folder) - set(wanted)):
        if keep and name.startswith(f"{keep}/"):
            continue
        (folder / name).unlink()
        changed.append(f"{name} (removed)")
    return changed


def main(arguments: list[str] | None = None) -> int:
    """Run the generator; the exit code is 1 on drift and 2 on a schema error."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.generate",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--check", action="store_true", help="compare, print a diff, write nothing")
    options = parser.parse_args(arguments)
    try:
        wanted = render()
    except (SchemaError, FileNotFoundError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1 if options.check else 2
    return _check(wanted) if options.check else _update(wanted)


def _check(wanted: dict[str, str]) -> int:
    problem = None
    try:
        wanted |= render_kaitai(SPEC, GENERATED, spec_hash)
    except (StaleKaitaiError, KscError) as error:
        # Use whatever is there now, so that the diff of the other files is still shown.
        problem = str(error)
        folder = GENERATED / "kaitai"
        wanted |= {
            f"kaitai/{path.name}": _read(path) for path in folder.glob("*") if path.is_file()
        }
    differences = drift(wanted, GENERATED)
    sys.stdout.write("\n".join(differences))
    if problem:
        print(f"error: {problem}", file=sys.stderr)
    if differences or problem:
        print("generated/ drifts from spec/: run python -m tools.generate", file=sys.stderr)
        return 1
    return 0


def _update(wanted: dict[str, str]) -> int:
    try:
        with suppress(KscMissing):
            ensure_compiler()
        wanted |= render_kaitai(SPEC, GENERATED, spec_hash)
    except (StaleKaitaiError, KscError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    for name in write(wanted, GENERATED):
        print(f"wrote generated/{name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
