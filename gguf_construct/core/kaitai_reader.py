"""Loads the reader that the official Kaitai compiler makes from our schema.

Strategy: the compiler's Python imports its sibling schemas by bare name (`import ggml`), which is
right for files that lie on sys.path and wrong for modules of a package; its JavaScript build has
no option for that. The files stay as the compiler wrote them. They are executed here with an
`__import__` of their own that looks for a sibling first, so neither sys.path nor sys.modules is
touched, and an unrelated top-level module called `ggml` does no harm.
"""

from __future__ import annotations

import builtins
import functools
import importlib.abc
import importlib.util
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import ModuleType

_PACKAGE = f"{__package__.rpartition('.')[0]}._generated.kaitai"


def load_kaitai(name: str = "gguf") -> ModuleType:
    """The module that the official compiler generated from `spec/<name>.ksy`.

    It needs the kaitaistruct runtime. `load_kaitai().Gguf.from_bytes(data)` parses a whole file
    into objects, independently of this package's codec and far slower.

    Raises ModuleNotFoundError when there is no such schema.
    """
    return _load_once(name)


@functools.cache
def _load_once(name: str) -> ModuleType:
    return _load(name, {})


def _is_sibling(target: str) -> bool:
    return "." not in target and importlib.util.find_spec(f"{_PACKAGE}.{target}") is not None


def _load(name: str, loading: dict[str, ModuleType]) -> ModuleType:
    """Execute one generated file; `loading` holds its siblings, unfinished ones too."""
    spec = importlib.util.find_spec(f"{_PACKAGE}.{name}")
    if spec is None or not isinstance(spec.loader, importlib.abc.InspectLoader):
        raise ModuleNotFoundError(f"the package holds no Kaitai reader called {name!r}", name=name)
    module = importlib.util.module_from_spec(spec)
    loading[name] = module

    def import_sibling_first(
        target: str,
        globals: Mapping[str, object] | None = None,
        locals: Mapping[str, object] | None = None,
        fromlist: Sequence[str] = (),
        level: int = 0,
    ) -> Any:
        if level == 0 and target in loading:
            return loading[target]
        if level == 0 and _is_sibling(target):
            return _load(target, loading)
        return builtins.__import__(target, globals, locals, fromlist, level)

    namespace = vars(module)
    namespace["__builtins__"] = {**vars(builtins), "__import__": import_sibling_first}
    code = spec.loader.get_code(spec.name)
    exec(code, namespace)  # type: ignore[arg-type]  # a source loader always has code
    return module
