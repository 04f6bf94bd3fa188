"""Expressions of spec/weights.yaml -> Python, with every name checked."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from tools.ksy.errors import SchemaError

if TYPE_CHECKING:
    from tools.ksy.errors import Place

ATTRIBUTES = {
    **dict.fromkeys(("architecture", "rope_scaling"), "str"),
    **dict.fromkeys(("layers_all", "layers_nextn", "layers_with_kv", "embd", "vocab"), "int"),
    **dict.fromkeys(("context", "experts", "expert_groups", "classes", "token_types"), "int"),
    **dict.fromkeys(("head_k_full", "head_v_full", "head_k_swa", "head_v_swa"), "int"),
    **dict.fromkeys(("rot_full", "rot_swa", "mla_k", "mla_v", "deepstack"), "int"),
    **dict.fromkeys(("embd_out_given", "embd_inp_given", "embd_inp_enc_given"), "int"),
    **dict.fromkeys(("heads_each", "heads_kv_each", "ff_each", "ff_exp_each"), "list[int]"),
    **dict.fromkeys(("experts_used_each", "swa_each", "recurrent_each"), "list[int]"),
    "indexer_full_each": "list[int]",
}
"""Numbers that a loader keeps, with their types."""

_BY_LAYER = (
    *("heads", "heads_kv", "ff", "ff_exp", "experts_used", "k", "v", "gqa"),
    *("head_k", "head_v", "rot"),
)
_IS_BY_LAYER = ("is_swa", "is_recurrent", "has_kv", "is_indexer_full")
_WHOLE = ("layers", "embd_inp", "embd_inp_enc", "embd_out", "head_k_mla", "head_v_mla")
_ROWS = ("each", "each_int", "row", "row_u64")

METHODS = {
    **{name: f"{name}(self, layer: int = 0) -> int" for name in _BY_LAYER},
    **{name: f"{name}(self, layer: int) -> bool" for name in _IS_BY_LAYER},
    **{name: f"{name}(self) -> int" for name in (*_WHOLE, "experts_used_max")},
    "is_mla": "is_mla(self) -> bool",
    "u32": "u32(self, key: str, missing: int | None = None) -> int",
    "u32_or_row": "u32_or_row(self, key: str, missing: int | None = None) -> int",
    "f32": "f32(self, key: str, missing: float | None = None) -> float",
    "flag": "flag(self, key: str, missing: bool | None = None) -> bool",
    "text": "text(self, key: str, missing: str | None = None) -> str",
    **{
        name: f"{name}(self, key: str, count: int, missing: list[int] | None = None) -> list[int]"
        for name in _ROWS
    },
    "each_f32": (
        "each_f32(self, key: str, count: int, missing: list[float] | None = None) -> list[float]"
    ),
    "row_text": (
        "row_text(self, key: str, count: int, missing: list[str] | None = None) -> list[str]"
    ),
    "count": "count(self, key: str, missing: int | None = None) -> int",
    "given_key": "given_key(self, key: str) -> bool",
    "given_row": "given_row(self, key: str) -> bool",
    "found": "found(self, name: str) -> bool",
    "dim": "dim(self, name: str, index: int) -> int",
    "demand": "demand(self, holds: bool | int, text: str, known_as: str) -> None",
    "add": "add(self, name: str, flags: int, *dims: int) -> bool",
    "qkv": "qkv(self, block: int, embd: int, q: int, k: int, v: int, flags: int) -> None",
    "gate_up": "gate_up(self, block: int, embd: int, ff: int, experts: int, flags: int) -> None",
    "swa": "swa(self, period: int, dense_first: bool) -> None",
    "set_swa": "set_swa(self, period: int, dense_first: bool) -> None",
}
"""What a loader can be asked, with the signatures."""

_BUILT_IN = frozenset(("max", "min", "len", "str", "range", "all", "list", "True", "False"))
_FLAGS = frozenset(("OPTIONAL", "SKIP", "RESHAPE"))


class Names:
    """The names that a group has given to numbers so far."""

    def __init__(self) -> None:
        self._known: set[str] = set()

    def add(self, name: str) -> None:
        """Remember a name."""
        if name not in ATTRIBUTES:
            self._known.add(name)

    def __contains__(self, name: str) -> bool:
        return name in self._known


def translate(text: str, names: Names, place: Place) -> str:
    """An expression as Python on a loader called m.  Raises SchemaError for an unknown name."""
    try:
        tree = ast.parse(text, mode="eval")
    except (SyntaxError, ValueError) as error:
        raise SchemaError(place, f"{text!r} is no expression") from error
    return ast.unparse(_Translator(names, place).visit(tree))


class _Translator(ast.NodeTransformer):
    def __init__(self, names: Names, place: Place) -> None:
        self.names, self.place, self.bound = names, place, set[str]()

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> ast.AST:
        self.bound.update(
            one.target.id for one in node.generators if isinstance(one.target, ast.Name)
        )
        return self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        raise SchemaError(self.place, f"{ast.unparse(node)!r}: no dots in expressions")

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        raise SchemaError(self.place, "no functions in expressions")

    def visit_Name(self, node: ast.Name) -> ast.AST:
        name = node.id
        if name in ATTRIBUTES or (name in METHODS and name not in self.names):
            return ast.Attribute(ast.Name("m", ast.Load()), name, node.ctx)
        if name in self.names or name in self.bound or name in _BUILT_IN | _FLAGS:
            return node
        raise SchemaError(self.place, f"nothing is called {name!r} here")
