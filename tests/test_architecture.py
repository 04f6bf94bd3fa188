"""The shape of the code: who imports whom, where side effects are, one copy of the layout."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

from tests.support import import_rules as imports
from tests.support import source_rules as rules
from tests.support.mirror import WITHOUT_MATCH, WITHOUT_TEST_FILE

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


def folder_of(path: Path) -> str:
    """The folder of the package that a file belongs to; empty for the facade."""
    first = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    return "" if first in {"__init__", "__main__"} else first


def module_of(path: Path) -> str:
    """The dotted name of a module."""
    parts = path.relative_to(REPOSITORY).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


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


TABLE = imports.parse_table((REPOSITORY / "docs/architecture.md").read_text(encoding="utf-8"))


def test_the_table_names_what_is_there() -> None:
    there = {folder_of(path) for path in OURS} - {""}
    assert there - {"__init__"} <= set(TABLE.rows)
    named = {name for row in TABLE.rows.values() for name in row} | set(TABLE.rows)
    for name in named - {imports.EVERYTHING, "every folder", "_generated"}:
        assert (PACKAGE / name).is_dir() or (PACKAGE / f"{name}.py").is_file(), name


def test_imports_follow_the_table() -> None:
    problems = [
        (path, problem)
        for path in OURS
        if folder_of(path)
        for problem in imports.forbidden(parse(path), package_of(path), module_of(path), TABLE)
    ]
    assert found(problems) == []


def test_no_files_import_each_other() -> None:
    modules = {module_of(path): path for path in OURS}
    graph = {
        module: {
            name if name in modules else name.rpartition(".")[0]
            for _, name in imports.imported_modules(parse(path), package_of(path))
        }
        & modules.keys()
        for module, path in modules.items()
    }
    assert sum(map(len, graph.values())) > 500
    assert imports.circles(graph) == []


def test_the_package_does_not_import_build_tools() -> None:
    problems = [
        (path, f"{line}: {name}")
        for path in OURS
        for line, name in imports.imported_modules(parse(path), package_of(path))
        if name.split(".")[0] in {"tools", "tests", "bench", "generated"}
    ]
    assert found(problems) == []


def test_files_are_touched_in_storage_only() -> None:
    problems = [
        (path, problem)
        for path in OURS
        if folder_of(path) not in {"storage", ""}
        for problem in rules.file_calls(parse(path))
    ]
    assert found(problems) == []


def test_only_the_command_line_prints() -> None:
    """Programs that we start as children (`child.py`) answer on their standard output."""
    problems = [
        (path, problem)
        for path in OURS
        if folder_of(path) != "cli" and path.stem != "child"
        for problem in rules.printing(parse(path))
    ]
    assert found(problems) == []


def test_the_layout_is_stated_in_the_schema_only() -> None:
    problems = [(path, problem) for path in OURS for problem in rules.layout_constants(parse(path))]
    assert found(problems) == []


def test_a_new_field_or_version_breaks_nothing_silently() -> None:
    problems = [
        (path, problem) for path in OURS for problem in rules.layout_by_position(parse(path))
    ]
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


IMPORT = "from .._generated.types import Body\n"
BREAKING = [
    (rules.file_calls, "np.memmap(x)"),
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
    (rules.layout_by_position, f"{IMPORT}body = Body(3, 0, 0, [], [])"),
    (rules.layout_by_position, "start, end = body.offsets[1:3]"),
    (rules.layout_by_position, "start = field.record.offsets[0]"),
    (rules.layout_by_position, "x = codec(order).WRITE_ARRAY[VERSIONS[-1]]"),
    (rules.layout_by_position, "x = max(VERSIONS)"),
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
    (rules.layout_by_position, f"{IMPORT}body = Body(version=3); at = strings.offsets[1]"),
    (rules.layout_by_position, "x = WRITTEN_VERSION in VERSIONS; start, end = body.span('x')"),
]


@pytest.mark.parametrize(("rule", "source"), BREAKING)
def test_a_rule_sees_what_breaks_it(rule: rules.Rule, source: str) -> None:
    assert list(rule(ast.parse(source)))


@pytest.mark.parametrize(("rule", "source"), KEEPING)
def test_a_rule_lets_the_rest_pass(rule: rules.Rule, source: str) -> None:
    assert list(rule(ast.parse(source))) == []


FORBIDDEN = [
    ("core.values", "from ..storage.source import source"),
    ("core.values", "from gguf_construct.cli import main"),
    ("core.values", "import gguf_construct.planning.layout"),
    ("core.values", "def f() -> None:\n    from ..storage.write import copying"),
    ("tokens.search", "if TYPE_CHECKING:\n    from ..storage.source.source import Source"),
    ("storage.system.syscalls", "if TYPE_CHECKING:\n    from ...model import Model"),
    ("storage.journal.journal", "from ..inplace.recover import recover"),
    ("storage.source.source", "from ..write.copying import copy"),
    ("storage.save.execute", "if TYPE_CHECKING:\n    from ...model import Model"),
    ("storage.read.hash", "from ...validation.validate import validate"),
    ("model", "from .api import convert"),
    ("render.text", "from ..cli.main import run"),
    ("nowhere.text", "import os"),
]

ALLOWED = [
    ("core.values", "import os\nfrom .. import errors\nfrom ..errors import GGUFError"),
    ("storage.save.execute", "from ...planning.strategy import SavePlan\nfrom .verify import x"),
    ("storage.journal.state", "from ..system.syscalls import pread"),
    ("cli.set", "from ..model import open_model\nfrom ..storage.inplace import recover"),
    ("api", "from .model import Model\nfrom .validation.validate import validate"),
]


def _forbidden(module: str, source: str) -> list[str]:
    package = ("gguf_construct", *module.split(".")[:-1])
    tree = ast.parse(source)
    return list(imports.forbidden(tree, package, f"gguf_construct.{module}", TABLE))


@pytest.mark.parametrize(("module", "source"), FORBIDDEN)
def test_a_forbidden_import_is_seen(module: str, source: str) -> None:
    assert _forbidden(module, source)


@pytest.mark.parametrize(("module", "source"), ALLOWED)
def test_an_allowed_import_passes(module: str, source: str) -> None:
    assert _forbidden(module, source) == []


def test_every_file_of_storage_is_kept_from_the_model() -> None:
    source = ast.parse("if TYPE_CHECKING:\n    from gguf_construct.model import Model")
    for path in python_files(PACKAGE / "storage"):
        assert list(imports.forbidden(source, package_of(path), module_of(path), TABLE)), path


def test_circles_are_seen() -> None:
    graph = {"a": ["b"], "b": ["c", "d"], "c": ["a"], "d": ["e"], "e": [], "f": ["f"]}
    assert imports.circles(graph) == [["a", "b", "c"], ["f"]]
    assert imports.circles({"a": ["b", "c"], "b": ["c"], "c": []}) == []


def test_each_module_has_its_test_file_or_a_reason() -> None:
    """gguf_construct/a/b.py is tried in tests/a/test_b.py."""
    folder = REPOSITORY / "tests"
    names = {path.relative_to(PACKAGE).as_posix() for path in OURS if path.name[0:2] != "__"}
    missing = {
        name
        for name in names
        if not (folder / name).with_name(f"test_{name.rpartition('/')[2]}").exists()
    }
    assert sorted(missing - set(WITHOUT_TEST_FILE)) == []
    assert sorted(set(WITHOUT_TEST_FILE) - missing) == [], "these have a test file, or are gone"


def test_raised_errors_are_held_against_their_message() -> None:
    """The same kind of error may come from another place, for another reason."""
    problems = [
        (path, f"{node.lineno}: no match=")
        for path in (REPOSITORY / "tests").rglob("test_*.py")
        for node in ast.walk(parse(path))
        if isinstance(node, ast.Call)
        and ast.unparse(node.func) == "pytest.raises"
        and not {"match", "check"} & {keyword.arg for keyword in node.keywords}
        and path.relative_to(REPOSITORY).as_posix() not in WITHOUT_MATCH
    ]
    assert found(problems) == []
