"""Facts of a training that are not the same twice, and how they are made so."""

from __future__ import annotations

import re

import pytest

from dovetail.base.training import training_date, training_seconds


def test_the_date_can_be_set_as_for_reproducible_builds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    assert (training_date(), training_seconds(1.5)) == ("1970-01-02", 0.0)
    monkeypatch.delenv("SOURCE_DATE_EPOCH")
    assert training_seconds(1.5) == 1.5
    assert re.fullmatch(r"20\d\d-\d\d-\d\d", training_date())
