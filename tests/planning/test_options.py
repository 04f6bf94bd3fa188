"""How a save is asked for."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, fields

import pytest

from gguf_construct.planning.options import CHOICES, STRATEGIES, SaveOptions


def test_what_may_be_asked_for_has_a_name() -> None:
    assert {*CHOICES} - {"auto"} < {*STRATEGIES}
    assert {*STRATEGIES} - {*CHOICES} == {"none", "repair"}
    assert len(set(STRATEGIES.values())) == len(STRATEGIES)


def test_the_defaults_replace_the_file_with_care() -> None:
    options = SaveOptions()
    assert (options.strategy, options.verify) == ("replace", "header")
    assert not options.overwrite
    assert not options.sync
    assert not options.force
    others = {"strategy", "verify", "overwrite", "sync", "force"}
    assert all(
        getattr(options, field.name) is None
        for field in fields(options)
        if field.name not in others
    )


def test_options_are_handed_on_unchanged() -> None:
    with pytest.raises(FrozenInstanceError, match="strategy"):
        SaveOptions().strategy = "auto"  # type: ignore[misc]
