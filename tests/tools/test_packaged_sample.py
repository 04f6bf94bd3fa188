"""The sample that is installed with the package is what tools/samples.py writes."""

from __future__ import annotations

from gguf_construct.storage.source.resources import sample_path
from tools.samples import sample_model


def test_the_packaged_sample_is_up_to_date() -> None:
    assert sample_path().read_bytes() == sample_model()
