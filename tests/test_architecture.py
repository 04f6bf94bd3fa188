"""The shape of the code: layers, places for side effects, and no second copy of the layout."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

from tests.support import source_rules as rules

REPOSITORY = Path(__file__).resolve().parents[1]
PACKAGE = REPOSITORY / "gguf_construct"
GENERATED = REPOSITORY / "generated"


def python_files(folder: Path) -> list[Path]:
    """The hand-written modules below `folder`: the link to generated/ is not followed."""
    files = [path for path in sorted(folder.rglob("*.py")) if "_generated" not in path.parts]
    assert files, f"no Python files in {folder}"
    return files


def parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def layer_of(path: Path) -> str:
    """The part of the package that a file belongs to; empty for the facade."""
    first = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    return "" if first in {"__init__", "__main__"} else first


def package_of(path: Path) -> tuple[str, ...]:
    """The package that relative imports of a file start from."""
    return path.relative_to(REPOSITORY).parent.parts


def found(problems: list[tuple[Path, str]]) -> list[str]:
    return [f"{path.relative_to(REPOSITORY)}:{problem}" for path, problem in problems]


OURS = python_files(PACKAGE)
WRITTEN_BY_HAND = [
    *OURS,
    *(
        path
        for name in ("tools", "tests", "bench")
        if (REPOSITORY / name).is_dir()
        for path in python_files(REPOSITORY / name)
    ),
]


def test_every_part_has_a_layer() -> None:
    assert {layer_of(path) for path in OURS} - {""} <= set(rules.LAYERS)


def test_imports_go_one_way() -> None:
    problems = [
        (path, problem)
        for path in OURS
        if layer_of(path)
        for problem in rules.upward_imports(parse(path), package_of(path), layer_of(path))
    ]
    assert found(problems) == []


def test_the_package_does_not_import_build_tools() -> None:
    problems = [
        (path, f"{line}: {name}")
        for path in OURS
        for line, name in rules.imported_modules(parse(path), package_of(path))
        if name.split(".")[0] in {"tools", "tests", "bench", "generated"}
    ]
    assert found(problems) == []


def test_files_are_touched_in_storage_only() -> None:
    problems = [
        (path, problem)
        for path in OURS
        if layer_of(path) not in {"storage", ""}
        for problem in rules.file_calls(parse(path))
    ]
    assert found(problems) == []


def test_only_the_command_line_prints() -> None:
    """Programs that we start as children (`child.py`) answer on their standard output."""
    problems = [
        (path, problem)
        for path in OURS
        if layer_of(path) != "cli" and path.stem != "child"
        for problem in rules.printing(parse(path))
    ]
    assert found(problems) == []


def test_the_layout_is_stated_in_the_schema_only() -> None:
    problems = [(path, problem) for path in OURS for problem in rules.layout_constants(parse(path))]
    assert found(problems) == []


def test_generated_code_imports_relatively() -> None:
    allowed = {*sys.stdlib_module_names, "numpy", "construct"}
    files = [path for path in python_files(GENERATED) if path.parent.name != "kaitai"]
    problems = [
        (path, problem) for path in files for problem in rules.foreign_imports(parse(path), allowed)
    ]
    assert found(problems) == []


def test_files_and_functions_are_short() -> None:
    long_files = [
        (path, f" {count} lines")
        for path in WRITTEN_BY_HAND
        if (count := len(path.read_text(encoding="utf-8").splitlines())) > 400
    ]
    functions = [
        (path, problem)
        for path in WRITTEN_BY_HAND
        for problem in rules.long_functions(parse(path), 80)
    ]
    assert found(long_files + functions) == []


def test_modules_say_what_they_are_for() -> None:
    problems = [(path, " no docstring") for path in WRITTEN_BY_HAND if not has_docstring(path)]
    assert found(problems) == []


def has_docstring(path: Path) -> bool:
    return ast.get_docstring(parse(path)) is not None


def test_modules_postpone_annotations() -> None:
    line = "from __future__ import annotations"
    problems = [
        (path, f" no {line}")
        for path in WRITTEN_BY_HAND
        if line not in path.read_text(encoding="utf-8")
    ]
    assert found(problems) == []


BREAKING = [
    (rules.file_calls, "open('x')"),
    (rules.file_calls, "import mmap"),
    (rules.file_calls, "from tempfile import mkstemp"),
    (rules.file_calls, "os.replace(a, b)"),
    (rules.file_calls, "from os import fsync"),
    (rules.file_calls, "Path(x).write_bytes(b'')"),
    (rules.printing, "print(1)"),
    (rules.printing, "click.echo(1)"),
    (rules.printing, "console.print(table)"),
    (rules.printing, "sys.stderr.write('x')"),
    (rules.layout_constants, "x = b'GGUF'"),
    (rules.layout_constants, "x = b'GGUF\\x03\\0\\0\\0'"),
    (rules.layout_constants, "x = 0x46554747"),
    (rules.layout_constants, "alignment = 32"),
    (rules.layout_constants, "def f(data, *, alignment: int = 32) -> None: ..."),
    (rules.layout_constants, "x = metadata.get('general.alignment', 32)"),
    (rules.layout_constants, "x = plan(alignment=32)"),
    (rules.layout_constants, "x = alignment or 32"),
    (rules.layout_constants, "if value_type == 8: pass"),
    (rules.layout_constants, "if info.type in (4, 5): pass"),
    (rules.layout_constants, "x = ValueType(8)"),
    (rules.layout_constants, "QK_K = 256"),
    (rules.layout_constants, "block_nbytes = 18"),
]

KEEPING = [
    (
        rules.file_calls,
        "os.fspath(x); os.open(os.devnull, 1); os.environ['A']; document.rename('a', 'b')",
    ),
    (rules.printing, "text = render(table); words = error.stderr"),
    (rules.layout_constants, "x = MAGIC[::-1]; alignment = DEFAULT_ALIGNMENT; y = values[:32]"),
    (rules.layout_constants, "x = b'GGUF.version'"),
    (rules.layout_constants, "if value_type == ValueType.STRING and len(x) == 2: pass"),
]


@pytest.mark.parametrize(("rule", "source"), BREAKING)
def test_a_rule_sees_what_breaks_it(rule: rules.Rule, source: str) -> None:
    assert list(rule(ast.parse(source)))


@pytest.mark.parametrize(("rule", "source"), KEEPING)
def test_a_rule_lets_the_rest_pass(rule: rules.Rule, source: str) -> None:
    assert list(rule(ast.parse(source))) == []


@pytest.mark.parametrize(
    "source",
    [
        "from ..storage import write",
        "from gguf_construct.cli import main",
        "import gguf_construct.planning",
    ],
)
def test_an_upward_import_is_seen(source: str) -> None:
    assert list(rules.upward_imports(ast.parse(source), ("gguf_construct", "core"), "core"))


def test_a_downward_or_type_only_import_passes() -> None:
    source = "from .. import errors\nif TYPE_CHECKING:\n    from ..storage import write"
    assert not list(rules.upward_imports(ast.parse(source), ("gguf_construct", "core"), "core"))
