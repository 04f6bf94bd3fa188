"""The check of a new file at the level ``header``: every byte of the header is the planned one."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

import gguf_construct as gc
from gguf_construct._generated.types import LIMITS
from gguf_construct.errors import VerificationError
from gguf_construct.planning.convert import plan_convert
from gguf_construct.planning.options import SaveOptions
from gguf_construct.planning.strategy import FileFacts, plan_save
from gguf_construct.storage.save.verify_new import make_plan_check
from gguf_construct.storage.write.new_file import write_plan
from tools.samples import sample_model

if TYPE_CHECKING:
    from pathlib import Path

    from gguf_construct.core.chunks import WritePlan
    from gguf_construct.model import Model


def _check(model: Model, plan: WritePlan, path: Path) -> None:
    check = make_plan_check(plan, model, model.source, SaveOptions())
    assert check is not None
    check(os.fspath(path))


def _plans(model: Model) -> list[WritePlan]:
    reserved = plan_save(model, FileFacts(), SaveOptions(reserve=100)).plan
    assert reserved.header_nbytes is not None
    return [reserved, plan_convert(model, byte_order="big").plan]


@pytest.mark.parametrize("number", [0, 1], ids=["edit", "convert"])
def test_any_changed_byte_of_the_header_is_noticed(tmp_path: Path, number: int) -> None:
    path = tmp_path / "new.gguf"
    with gc.open(sample_model()) as model:
        model.metadata["general.name"] = "another"
        plan = _plans(model)[number]
        write_plan(plan, [model.source], path)
        _check(model, plan, path)
        data = bytearray(path.read_bytes())
        size = plan.header_nbytes or 0
        # The last bytes are a tensor's offset and, before the tensors, the reserve.
        for at in [*range(0, size, 97), *range(size - 400, size)]:
            data[at] ^= 32
            path.write_bytes(data)
            with pytest.raises(VerificationError):
                _check(model, plan, path)
            data[at] ^= 32


def test_another_size_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "new.gguf"
    with gc.open(sample_model()) as model:
        plan = _plans(model)[0]
        write_plan(plan, [model.source], path)
        data = path.read_bytes()
        for other in (data + b"\0", data[:-1], b""):
            path.write_bytes(other)
            with pytest.raises(VerificationError, match="bytes instead of"):
                _check(model, plan, path)


def test_an_edit_has_to_keep_the_limits_of_the_model(tmp_path: Path) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(before := sample_model())
    longest = LIMITS._replace(max_string_nbytes=5000)
    with gc.open(path, limits=longest) as model:
        model.metadata.set("general.description", "x" * 5001)
        with pytest.raises(VerificationError, match="max_string_nbytes"):
            model.save(overwrite=True, strategy="replace")
    assert path.read_bytes() == before


def test_what_cannot_be_read_again_is_named(tmp_path: Path) -> None:
    few = LIMITS._replace(max_array_elements=1500)
    with (
        gc.open(sample_model(), limits=few) as model,
        pytest.raises(VerificationError, match="max_array_elements"),
    ):
        model.save(tmp_path / "new.gguf", reserve=4000)
