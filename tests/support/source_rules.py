"""Rules about source text, as functions from a syntax tree to the lines that break them."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TypeAlias

    Rule: TypeAlias = Callable[[ast.AST], Iterator[str]]

_FILE_MODULES = {"mmap", "tempfile", "shutil", "fileinput", "glob"}
_OS_FILE_CALLS = {
    "chmod",
    "chown",
    "close",
    "copy_file_range",
    "dup",
    "fchmod",
    "fdatasync",
    "fdopen",
    "fstat",
    "fsync",
    "ftruncate",
    "link",
    "listdir",
    "lseek",
    "lstat",
    "makedirs",
    "mkdir",
    "open",
    "posix_fallocate",
    "pread",
    "pwrite",
    "read",
    "readlink",
    "remove",
    "removedirs",
    "rename",
    "renames",
    "replace",
    "rmdir",
    "scandir",
    "sendfile",
    "setxattr",
    "stat",
    "statvfs",
    "symlink",
    "truncate",
    "unlink",
    "utime",
    "walk",
    "write",
}
_PATH_FILE_CALLS = {
    "from_file",
    "fromfile",
    "hardlink_to",
    "iterdir",
    "lchmod",
    "memmap",
    "mkdir",
    "open",
    "read_bytes",
    "read_text",
    "rglob",
    "rmdir",
    "symlink_to",
    "tofile",
    "touch",
    "unlink",
    "write_bytes",
    "write_text",
}
_RECORDS = {"Array", "Body", "MetadataKv", "TensorInfo"}
_PRINTING = {"print", "echo", "secho", "echo_via_pager"}
_MAGIC_NUMBERS = {0x46554747, 0x47475546}
_MAGIC_BYTES = (b"GGUF", b"FUGG")
_TYPE_NAME = re.compile(r"(^|_)(type|type_id|tid)s?$")
_BLOCK_NAME = re.compile(
    r"(^|_)(qk\w*|block_(size|nbytes|len|elements)|num_elements)$", re.IGNORECASE
)


def _name_of(node: ast.AST) -> str:
    """The last identifier of a name or attribute, else an empty string."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _absolute_imports(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and module of each import that is not relative."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node.lineno, node.module or ""


def foreign_imports(tree: ast.AST, allowed: set[str]) -> Iterator[str]:
    """Absolute imports of anything but `allowed` top-level modules."""
    for line, name in _absolute_imports(tree):
        if name.partition(".")[0] not in allowed:
            yield f"{line}: {name}"


def file_calls(tree: ast.AST) -> Iterator[str]:
    """Calls and imports that reach the file system."""
    for line, name in _absolute_imports(tree):
        if name in _FILE_MODULES:
            yield f"{line}: {name}"
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "os":
            names = {alias.name for alias in node.names} & _OS_FILE_CALLS
            yield from (f"{node.lineno}: os.{name}" for name in sorted(names))
        elif isinstance(node, ast.Call) and _reaches_files(node):
            yield f"{node.lineno}: {ast.unparse(node.func)}("


def _reaches_files(call: ast.Call) -> bool:
    """Opening the null device reaches no file: it silences a closed pipe."""
    function = call.func
    if call.args and _name_of(call.args[0]) == "devnull":
        return False
    if isinstance(function, ast.Attribute):
        in_os = _name_of(function.value) == "os"
        return function.attr in (_OS_FILE_CALLS if in_os else _PATH_FILE_CALLS)
    return _name_of(function) == "open"


def printing(tree: ast.AST) -> Iterator[str]:
    """Calls that print, and uses of the standard output streams."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _name_of(node.func) in _PRINTING:
            yield f"{node.lineno}: {ast.unparse(node.func)}("
        elif (
            isinstance(node, ast.Attribute)
            and _name_of(node.value) == "sys"
            and node.attr in {"stdout", "stderr"}
        ):
            yield f"{node.lineno}: {ast.unparse(node)}"


def layout_constants(tree: ast.AST) -> Iterator[str]:
    """Numbers and bytes that the schema states: magic, default alignment, type ids, block sizes."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and _is_magic(node.value):
            yield f"{node.lineno}: the magic, {node.value!r}"
        elif isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            if any(_TYPE_NAME.search(_name_of(side)) for side in sides):
                yield from (
                    f"{node.lineno}: a type id, {value}" for side in sides for value in _ints(side)
                )
        elif isinstance(node, ast.Call) and _makes_type_from_number(node):
            yield f"{node.lineno}: a type id, {ast.unparse(node)}"
        yield from _named_constants(node)


