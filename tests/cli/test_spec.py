"""``spec``: the schemas as they are installed."""

from __future__ import annotations

import pytest

from gguf_construct.cli.main import run
from gguf_construct.cli.spec import _complete
from gguf_construct.storage.source.resources import spec_names, spec_text


@pytest.mark.parametrize("name", ["", "gguf", "ggml", "keys"])
def test_schemas_are_printed(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["spec", *([name] if name else [])]) == 0
    assert capfd.readouterr().out == spec_text(spec_names()[name or "gguf"])


def test_other_names_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["spec", "nothing"]) == 2
    assert "no schema 'nothing'; choose from ggml, gguf, keys" in capsys.readouterr().err


def test_names_are_completed() -> None:
    found = _complete(None, None, "gg")  # type: ignore[arg-type]
    assert found == ["ggml", "gguf"]
    assert set(_complete(None, None, "")) == set(spec_names())  # type: ignore[arg-type]
