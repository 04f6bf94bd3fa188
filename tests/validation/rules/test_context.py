"""What rules see of a file: values by key, places, and what kind of file it is."""

from __future__ import annotations

import pytest

from gguf_construct.core.codec import parse
from gguf_construct.validation.rules.context import Context, shown
from tests.support import builders as b
from tests.support.blocks import tensor_bytes
from tests.support.builders import Model, Pair, Tensor, build

PAIRS = (
    Pair(b"general.architecture", b.text("llama")),
    Pair(b"n", b.u32(5)),
    Pair(b"n", b.u32(6)),
    Pair(b"flag", b.boolean(2)),
    Pair(b"f", b.f32(1.5)),
    Pair(b"list", b.array(b.INT32, 1)),
    Pair(b"odd\xff", b.text(b"a\xff")),
)


def context(*pairs: Pair, tensors: tuple[Tensor, ...] = (), profile: str = "strict") -> Context:
    return Context(parse(build(Model(pairs, tensors)).data), profile)


def test_values_by_key() -> None:
    c = context(*PAIRS)
    assert (c.scalar("n"), c.scalar("flag"), c.scalar("f")) == (5, True, 1.5)
    assert (c.scalar("list"), c.scalar("absent")) == (None, None)
    assert (c.integer("n"), c.integer("flag"), c.integer("f")) == (5, None, None)
    assert (c.text("general.architecture"), c.text("n")) == ("llama", None)
    array = c.array("list")
    assert array is not None
    assert array.num_elements == 1
    assert (c.array("n"), c.array("absent")) == (None, None)
    assert c.known("list") is array
    assert c.known("n") == 5
    assert c.known("absent") is None
    assert (c.architecture, c.arch("block_count")) == ("llama", "llama.block_count")
    assert [at for at, _ in c.strings()] == [0, 6]


def test_places() -> None:
    built = build(Model(PAIRS))
    c = Context(parse(built.data), "strict")
    assert c.place("n") == (built.at("metadata[1].value"), "metadata[1] 'n'.value")
    assert c.place("n", "value_type")[1] == "metadata[1] 'n'.value_type"
    assert c.place("n", "value", "key")[1] == "metadata[1] 'n'.key"
    assert c.place("absent") == (None, "metadata 'absent'")
    assert c.key_path(6) == "metadata[6] 'odd\\\\xff'"
    assert shown(b"x" * 90) == f"'{'x' * 80}'"


def test_tensors_of_blocks() -> None:
    plain = Tensor(b"a", (8,), 0, bytes(32))
    packed = Tensor(b"b", (32,), 2, tensor_bytes(2, (32,)))
    assert not context(tensors=(plain,)).is_quantized
    both = context(tensors=(plain, packed))
    assert both.is_quantized
    assert both.tensor_path(1, "name") == "tensor_infos[1] 'b'.name"


TOKENS = Pair(b"tokenizer.ggml.tokens", b.array(b.STRING, b"a"))


def architecture(name: str) -> Pair:
    return Pair(b"general.architecture", b.text(name))


ONE = (Tensor(b"t", (8,), 0, bytes(32)),)
KINDS: list[tuple[tuple[Pair, ...], tuple[Tensor, ...], set[str]]] = [
    ((architecture("llama"),), ONE, {"model"}),
    ((architecture("llama"),), (), {"model"}),
    ((), ONE, {"other"}),
    ((architecture("llama"), TOKENS), (), {"vocab"}),
    ((architecture("llama"), TOKENS), ONE, {"model"}),
    ((architecture("clip"),), ONE, {"mmproj"}),
    ((architecture("controlvector"),), ONE, {"controlvector"}),
    ((architecture("llama"), Pair(b"general.type", b.text("adapter"))), ONE, {"adapter"}),
    ((Pair(b"general.type", b.text("imatrix")),), ONE, {"imatrix"}),
    ((architecture("llama"), Pair(b"general.type", b.text("model"))), ONE, {"model"}),
    ((architecture("my-net"),), ONE, {"other"}),
    ((architecture("my-net"), Pair(b"my-net.block_count", b.u32(1))), ONE, {"model"}),
    ((architecture("my-net"), TOKENS), ONE, {"model"}),
    ((architecture("llama"), Pair(b"split.count", b.u16(2))), ONE, {"shard", "model"}),
    ((architecture("llama"), Pair(b"split.count", b.u16(1))), ONE, {"model"}),
    (
        (architecture("llama"), Pair(b"split.count", b.u16(2)), Pair(b"split.no", b.u16(1))),
        ONE,
        {"shard"},
    ),
    (
        (architecture("llama"), TOKENS, Pair(b"split.count", b.u16(2))),
        (),
        {"shard", "model"},
    ),
]


@pytest.mark.parametrize(("pairs", "tensors", "kinds"), KINDS)
def test_kinds(pairs: tuple[Pair, ...], tensors: tuple[Tensor, ...], kinds: set[str]) -> None:
    assert context(*pairs, tensors=tensors).kinds == kinds


def test_only_the_specification_leaves_llama_out() -> None:
    assert context(profile="llama.cpp").is_llama
    assert context(profile="strict").is_llama
    assert not context(profile="spec").is_llama
