"""Transfer and representations together, on made-up text."""

from __future__ import annotations

import pytest

from dovetail import Corpus
from dovetail.compare import Cell
from experiments.together import experiment as together
from experiments.together.experiment import SYSTEMS, TogetherStudy, with_states
from tests.experiments.made_up import make_case, sentences


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(together, "LAYERS", 2)
    monkeypatch.setattr(together, "STATES", 4)


def text() -> Corpus:
    return sentences(50, 3, "ner").without_column("ner")


def test_states_are_further_features_of_the_same_case() -> None:
    plain = make_case()
    found = with_states(plain, text())
    assert found.splits == plain.splits
    for before, after in ((plain.features, found.features), (plain.reading, found.reading)):
        own = [str(e) for e in after.expressions]
        assert own == [*(str(e) for e in before.expressions), "state1", "state2"]
    assert set(found.corpus.names) == {"word", "label", "state1", "state2"}


def test_all_systems_are_measured() -> None:
    study = TogetherStudy("made up", make_case, text())
    assert tuple(study.plan.systems) == SYSTEMS
    found = {system: study.work(Cell(system, 0, 12))["overall"]["f1"] for system in SYSTEMS}
    assert found["none"] != found["states none"]
    assert found["auto"] > found["none"]
    again = TogetherStudy("made up", make_case, text())
    assert again.work(Cell("states auto", 0, 12))["overall"]["f1"] == found["states auto"]
    assert again.fingerprint == study.fingerprint


def test_other_text_gives_another_fingerprint() -> None:
    one, other = (TogetherStudy("made up", make_case, t) for t in (text(), text()[:20]))
    assert one.fingerprint != other.fingerprint