def _makes_type_from_number(call: ast.Call) -> bool:
    named = _name_of(call.func) in {"ValueType", "GGMLType"}
    return named and any(True for argument in call.args for _ in _ints(argument))


def _is_magic(value: object) -> bool:
    if isinstance(value, bytes):
        # Not names that only begin like it, such as gguf-py's virtual key GGUF.version.
        rest = value[4:]
        return value.startswith(_MAGIC_BYTES) and (not rest or rest[0] < 0x20)
    return isinstance(value, int) and not isinstance(value, bool) and value in _MAGIC_NUMBERS


def _ints(node: ast.AST) -> Iterator[int]:
    """Integers that a literal holds: itself, or those of a tuple, list or set."""
    if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        for element in node.elts:
            yield from _ints(element)
    elif isinstance(node, ast.Constant) and type(node.value) is int:
        yield node.value


def _bindings(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """Name and value, wherever a value gets a name: assignment, default, keyword, `get(key, x)`."""
    if isinstance(node, ast.Assign):
        yield from ((_name_of(target), node.value) for target in node.targets)
    elif isinstance(node, ast.AnnAssign) and node.value is not None:
        yield _name_of(node.target), node.value
    elif isinstance(node, ast.keyword):
        yield node.arg or "", node.value
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
        yield from _defaults(node.args)
    elif isinstance(node, ast.Call) and len(node.args) == 2:
        key = node.args[0]
        named = key.value if isinstance(key, ast.Constant) else _name_of(key)
        yield str(named), node.args[1]
    elif isinstance(node, ast.BoolOp):
        yield from ((_name_of(node.values[0]), value) for value in node.values[1:])
    elif isinstance(node, ast.Compare):
        yield from ((_name_of(node.left), value) for value in node.comparators)


def _defaults(arguments: ast.arguments) -> Iterator[tuple[str, ast.expr]]:
    positional = [*arguments.posonlyargs, *arguments.args]
    with_default = positional[len(positional) - len(arguments.defaults) :]
    for argument, value in zip(with_default, arguments.defaults, strict=True):
        yield argument.arg, value
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        if default is not None:
            yield argument.arg, default


def _named_constants(node: ast.AST) -> Iterator[str]:
    for name, value in _bindings(node):
        numbers = list(_ints(value))
        if "align" in name.lower() and 32 in numbers:
            yield f"{value.lineno}: the default alignment, {name}"
        elif _BLOCK_NAME.search(name) and any(number > 1 for number in numbers):
            yield f"{value.lineno}: a block size, {name}"


def layout_by_position(tree: ast.AST) -> Iterator[str]:
    """What breaks silently when the schema gets a field or a version.

    Records built by position, offsets taken by number, and versions by their place in the list.
    """
    records = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").endswith("_generated.types")
        for alias in node.names
        if alias.name in _RECORDS
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = _name_of(node.func)
            if name in records and node.args:
                yield f"{node.lineno}: {name}(...) by position"
            elif name in ("max", "min") and any(_name_of(arg) == "VERSIONS" for arg in node.args):
                yield f"{node.lineno}: {ast.unparse(node)}"
        elif isinstance(node, ast.Subscript):
            owner = node.value.value if isinstance(node.value, ast.Attribute) else None
            of_record = owner is not None and _name_of(owner) in ("record", "body")
            name = _name_of(node.value)
            if name == "VERSIONS" or (name == "offsets" and of_record):
                yield f"{node.lineno}: {ast.unparse(node)}"


def long_functions(tree: ast.AST, limit: int) -> Iterator[str]:
    """Functions of more than `limit` lines."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            if length > limit:
                yield f"{node.lineno}: {node.name} has {length} lines"
