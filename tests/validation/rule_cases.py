"""For each rule of validation a file that breaks it, and a neighbour that does not."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tests.support import builders as b
from tests.support import unknown
from tests.support.blocks import tensor_bytes
from tests.support.builders import Array, Model, Pair, Str, Tensor, Value, build
from tests.support.cases_model import value_of, with_keys
from tests.support.cases_valid import F32_8, base, weight
from tests.validation.companion_cases import COMPANION_CASES
from tests.validation.rule_case import RuleCase
from tests.validation.rule_case import make_case as _case
from tests.validation.tail_cases import tail_cases
from tests.validation.weight_cases import weight_cases

if TYPE_CHECKING:
    from collections.abc import Iterator

TOKENS, SCORES = b"tokenizer.ggml.tokens", b"tokenizer.ggml.scores"
KINDS, EOS = b"tokenizer.ggml.token_type", b"tokenizer.ggml.eos_token_id"
MODEL, PRE = b"tokenizer.ggml.model", b"tokenizer.ggml.pre"
MERGES, TEMPLATE = b"tokenizer.ggml.merges", b"tokenizer.chat_template"
HEADS, NAN = b"llama.attention.head_count", bytes.fromhex("0000c07f")


def _keys(code: str, bad: dict[bytes, Value | None], good: dict[bytes, Value | None]) -> RuleCase:
    """The sample model with keys set; the last of the bad keys is at fault."""
    model = with_keys(bad)
    at = next((i for i, pair in enumerate(model.pairs) if pair.key == list(bad)[-1]), None)
    return _case(code, model, with_keys(good), "" if at is None else f"metadata[{at}]")


def _one(code: str, key: bytes, bad: Value, good: Value) -> RuleCase:
    return _keys(code, {key: bad}, {key: good})


def _pair(code: str, bad: Pair, good: Pair, mark: str = "metadata[4].key.len") -> RuleCase:
    return _case(code, base(bad), base(good), mark)


def _tensor(code: str, bad: Any, good: Any, mark: str) -> RuleCase:
    def many(one: Any) -> tuple[Tensor, ...]:
        return one if isinstance(one, tuple) and not isinstance(one, Tensor) else (one,)

    return _case(code, base(tensors=many(bad)), base(tensors=many(good)), mark)


def _header() -> Iterator[RuleCase]:
    yield _case("byte-order-big", base(byte_order=b.BIG), base(), "version")
    yield _case("version-old", base(version=1), base(version=2), "version")
    yield _case("version-not-current", base(version=2), base(version=3), "version")
    one = build(base())
    lost = "its journal is damaged"
    yield RuleCase("edit-unfinished", one, one, how={"unfinished": (lost, None)})
    sound = build(base(Pair(b"general.alignment", b.u32(4096))))
    shifted = sound.data[:4096] + bytes(4096) + sound.data[4096:]
    yield RuleCase("insertion-unfinished", replace(sound, data=shifted), sound)
    yield RuleCase("file-name", one, one, how={"file_name": ("m.gguf.gguf", "m.gguf")})
    for name in ("m.gguf.part1of2", "m.gguf-split-a", "m.gguf.part-aa", "m.gguf.001"):
        yield RuleCase("file-part", one, one, how={"file_name": (name, "m.part.gguf")})


def _key_rules() -> Iterator[RuleCase]:
    u1 = b.u32(1)
    twice, once = (Pair(b"k.a", u1), Pair(b"k.a", u1)), (Pair(b"k.a", u1), Pair(b"k.b", u1))
    yield _case("key-duplicate", base(*twice), base(*once), "metadata[5].key.len")
    yield _pair("key-empty", Pair(b"", u1), Pair(b"a", u1))
    yield _pair("key-syntax", Pair(b"My Key", u1), Pair(b"my.key_1", u1))
    yield _pair("key-not-ascii", Pair("schlüssel".encode(), u1), Pair(b"key", u1))
    yield _pair("key-too-long", Pair(b"k" * 65536, u1), Pair(b"k" * 65535, u1))
    yield _pair("key-nul", Pair(b"a\0b", u1), Pair(b"a0b", u1))
    yield _pair("key-reader-own", Pair(b"GGUF.version", u1), Pair(b"GGUF.versions", u1))
    sep, spec = b"tokenizer.ggml.seperator_token_id", b"tokenizer.ggml.separator_token_id"
    yield _keys("key-alias", {spec: u1}, {sep: u1})
    yield _keys("key-spelt-twice", {sep: u1, spec: b.u32(2)}, {sep: u1})
    count = b"llama.block_count"
    yield _keys("key-misspelt", {count: None, b"llama.block_cuont": b.u32(2)}, {})
    other = {count: None, b"qwen2.block_count": b.u32(2)}
    yield _keys("key-other-architecture", other, {b"qwen2.block_count": b.u32(2)})


def _type_rules() -> Iterator[RuleCase]:
    yield _one("key-type", b"llama.block_count", b.i32(2), b.u32(2))
    nested, flat = b.array(b.ARRAY, Array(b.UINT8)), b.array(b.UINT8, 1)
    yield _pair("array-nested", Pair(b"k", nested), Pair(b"k", flat), "metadata[4].value")
    two, one = Pair(b"k", b.boolean(2)), Pair(b"k", b.boolean(1))
    yield _pair("bool-byte", two, one, "metadata[4].value")
    zeros = [0, 1] * 3
    odd, even = (b.array(b.BOOL, *zeros, last, 1) for last in (3, 1))
    yield _pair("bool-byte", Pair(b"k", odd), Pair(b"k", even), "metadata[4].value[6]")
    base_ = b"llama.rope.freq_base"
    yield _one("float-not-finite", base_, b.f32(float("inf")), b.f32(1e4))
    scaling = b"llama.rope.scaling.type"
    yield _one("value-unexpected", scaling, b.text("cubic"), b.text("none"))
    bad, good = Pair(b"k", b.text(b"ok\xff")), Pair(b"k", b.text("naïve"))
    yield _pair("string-not-utf8", bad, good, "metadata[4]")
    words = [b"w%d" % i for i in range(100)]
    wrong = b.array(b.STRING, *words, b"\xc3", *words)
    right = b.array(b.STRING, *words, b"\xc3\xa9", *words)
    mark = "metadata[4].value[100].len"
    yield _pair("array-not-utf8", Pair(b"k", wrong), Pair(b"k", right), mark)
    yield _pair("string-nul", Pair(b"k", b.text(b"a\0")), Pair(b"k", b.text(b"a")), "metadata[4]")
    shown = Pair(b"k", b.text("caf\u00e9 \U0001f600\n\t"))
    for hidden in ("a\u202eb", "a\u200bb", "\x1b[2J"):
        yield _pair("text-hidden", Pair(b"k", b.text(hidden)), shown, "metadata[4]")
    yield _pair("text-hidden", Pair("k\u200b".encode(), b.u32(1)), shown, "metadata[4].key")
    unseen = (weight(name="x\u200b".encode()), weight(name=b"x"))
    yield _tensor("text-hidden", *unseen, "tensors[0].name")
    names = (weight(name=b"\xff"), weight(name=b"x"))
    yield _tensor("tensor-name-not-utf8", *names, "tensors[0].name.len")


def _alignment_rules() -> Iterator[RuleCase]:
    def aligned(value: Value, **how: Any) -> Model:
        return base(Pair(b"general.alignment", value), **how)

    at, plain = "metadata[4].value", aligned(b.u32(64))
    yield _case("alignment-type", aligned(b.u64(64), alignment=32), plain, "metadata[4].type")
    yield _case("alignment-zero", aligned(b.u32(0), alignment=32), plain, at)
    yield _case("alignment-not-power-of-two", aligned(b.u32(48)), plain, at)
    yield _case("alignment-not-multiple-of-8", aligned(b.u32(4)), aligned(b.u32(8)), at)
    huge = aligned(b.u32(2**31), tensors=(), alignment=32)
    yield _case("alignment-huge", huge, plain, at)
    yield _case("alignment-too-small", aligned(b.u32(8)), plain, at)


def _model_rules() -> Iterator[RuleCase]:
    architecture = b"general.architecture"
    yield _one("architecture-unknown", architecture, b.text("lama"), b.text("llama"))
    without = "architecture-without-loader"
    yield _one(without, architecture, b.text("gptj"), b.text("llama"))
    yield _keys("key-missing", {b"llama.context_length": None}, {})
    yield _keys("key-recommended", {SCORES: None}, {})
    yield _case("no-tensors", base(tensors=()), base(), "num_tensors")
    blocks = b"llama.block_count"
    yield _one("block-count-range", blocks, b.u32(513), b.u32(2))
    three, two = b.array(b.INT32, 4, 4, 4), b.array(b.INT32, 4, 4)
    yield _one("layer-array-length", HEADS, three, two)
    yield _one("head-count-uneven", HEADS, b.u32(5), b.u32(4))
    yield _one("rope-dimension-count", b"llama.rope.dimension_count", b.u32(8), b.u32(16))
    experts, used = b"llama.expert_count", b"llama.expert_used_count"
    few: dict[bytes, Value | None] = {experts: b.u32(4), used: b.u32(4)}
    yield _keys("expert-count", {experts: b.u32(4), used: b.u32(5)}, few)
    many: dict[bytes, Value | None] = {used: b.u32(4), experts: b.u32(1024)}
    yield _keys("expert-count", {used: b.u32(4), experts: b.u32(1025)}, many)
    yield _keys("expert-count", {experts: b.u32(4), used: b.u32(0)}, few)
    yield from _expert_groups(experts)
    epsilon = b"llama.attention.layer_norm_rms_epsilon"
    for number in (-1e-5, float("nan")):
        yield _one("epsilon-negative", epsilon, b.f32(number), b.f32(0.0))
    yield _one("expert-count", b"llama.expert_group_count", b.u32(2), b.u32(0))
    yield _one("nextn-count", b"llama.nextn_predict_layers", b.u32(3), b.u32(0))
    out = b"llama.embedding_length_out"
    yield _one("count-implausible", out, b.u32(2**32 - 1), b.u32(64))
    yield _one("file-type-unknown", b"general.file_type", b.u32(999), b.u32(7))
    yield _one("file-type-removed", b"general.file_type", b.u32(33), b.u32(7))
    yield _one("file-type-mix", b"general.file_type", b.u32(15), b.u32(7))


def _expert_groups(experts: bytes) -> Iterator[RuleCase]:
    groups, used = b"llama.expert_group_count", b"llama.expert_group_used_count"

    def eight(number: int, of_them: int) -> dict[bytes, Value | None]:
        return {
            experts: b.u32(8),
            b"llama.expert_used_count": b.u32(2),
            used: b.u32(of_them),
            groups: b.u32(number),
        }

    yield _keys("expert-count", eight(3, 1), eight(4, 1))
    yield _keys("expert-count", eight(8, 1), eight(2, 1))
    at_fault = ({used: eight(4, number).pop(used), **eight(4, number)} for number in (0, 4))
    for bad in at_fault:
        bad[used] = bad.pop(used)  # the last of the keys is at fault
        yield _keys("expert-count", bad, eight(4, 3))


def _token_rules() -> Iterator[RuleCase]:
    tokens = value_of(TOKENS).payload.items
    yield _one("tokenizer-unknown", MODEL, b.text("sentence"), b.text("llama"))
    gpt2: dict[bytes, Value | None] = {MODEL: b.text("gpt2"), MERGES: b.array(b.STRING, b"a b")}
    with_pre = {**gpt2, PRE: b.text("gpt-2")}
    yield _keys("tokenizer-no-pre", {**gpt2, PRE: None}, with_pre)
    yield _keys("tokenizer-pre-unknown", {**gpt2, PRE: b.text("gpt-7")}, with_pre)
    none = {MERGES: None, PRE: b.text("gpt-2"), MODEL: b.text("gpt2")}
    yield _keys("tokenizer-no-merges", none, with_pre)
    yield _keys("tokenizer-no-eos", {EOS: None}, {})
    yield _one("token-of-name-missing", b"general.name", b.text("my Phi3"), b.text("my phi"))
    yield _one("tokenizer-empty", TOKENS, b.array(b.STRING), value_of(TOKENS))
    scores = value_of(SCORES).payload.items
    short = Value(b.ARRAY, Array(b.FLOAT32, scores[:-1]))
    yield _one("tokenizer-array-length", SCORES, short, value_of(SCORES))
    again = Value(b.ARRAY, Array(b.STRING, (*tokens[:-1], tokens[5])))
    yield _one("token-duplicate", TOKENS, again, value_of(TOKENS))
    kinds = value_of(KINDS).payload.items
    seven = Value(b.ARRAY, Array(b.INT32, (*kinds[:-1], 7)))
    yield _one("token-type-unknown", KINDS, seven, value_of(KINDS))
    for text in (b"<", b"<\0x04>"):
        blank = Value(b.ARRAY, Array(b.STRING, (*tokens[:9], text, *tokens[10:])))
        yield _one("token-byte-text", TOKENS, blank, value_of(TOKENS))
    yield _one("token-id-range", EOS, b.u32(len(tokens)), b.u32(len(tokens) - 1))
    yield _one("token-not-control", EOS, b.u32(len(tokens) - 1), b.u32(2))
    for marker in (b"<|im_start|>", b"<end_of_turn>"):
        texts = Value(b.ARRAY, Array(b.STRING, (*tokens[:-1], marker)))
        control = Value(b.ARRAY, Array(b.INT32, (*kinds[:-1], 3)))
        bad: dict[bytes, Value | None] = {TOKENS: texts, KINDS: value_of(KINDS)}
        yield _keys("token-marker-normal", bad, {KINDS: control, TOKENS: texts})
    yield _one("token-flag-without-id", b"tokenizer.ggml.add_sep_token", b.boolean(1), b.boolean(0))
    size = b"llama.vocab_size"
    yield _one("vocab-size", size, b.u32(len(tokens) + 1), b.u32(len(tokens)))
    odd: dict[bytes, Value | None]
    odd = {MODEL: b.text("gpt2"), MERGES: b.array(b.STRING, b"a b", b"ab")}
    yield _keys("merge-form", odd, with_pre)
    yield _one("template-syntax", TEMPLATE, b.text("{% if %}"), b.text("{% if a %}{% endif %}"))
    tool_key = b"tokenizer.chat_template.tool"
    yield _one("template-syntax", tool_key, b.text("x" * 300_000), b.text("x" * 1000))
    walk = b.text("{{ a }}\n{{ a.__class__ }}")
    yield _one("template-security", TEMPLATE, walk, b.text("{{ a }}\n{{ a.content }}"))
    yield _one("template-empty", TEMPLATE, b.text(" \n"), b.text("{{ a }}"))
    names, tool = b"tokenizer.chat_templates", b"tokenizer.chat_template.tool"
    listed = b.array(b.STRING, b"tool")
    yield _keys("template-names", {names: listed}, {names: listed, tool: b.text("{{ b }}")})


def _tensor_rules() -> Iterator[RuleCase]:
    x, y = weight(name=b"x"), weight(name=b"y")
    at, dim = "tensors[0].num_dims", "tensors[0].dims[0]"
    yield _tensor("tensor-name-duplicate", (x, x), (x, y), "tensors[1].name.len")
    cut = (weight(name=b"x\0a"), weight(name=b"x\0b"))
    yield _tensor("tensor-name-duplicate-nul", cut, (x, y), "tensors[1].name.len")
    long = (weight(name=b"n" * 64), weight(name=b"n" * 63))
    yield _tensor("tensor-name-too-long", *long, "tensors[0].name.len")
    yield _tensor("tensor-name-empty", weight(name=b""), x, "tensors[0].name.len")
    five, four = (Tensor(b"t", (2, 2, 2) + (1,) * n, 0, F32_8) for n in (2, 1))
    yield _tensor("tensor-dims-count", five, four, at)
    yield _tensor("tensor-dim-negative", Tensor(b"t", (2**63,)), x, dim)
    yield _tensor("tensor-elements-overflow", Tensor(b"t", (2**32, 2**32)), x, dim)
    yield _tensor("tensor-dim-zero", Tensor(b"t", (0,)), x, dim)
    old, future = (Tensor(b"t", (32,), n, bytes(64)) for n in (4, 99))
    yield _tensor("tensor-type-removed", old, x, "tensors[0].type")
    yield _tensor("tensor-type-unknown", future, x, "tensors[0].type")
    odd, even = Tensor(b"t", (33,), 2, bytes(36)), Tensor(b"t", (32,), 2, bytes(18))
    yield _tensor("tensor-rows-not-blocks", odd, even, dim)
    for case in weight_cases():
        yield _case(*case)
    f16 = tensor_bytes(1, (8,))
    plain, nan = (Tensor(b"t", (8,), 1, one) for one in (f16, b"\0\x7c" + f16[2:]))
    values = _tensor("data-not-finite", nan, plain, "tensors[0].data")
    yield values._replace(how={"data": True})
    fine, wrong = (Tensor(b"t", (32,), 8, one + bytes(32)) for one in (b"\0\x3c", b"\1\x7c"))
    scales = _tensor("data-scale-not-finite", wrong, fine, "tensors[0].data")
    yield scales._replace(how={"data": True})


def _offset_rules() -> Iterator[RuleCase]:
    def two(first: int, second: int, *, place: bool = True) -> tuple[Tensor, ...]:
        return tuple(
            weight(name=b"t%d" % at)._replace(offset=offset, place=offset if place else None)
            for at, offset in enumerate((first, second))
        )

    good, at = two(0, 32), "tensors[1].offset"
    yield _tensor("tensor-offset-overlap", two(0, 16), good, at)
    yield _tensor("tensor-offset-gap", two(0, 64), good, at)
    yield _tensor("tensor-offset-misaligned", two(0, 36), good, at)
    yield _tensor("tensor-offset-order", two(32, 0), good, "tensors[0].offset")
    yield _tensor("tensor-offset-past-end", two(0, 4096, place=False), good, at)
    yield _tensor("tensor-offset-wraps", two(0, 2**64 - 32, place=False), good, at)
    huge = (good[0]._replace(dims=(2**40,)), good[1])
    yield _tensor("tensor-dims-beyond-data", huge, good, "tensors[0].dims[0]")
    none = Tensor(b"none", (0,), 0, b"", offset=64)
    yield _tensor("tensor-offset-unexpected", (*good, weight(), none), (*good, weight()),
                  "tensors[3].offset")  # fmt: skip


def _extent_rules() -> Iterator[RuleCase]:
    whole = build(base(tensors=(weight(), Tensor(b"tail", (3,), 24, b"abc"))))
    end = whole.at("tensors[1].data") + 3
    for code, size in (("data-truncated", end - 1), ("padding-missing", end)):
        yield RuleCase(code, replace(whole, data=whole.data[:size]), whole)
    none = base(tensors=(Tensor(b"none", (0,)),))
    yield _case("header-padding-missing", replace(none, pad_header=False), none)
    for tail in (b"more", bytes(4), build(base()).data):
        yield _case("trailing-bytes", base(tail=tail), base())
    lost = base(tensors=(), tail=bytes(100))
    yield _case("data-without-tensors", lost, base(tensors=()), "num_tensors")
    yield _case("padding-nonzero", base(pad_byte=1), base())


def _split_rules() -> Iterator[RuleCase]:
    def shard(no: int, count: int, total: int, **how: Any) -> Model:
        keys = (
            Pair(b"split.no", b.u16(no)),
            Pair(b"split.count", b.u16(count)),
            Pair(b"split.tensors.count", b.i32(total)),
        )
        return Model(keys, tensors=how.pop("tensors", (weight(),)), **how)

    def named(number: int) -> str:
        return f"m-0000{number}-of-00002.gguf"

    first, bad = shard(0, 2, 2), "metadata[0].value"
    yield _case("split-number", shard(2, 2, 2), shard(1, 2, 2), bad)
    yield _case("split-left-behind", shard(0, 2, 1), first, "metadata[1].value")
    yield _case("split-keys-idle", shard(0, 0, 1), first, "metadata[0].key.len")
    one = build(first)
    yield RuleCase("split-name", one, one, bad, {"file_name": (named(2), named(1))})
    twice = "m.gguf-00001-of-00002.gguf"
    yield RuleCase("split-name-doubled", one, one, "", {"file_name": (twice, named(1))})
    yield _case("split-tensor-count", shard(0, 2, 0), first, "metadata[2].value")
    second = build(shard(1, 2, 2, tensors=(weight(name=b"other"),))).data
    mark, at = "metadata[1].value", "tensors[0].name.len"
    for code, other in (
        ("split-shard-missing", None),
        ("split-shard-unreadable", b""),
        ("split-shard-unreadable", second[:20]),
        ("split-shard-foreign", build(shard(0, 2, 2)).data),
        ("split-alignment", build(base(Pair(b"general.alignment", b.u32(64)))).data),
        ("split-tensor-duplicate", build(shard(1, 2, 2)).data),
    ):
        beside = {} if other is None else {named(2): other}
        how = {"file_name": named(1), "siblings": (beside, {named(2): second})}
        yield RuleCase(code, one, one, at if code.endswith("duplicate") else mark, how)


def _split_totals() -> Iterator[RuleCase]:
    def shard(no: int, total: int, name: bytes) -> Model:
        return Model(
            (
                Pair(b"split.no", b.u16(no)),
                Pair(b"split.count", b.u16(2)),
                Pair(b"split.tensors.count", b.i32(total)),
            ),
            (weight(name=name),),
        )

    other = {"m-00002-of-00002.gguf": build(shard(1, 2, b"other")).data}
    how = {"file_name": "m-00001-of-00002.gguf", "siblings": other}
    for wrong in (1, 3):
        bad, good = shard(0, wrong, b"one"), shard(0, 2, b"one")
        yield _case("split-tensor-count", bad, good, "metadata[2].value", **how)


def _parse_rules() -> Iterator[RuleCase]:
    good = base()
    yield _case("version-unsupported", base(version=unknown.VERSION), good, "version")
    swapped = build(base(byte_order=b.BIG))
    mixed = swapped.data[:4] + b"\3\0\0\0" + swapped.data[8:]
    yield RuleCase("byte-order-mixed", replace(swapped, data=mixed), build(good), "num_tensors")
    whole = build(good)
    cut = replace(whole, data=whole.data[: whole.at("metadata[1].value")])
    yield RuleCase("header-truncated", cut, whole, "metadata[1].value")
    yield _case("count-impossible", base(num_tensors=2**62), good, "num_tensors")
    long = Pair(b"k", Value(b.STRING, Str(b"text", 2**62)))
    yield _case("length-impossible", base(long), good, "metadata[4].value.len")
    many = [Pair(b"k%d" % i, b.u8(0)) for i in range(65_533)]
    yield _case("limit-exceeded", base(*many), good, "num_metadata")
    deep = Array(b.UINT8)
    for _ in range(8):
        deep = Array(b.ARRAY, (deep,))
    yield _case("array-depth", base(Pair(b"k", Value(b.ARRAY, deep))), good)
    yield _case(
        "value-type-unknown",
        base(Pair(b"k", Value(unknown.VALUE_TYPE, bytes(8)))),
        good,
        "metadata[4].type",
    )
    element = base(Pair(b"k", Value(b.ARRAY, Array(unknown.VALUE_TYPE))))
    yield _case("element-type-unknown", element, good, "metadata[4].value.element_type")


# fmt: off
_GROUPS = (
    _parse_rules, _header, _key_rules, _type_rules, _alignment_rules,
    _model_rules, _token_rules, _tensor_rules, _offset_rules, _extent_rules,
    _split_rules, _split_totals, tail_cases
)
# fmt: on
RULE_CASES: tuple[RuleCase, ...] = (
    *(RuleCase(*case) for case in COMPANION_CASES),
    *(case for group in _GROUPS for case in group()),
)
