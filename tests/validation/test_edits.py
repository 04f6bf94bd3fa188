"""An edit never breaks a model unasked: one case for each header rule with severity error."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

import gguf_construct as gc
from gguf_construct._generated.keys import ARCHITECTURES
from gguf_construct._generated.weights import LOADERS
from gguf_construct.cli.main import run
from gguf_construct.errors import EditError, RefusedError, TypeConflictError
from gguf_construct.manifest.edit_text import metadata_text
from gguf_construct.validation.edits import (
    _SUBJECTS,
    errors_added,
    refuse_broken_tensors,
    tensor_errors,
)
from gguf_construct.validation.rules import load
from tools.samples import sample_model

if TYPE_CHECKING:
    from pathlib import Path


class Case(NamedTuple):
    """Edits of the sample model that break a rule: key (or key:type) to value, None removes."""

    code: str
    changes: dict[str, Any]


NO_BLOCKS = {"llama.block_count": 2**31}
NO_LOADER = next(one for one in ARCHITECTURES if one not in LOADERS and one != "clip")
CASES = [
    Case("key-empty", {"": "x"}),
    Case(
        "key-spelt-twice",
        {"llama.attention.clamp_kqv": 1.0, "llama.attention.clip_kqv": 2.0},
    ),
    Case("key-type", {"llama.block_count:uint64": 2}),
    Case("array-nested", {"my.lists:[[uint8]]": [[1]]}),
    Case("value-unexpected", {"llama.rope.scaling.type": "sideways"}),
    Case("alignment-type", {"general.alignment:uint64": 32}),
    Case("alignment-zero", {"general.alignment": 0}),
    Case("alignment-not-power-of-two", {"general.alignment": 48}),
    Case("architecture-unknown", {"general.architecture": "nobody"}),
    Case("architecture-without-loader", {"general.architecture": NO_LOADER}),
    Case("key-missing", {"general.architecture": None}),
    Case("key-missing", {"llama.context_length": None}),
    Case("key-missing", {"tokenizer.ggml.tokens": None}),
    Case("block-count-range", NO_BLOCKS),
    Case("layer-array-length", {"llama.attention.head_count_kv:[uint32]": [2, 2, 2]}),
    Case("head-count-uneven", {"llama.attention.head_count": 5}),
    Case("rope-dimension-count", {"llama.rope.dimension_count": 7}),
    Case("expert-count", {"llama.expert_count": 4, "llama.expert_used_count": 9}),
    Case("nextn-count", {"llama.nextn_predict_layers": 9}),
    Case("count-implausible", {"llama.embedding_length": 2**31}),
    Case("epsilon-negative", {"llama.attention.layer_norm_rms_epsilon": -1.0}),
    Case("tokenizer-unknown", {"tokenizer.ggml.model": "nobody"}),
    Case("tokenizer-pre-unknown", {"tokenizer.ggml.model": "gpt2", "tokenizer.ggml.pre": "odd"}),
    Case("tokenizer-no-merges", {"tokenizer.ggml.model": "gpt2"}),
    Case("tokenizer-array-length", {"tokenizer.ggml.scores": [0.5]}),
    Case("tokenizer-empty", {"tokenizer.ggml.tokens": []}),
    Case("token-duplicate", {"tokenizer.ggml.tokens": ["same"] * 317}),
    Case("token-byte-text", {"tokenizer.ggml.tokens": [str(at) for at in range(317)]}),
    Case("template-security", {"tokenizer.chat_template": "{{ ''.__class__.__mro__ }}"}),
    Case("template-syntax", {"tokenizer.chat_template": "{% for %}"}),
    Case("split-number", {"split.no": 5, "split.count": 2, "split.tensors.count": 30}),
    Case("split-left-behind", {"split.no": 0, "split.count": 2, "split.tensors.count": 21}),
    Case("split-tensor-count", {"split.no": 0, "split.count": 2, "split.tensors.count": 3}),
    Case("tensor-missing", {"llama.block_count": 99}),
    Case("tensor-unexpected", {"llama.block_count": 1}),
    Case("tensor-shape", {"llama.feed_forward_length": 64}),
]
# Rules that no edit of metadata of a model can break, or that need more than the file.
OTHERS = {
    "alignment-too-small": "refused by a check of its own, see below: the new layout is not known",
    "key-duplicate": "no verb makes a second pair of a key",
    "split-name": "looks at the name of the file",
    "split-shard-missing": "looks at other files",
    "split-shard-unreadable": "looks at other files",
    "split-shard-foreign": "looks at other files",
    "split-tensor-duplicate": "looks at other files",
    "numbers-refused": "speaks of numbers that a model such as the sample does not have",
    "token-of-name-missing": "of a key such as general.name an edit checks the form only",
    "tensor-type-unusable": "looks at the types of tensors",
    "no-tensors": "looks at the number of tensors",
}
SOUND = sample_model()


def _ids(case: Case) -> str:
    return f"{case.code}:{','.join(case.changes)}"[:60]


def test_every_header_rule_has_a_case() -> None:
    rules = {
        one.code
        for one in load().values()
        if one.llama == "error" and one.subject in _SUBJECTS and one.check and not one.reads_data
    }
    assert rules - {case.code for case in CASES} - set(OTHERS) == set()
    assert {case.code for case in CASES} | set(OTHERS) <= rules


@pytest.mark.parametrize("case", CASES, ids=_ids)
class TestEveryRule:
    def test_the_edit_breaks_it(self, case: Case) -> None:
        with gc.open(SOUND) as model:
            gc.edit(model, case.changes, force=True, force_type=True)
            assert case.code in {one.code for one in errors_added(model)}

    def test_the_library_refuses_it(self, case: Case, tmp_path: Path) -> None:
        with gc.open(SOUND) as model:
            before = [field.encoded for field in model.metadata.fields()]
            with pytest.raises((EditError, TypeConflictError), match=r"\w"):
                gc.edit(model, case.changes)
            assert [field.encoded for field in model.metadata.fields()] == before

    def test_saving_refuses_it(self, case: Case, tmp_path: Path) -> None:
        path = tmp_path / "out.gguf"
        with gc.open(SOUND) as model:
            for name, value in case.changes.items():
                key, _, spec = name.partition(":")
                if value is None:
                    del model.metadata[key]
                else:
                    model.metadata.set(key, value, spec or None)
            with pytest.raises(RefusedError, match="this edit would add"):
                model.save(path)
            assert not path.exists()
            model.save(path, force=True)
        assert path.exists()

    def test_the_text_editor_refuses_it(self, case: Case) -> None:
        with gc.open(SOUND) as model:
            gc.edit(model, case.changes, force=True, force_type=True)
            text = metadata_text(model)
        with gc.open(SOUND) as model:
            if "!keep" in text and "tokenizer.ggml.tokens" in case.changes:
                text = text.replace("!keep 26", "!keep 27").replace("!keep 25", "!keep 26")
            with pytest.raises(gc.GGUFError, match=r"\w"):
                gc.apply_text(model, text)
            assert not model.metadata.is_changed

    def test_the_verbs_refuse_it(self, case: Case, tmp_path: Path) -> None:
        path = tmp_path / "m.gguf"
        path.write_bytes(SOUND)
        unset = [key for key, value in case.changes.items() if value is None]
        values = {key: value for key, value in case.changes.items() if value is not None}
        shown = [f"{key}={str(value).replace(chr(39), chr(34))}" for key, value in values.items()]
        if not unset:
            assert run(["set", str(path), "-i", *shown]) == 2
        elif not values:
            assert run(["unset", str(path), "-i", *unset]) == 2
            assert run(["rename", str(path), "-i", unset[0], "x.renamed"]) == 2
            assert run(["unset", str(path), "-i", "-q", "--force-value", *unset]) == 0
            return
        assert path.read_bytes() == SOUND


def test_a_broken_model_can_be_edited(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(SOUND)
    forced = ["set", str(path), "-i", "llama.block_count=99", "--force-value"]
    assert run(forced) == 0
    assert (
        "this edit adds 100 errors: 'blk.2.attn_norm.weight' is missing" in capfd.readouterr().err
    )
    assert run(["set", str(path), "-i", "general.name=hi"]) == 0
    assert run(["set", str(path), "-i", "llama.block_count=98"]) == 0  # as broken as before
    assert run(["unset", str(path), "-i", "general.architecture"]) == 2
    assert run(["set", str(path), "-i", "llama.block_count=2"]) == 0
    assert gc.validate(path).ok


def test_tokens_and_templates_follow_the_same_rule(tmp_path: Path) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(SOUND)
    assert run(["token", "set", str(path), "eos", "900", "-i"]) == 2
    assert run(["template", "set", str(path), "{% for %}{{ x }}", "-i"]) == 2
    assert run(["repack", str(path), "-i", "--alignment", "48"]) == 2
    assert run(["repack", str(path), "-i", "--alignment", "8"]) == 2
    assert run(["set", str(path), "-i", "general.alignment=8"]) == 2
    assert run(["template", "unset", str(path), "-i", "-n"]) == 0
    assert path.read_bytes() == SOUND


def test_an_edit_that_insisted_once_need_not_insist_again(tmp_path: Path) -> None:
    with gc.open(SOUND) as model:
        gc.edit(model, {"llama.block_count": 99}, force=True)
        model.save(tmp_path / "forced.gguf")
        model.metadata.restore((list(model.metadata.as_read), False))
    with gc.open(tmp_path / "forced.gguf") as model:
        assert not model.metadata.is_forced
        assert model.metadata["llama.block_count"] == 99


def test_only_errors_that_tensors_did_not_have_before_are_refused() -> None:
    with gc.open(SOUND) as model:
        assert tensor_errors(model) == []
        del model.tensors["output_norm.weight"]
        before = tensor_errors(model)
        assert [one.code for one in before] == ["tensor-missing"]
        refuse_broken_tensors(model, before)
        del model.tensors["blk.0.ffn_up.weight"]
        with pytest.raises(RefusedError, match=r"add an error: 'blk\.0\.ffn_up\.weight'"):
            refuse_broken_tensors(model, before)
