"""Pairs copied between files of any version and byte order become what that file would hold."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import pytest

from gguf_construct.model import open_model
from tests.support.cases import VALID, ValidCase

if TYPE_CHECKING:
    from gguf_construct.core.document import Document


def _families() -> dict[str, list[ValidCase]]:
    """The cases that hold the same content in each version and byte order."""
    found: dict[str, list[ValidCase]] = defaultdict(list)
    for case in VALID:
        name, _, version = case.name.rpartition("-v")
        if name and version in ("1-little", "1-big", "2-little", "2-big", "3-little", "3-big"):
            found[name].append(case)
    return {name: cases for name, cases in found.items() if len(cases) == 6}


FAMILIES = _families()


def _copied(source: Document, target: bytes) -> bytes:
    model = open_model(target)
    for key in list(model.metadata):
        del model.metadata[key]
    for field in source.metadata.fields():
        model.metadata.set(field.key, field)
    return model.to_bytes()


@pytest.mark.parametrize("name", FAMILIES)
def test_fields_copied_into_any_file(name: str) -> None:
    for source in FAMILIES[name]:
        document = open_model(source.data)
        for target in FAMILIES[name]:
            assert _copied(document, target.data) == target.data, (source.name, target.name)


def test_there_are_families_to_copy() -> None:
    assert {"all-float32", "strings", "nested", "keys-odd", "all-bool"} <= set(FAMILIES)
