"""Validation as a whole: real files, hand-made ones, cut ones, hostile ones."""

from __future__ import annotations

import pickle
import random
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from gguf_construct._generated.types import LIMITS
from gguf_construct.errors import GGUFError, ValidationError
from gguf_construct.model import open_model
from gguf_construct.storage.source.source import open_source
from gguf_construct.validation.rules import PROFILES
from gguf_construct.validation.validate import MAX_PER_RULE, Report, validate, validate_document
from tests.support import builders as b
from tests.support import unknown
from tests.support.builders import Model, Pair, Tensor, build
from tests.support.cases import BAD, NOT_GGUF, VALID, cuts, small_models
from tests.support.cases_model import MODEL_CASES, renamed, sound
from tests.support.cases_valid import base, weight
from tests.support.mutations import mutations
from tests.support.shared import needs_shared, sound_files

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.cases import BadCase, NotGGUF, ValidCase
    from tests.support.cases_model import ModelCase

# What every file says that is no whole model.
NO_MODEL = {"key-missing", "tensor-missing", "no-tensors", "tensor-unexpected", "byte-order-big"}
BEHIND_THE_LOADER = {"alignment-too-small", "key-type", "template-syntax", "token-duplicate"}
# llama.cpp loads these, but they do not work as they should: a warning says so.
BROKEN_ALL_THE_SAME = {
    "model-no-eos",
    "model-eos-beyond",
    "model-eos-huge",
    "model-bos-beyond",
    "model-file-type",
}


def _errors(report: Report) -> set[str]:
    return {one.code for one in report.errors} - NO_MODEL


# ---- what must pass -------------------------------------------------------------------------


@needs_shared
@pytest.mark.parametrize("path", sound_files(), ids=lambda path: path.name)
def test_real_files_have_no_errors(path: Path) -> None:
    with open_source(path) as source:
        report = validate(source.buffer, file_name=path.name, data=True)
    expected = {"byte-order-big"} if path.name == "be.gguf" else set()
    assert {one.code for one in report.errors} == expected


def test_the_sample_model_has_no_problems() -> None:
    for profile in PROFILES:
        assert validate(build(sound()).data, profile=profile, data=True).problems == ()


@pytest.mark.parametrize("case", VALID, ids=str)
def test_odd_but_valid_files(case: ValidCase) -> None:
    """Errors are what ggml's loader refuses, or llama.cpp behind it."""
    report = validate(case.data)
    assert report.error is None
    if case.ggml == "accepts":
        assert _errors(report) <= BEHIND_THE_LOADER
    else:
        assert _errors(report)


# ---- what must not --------------------------------------------------------------------------


@pytest.mark.parametrize("case", BAD, ids=str)
def test_bad_files_are_reported_at_the_wrong_field(case: BadCase) -> None:
    report = validate(case.data)
    assert _errors(report)
    assert (report.error is not None) == (case.stage == "parse") or case.stage == "either"
    if case.offsets:
        assert {one.offset for one in report.errors} & set(case.offsets)


@pytest.mark.parametrize("case", MODEL_CASES, ids=str)
def test_models_that_llama_refuses_do_not_pass(case: ModelCase) -> None:
    report = validate(case.data, file_name="model.gguf")
    assert report.ok == (case.llama == "accepts")
    warned = any(one.severity == "warning" for one in report.problems)
    assert warned or case.name not in BROKEN_ALL_THE_SAME


@pytest.mark.parametrize("sample", NOT_GGUF, ids=lambda sample: sample.name)
def test_other_files(sample: NotGGUF) -> None:
    (problem,) = validate(sample.data).problems
    assert problem.code.startswith("not-gguf")
    assert any(word in (problem.message + (problem.hint or "")).lower() for word in sample.words)


@pytest.mark.parametrize("name", [name for name, _ in small_models()])
def test_cut_files(name: str) -> None:
    for cut in cuts(dict(small_models())[name]):
        report = validate(cut.data)
        if not cut.in_header:
            wanted = "data-truncated" if cut.missing else "padding-missing"
            assert wanted in report.codes, cut.size
            assert report.error is None
        elif cut.size >= 4:
            assert {one.offset for one in report.problems} & set(cut.offsets), cut.size
            assert "header-truncated" in report.codes
        else:
            assert report.codes == {"not-gguf-empty"}


