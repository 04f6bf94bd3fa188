"""The expression subset: how it binds, and that nothing outside it gets through."""

from __future__ import annotations

import pytest

from tools.emit.pyexpr import Scope, Term, evaluate, translate
from tools.ksy.errors import Place
from tools.ksy.expr import EnumMember, ExprError, parse_call, parse_expr


def _scope(**names: str) -> Scope:
    known = {id: Term(code) for id, code in names.items()}
    return Scope(known, lambda member: {"uint32": 4}[member.member], Place("x.ksy", 1))


TRANSLATIONS = [
    ("(version_le & 0xffff) == 0", "((v & 65535) == 0)"),
    ("is_be ? version_le : 1", "(v if b else 1)"),
    ("kind == value_type::uint32", "(k == 4)"),
    ("not is_be and kind == 1 or is_be", "(((not b) and (k == 1)) or b)"),
    ("key == [0x67, 0x67]", "(k == b'gg')"),
    ("kind / 3 % 2", "((k // 3) % 2)"),
]


@pytest.mark.parametrize(("text", "python"), TRANSLATIONS)
def test_translate(text: str, python: str) -> None:
    scope = _scope(version_le="v", is_be="b", kind="k", key="k")
    assert translate(parse_expr(text), scope) == python


ARITHMETIC = [
    ("1 + 2 * 3", 7),
    ("(1 + 2) * 3", 9),
    ("10 - 4 - 3", 3),
    ("7 & 3 == 3 ? 1 : 2", 1),
    ("a > 1 ? a : 0 - a", 5),
    ("(a + 32 - 1) / 32 * 32", 32),
]


@pytest.mark.parametrize(("text", "value"), ARITHMETIC)
def test_evaluate(text: str, value: int) -> None:
    assert evaluate(parse_expr(text), {"a": 5}, _scope()) == value


@pytest.mark.parametrize(
    "text", ["", "1 +", "a b", "(1", "[1", "a.as<", "1 ? 2", "a ~ b", "'text'", "f(1", "a..b ]"]
)
def test_what_is_not_understood_is_refused(text: str) -> None:
    with pytest.raises(ExprError):
        parse_expr(text)


def test_call_arguments() -> None:
    name, arguments = parse_call("ggml(ggml_type, n, _root.is_be)")
    assert name == "ggml"
    assert len(arguments) == 3
    assert parse_expr("ggml::ggml_type::f32") == EnumMember(("ggml", "ggml_type"), "f32")
