"""The replay of llama.cpp's loader over small sets of numbers and tensors."""

from __future__ import annotations

from typing import Any

import pytest

from gguf_construct._generated.types import Array, MetadataKv, ValueType
from gguf_construct.validation.loading import Replay, replay

VOCAB = 10


def numbers(**changes: Any) -> dict[str, MetadataKv]:
    """Pairs of a tiny qwen3moe; None removes one, dots in names are written as two underscores."""
    values: dict[str, Any] = {
        "context_length": 16,
        "embedding_length": 8,
        "block_count": 1,
        "attention__head_count": 2,
        "expert_count": 3,
        "expert_used_count": 1,
        "feed_forward_length": 12,
        "expert_feed_forward_length": 6,
        "attention__layer_norm_rms_epsilon": 1e-6,
        **changes,
    }
    found = {}
    for name, value in values.items():
        key = "qwen3moe." + name.replace("__", ".")
        kind = ValueType.FLOAT32 if isinstance(value, float) else ValueType.UINT32
        if isinstance(value, tuple):
            kind, value = ValueType.ARRAY, Array(ValueType.UINT32, len(value), value)
        if value is not None:
            found[key] = MetadataKv(key.encode(), kind, value)
    return found


def tensors(**changes: tuple[int, ...] | None) -> dict[str, tuple[int, ...]]:
    """Its tensors; None removes one."""
    block: dict[str, tuple[int, ...] | None] = {
        "attn_norm": (8,),
        "attn_q": (8, 8),
        "attn_k": (8, 8),
        "attn_v": (8, 8),
        "attn_q_norm": (4,),
        "attn_k_norm": (4,),
        "attn_output": (8, 8),
        "ffn_norm": (8,),
        "ffn_gate_inp": (8, 3),
        "ffn_down_exps": (6, 8, 3),
        "ffn_gate_exps": (8, 6, 3),
        "ffn_up_exps": (8, 6, 3),
    }
    whole = {"token_embd.weight": (8, VOCAB), "output_norm.weight": (8,)}
    added = {name: dims for name, dims in changes.items() if name not in block}
    block.update({name: dims for name, dims in changes.items() if name in block})
    found = {f"blk.0.{name}.weight": dims for name, dims in block.items() if dims is not None}
    for name, dims in added.items():
        if dims is not None:
            found["blk.0." + name.replace("__", ".")] = dims
    return {**whole, **found}


def found(records: dict[str, MetadataKv], names: dict[str, tuple[int, ...]]) -> Replay:
    one = replay("qwen3moe", records, names, VOCAB)
    assert one is not None
    return one


def test_a_whole_model() -> None:
    one = found(numbers(), tensors())
    assert one.is_complete
    assert (one.missing, one.misfits, one.demands, one.missing_keys) == ([], [], [], [])
    assert set(tensors()) <= set(one.asked)


def test_an_architecture_that_is_not_loaded() -> None:
    assert replay("cobol", {}, {}, None) is None


def test_a_number_that_is_missing_is_one_finding() -> None:
    one = found(numbers(attention__layer_norm_rms_epsilon=None), {})
    assert one.missing_keys == ["qwen3moe.attention.layer_norm_rms_epsilon"]
    assert (one.missing, one.is_complete) == ([], False)


def test_a_number_of_the_wrong_type() -> None:
    one = found(numbers(expert_count=3.0), tensors())
    assert [(wrong.key, wrong.wanted) for wrong in one.wrong_types] == [
        ("qwen3moe.expert_count", "uint32")
    ]
    assert not one.is_complete


def test_a_row_of_the_wrong_length() -> None:
    one = found(numbers(attention__head_count=(2, 2)), tensors())
    assert [(wrong.key, wrong.length) for wrong in one.wrong_types] == [
        ("qwen3moe.attention.head_count", 1)
    ]


def test_what_must_hold() -> None:
    one = found(numbers(expert_used_count=4), tensors())
    assert [known_as for _, known_as in one.demands] == ["expert-count"]
    assert not one.is_complete


def test_a_division_by_zero_is_refused() -> None:
    records = numbers(expert_feed_forward_length=None, expert_used_count=(0,))
    records |= {"qwen3moe.expert_count": MetadataKv(b"", ValueType.UINT32, 0)}
    assert found(records, tensors()).demands


@pytest.mark.parametrize(
    ("changes", "missing"),
    [
        ({"attn_norm": None}, ["attn_norm.weight"]),
        ({"attn_q": None}, ["attn_q.weight"]),
        ({"attn_q": None, "attn_k": None, "attn_v": None}, ["attn_qkv.weight"]),
        ({"ffn_down_exps": None}, ["ffn_down_exps.weight"]),
        ({"ffn_up_exps": None}, ["ffn_up_exps.weight"]),
        ({"attn_q__bias": (8,)}, []),
    ],
)
def test_missing_tensors(changes: dict[str, Any], missing: list[str]) -> None:
    one = found(numbers(), tensors(**changes))
    assert one.missing == [f"blk.0.{name}" for name in missing]
    assert one.is_complete


def test_fused_tensors() -> None:
    fused = {"attn_q": None, "attn_k": None, "attn_v": None, "attn_qkv__weight": (8, 24)}
    names = tensors(**fused, attn_qkv__bias=(24,))
    one = found(numbers(), names)
    assert (one.missing, one.misfits, one.is_complete) == ([], [], True)
    assert set(names) <= set(one.asked)
    assert "blk.0.attn_q.bias" not in one.asked


def test_shapes() -> None:
    one = found(numbers(), tensors(attn_q_norm=(8,), ffn_down_exps=(8, 6, 3)))
    assert [(misfit.name, misfit.wanted) for misfit in one.misfits] == [
        ("blk.0.attn_q_norm.weight", (4,)),
        ("blk.0.ffn_down_exps.weight", (6, 8, 3)),
    ]


def test_dimensions_of_1_may_be_left_out() -> None:
    assert found(numbers(expert_count=1), tensors(ffn_gate_inp=(8,))).misfits[0].name != (
        "blk.0.ffn_gate_inp.weight"
    )


def test_an_unknown_vocabulary_demands_no_size() -> None:
    one = replay("qwen3moe", numbers(), tensors(), None)
    assert one is not None
    assert one.misfits == []


def test_scales_stand_beside_weights() -> None:
    one = found(numbers(), tensors(attn_q__scale=(1,), ffn_up_exps__input_scale=(3,)))
    assert {"blk.0.attn_q.scale", "blk.0.ffn_up_exps.input_scale"} <= set(one.asked)
    assert "blk.0.attn_norm.scale" not in one.asked
    assert one.misfits == []