# ---- one problem does not hide the next -----------------------------------------------------


def test_a_broken_tensor_info_hides_nothing_before_it() -> None:
    tensors = [weight(name=b"t%d" % at) for at in range(50)]
    tensors[10] = Tensor(b"odd", (33,), 2, bytes(36))
    model = base(Pair(b"twice", b.u8(1)), Pair(b"twice", b.u8(1)), tensors=tuple(tensors))
    built = build(model)
    cut = built.data[: built.at("tensors[40].type")]
    report = validate(cut)
    assert {"key-duplicate", "tensor-rows-not-blocks", "header-truncated"} <= report.codes
    # Of what could not be read, nothing is said.
    assert not report.codes & {"key-missing", "data-truncated", "tensor-missing"}


def test_a_broken_pair_hides_nothing_before_it() -> None:
    model = base(
        Pair(b"", b.u8(1)), Pair(b"k", b.Value(unknown.VALUE_TYPE, bytes(4))), Pair(b"z", b.u8(1))
    )
    assert {"key-empty", "value-type-unknown"} <= validate(build(model).data).codes


def test_a_false_count_hides_nothing_else() -> None:
    model = base(Pair(b"", b.u8(1)), num_tensors=2**40)
    assert {"key-empty", "count-impossible"} <= validate(build(model).data).codes


def test_many_faults_at_once() -> None:
    pairs = (
        Pair(b"general.alignment", b.u32(48)),
        Pair(b"general.alignment", b.u32(48)),
        Pair(b"n", b.array(b.ARRAY, b.Array(b.UINT8))),
        Pair(b"flag", b.boolean(7)),
    )
    tensors = (weight(name=b"x"), weight(name=b"x"), Tensor(b"y", (1, 1, 1, 1, 1), 99, bytes(4)))
    report = validate(build(base(*pairs, tensors=tensors, tail=b"x")).data)
    assert report.codes >= {
        "alignment-not-power-of-two",
        "array-nested",
        "bool-byte",
        "key-duplicate",
        "tensor-dims-count",
        "tensor-name-duplicate",
        "tensor-type-unknown",
    }


def test_problems_come_in_file_order() -> None:
    model = base(Pair(b"", b.u8(1)), tensors=(Tensor(b"t", (33,), 99, bytes(8)),))
    offsets = [one.offset for one in validate(build(model).data).problems]
    places = [one for one in offsets if one is not None]
    assert places == sorted(places)
    assert offsets == places + [None] * (len(offsets) - len(places))


# ---- hostile files --------------------------------------------------------------------------


def test_endless_findings_are_cut_short() -> None:
    pairs = [Pair(b"same", b.u8(1))] * 5000
    report = validate(build(base(*pairs)).data)
    found = [one for one in report.problems if one.code == "key-duplicate"]
    assert len(found) == MAX_PER_RULE + 1
    assert "more of these" in found[-1].message
    assert found[-1].severity == "info"


def test_hostile_numbers_of_layers_cost_nothing() -> None:
    huge = {b"block_count": 2**32 - 1, b"embedding_length": 2**32 - 1, b"expert_count": 2**32 - 1}
    pairs = [Pair(b"llama." + key, b.u32(value)) for key, value in huge.items()]
    pairs += [Pair(b"split.count", b.u16(65535)), Pair(b"general.base_model.count", b.u32(2**31))]
    model = Model((Pair(b"general.architecture", b.text("llama")), *pairs), (weight(),))
    report = validate(build(model).data, file_name="m-00001-of-65535.gguf", siblings={})
    assert not report.ok
    assert len(report.problems) < 500


def test_nothing_but_ggufs_own_errors_for_mutated_files() -> None:
    seed = build(replace(sound(), tensors=sound().tensors[:3])).data
    for data in mutations(seed, random.Random(7), 150):
        report = validate(data, data=True)
        assert report.error is None or isinstance(report.error, GGUFError)


def test_hostile_templates_are_not_all_parsed() -> None:
    pairs = [
        Pair(b"tokenizer.chat_template.%d" % at, b.text("{{ a }}" * 3000)) for at in range(200)
    ]
    found = [one for one in validate(build(base(*pairs)).data).problems if "template" in one.code]
    assert len(found) == MAX_PER_RULE + 1
    assert all("not checked" in one.message for one in found[:-1])


def test_limits_are_obeyed() -> None:
    data = build(base(*(Pair(b"k%d" % at, b.u8(0)) for at in range(10)))).data
    report = validate(data, limits=LIMITS._replace(max_metadata=5))
    assert "limit-exceeded" in report.codes
    assert "limit-exceeded" not in validate(data).codes


# ---- profiles and reports -------------------------------------------------------------------


def test_profiles_differ() -> None:
    aligned = build(base(Pair(b"general.alignment", b.u32(48)))).data
    assert "alignment-not-power-of-two" in validate(aligned).codes
    assert "alignment-not-power-of-two" not in validate(aligned, profile="spec").codes
    small = build(base(Pair(b"general.alignment", b.u32(4)))).data
    assert "alignment-not-multiple-of-8" in validate(small, profile="spec").codes
    assert "alignment-not-multiple-of-8" not in validate(small).codes
    with pytest.raises(ValueError, match="no profile"):
        validate(small, profile="ollama")


def test_the_report() -> None:
    report = validate(build(base(Pair(b"", b.u8(1)))).data)
    assert not report.ok
    assert set(report.errors) | set(report.warnings) <= set(report.problems)
    with pytest.raises(ValidationError) as caught:
        report.raise_for_errors()
    assert caught.value.report is report
    assert caught.value.offset == report.errors[0].offset
    assert pickle.loads(pickle.dumps(caught.value)).message == caught.value.message
    validate(build(sound()).data).raise_for_errors()


@pytest.mark.parametrize("text", [b"<", b"", b"<\0x04>"])
def test_byte_tokens_that_kill_llama_are_errors(text: bytes) -> None:
    """Found by comparing mutated models with a real llama.cpp: it sees the text up to a NUL."""
    pairs = list(sound().pairs)
    at = next(i for i, pair in enumerate(pairs) if pair.key == b"tokenizer.ggml.tokens")
    tokens = pairs[at].value.payload.items
    items = b.Array(b.STRING, (*tokens[:9], text, *tokens[10:]))
    pairs[at] = Pair(pairs[at].key, b.Value(b.ARRAY, items))
    report = validate(build(replace(sound(), pairs=tuple(pairs))).data)
    assert [one.code for one in report.errors] == ["token-byte-text"]


def test_an_open_model_is_validated() -> None:
    with open_model(build(sound()).data) as model:
        assert validate_document(model).ok


def test_a_file_that_is_no_model_of_llama() -> None:
    pairs = (Pair(b"general.architecture", b.text("mine")), Pair(b"x", b.u8(1)))
    report = validate(build(Model(pairs, (weight(),))).data)
    assert report.ok
    assert report.codes == {"architecture-unknown"}


@pytest.mark.parametrize("architecture", ["qwen2", "internlm2", "xverse", "mistral3"])
def test_architectures_of_the_same_tensors(architecture: str) -> None:
    assert validate(build(renamed(architecture.encode())).data).problems == ()


@pytest.mark.parametrize(
    ("architecture", "code"),
    [
        ("olmo2", "tensor-missing"),  # norms of queries and keys
        ("gemma", "tensor-unexpected"),  # no output tensor
        ("chatglm", "tensor-shape"),  # a twice as wide ffn_up
        ("phi3", "tensor-shape"),
        ("t5", "key-missing"),  # nothing follows from a number that is not there
    ],
)
def test_architectures_of_other_tensors(architecture: str, code: str) -> None:
    assert code in validate(build(renamed(architecture.encode())).data).codes
