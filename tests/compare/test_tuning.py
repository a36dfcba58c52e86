"""Grids of strengths: what is learned, what is measured, what is kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dovetail import Corpus, DataError, Tagger
from dovetail.compare import Store, run, tuning
from dovetail.compare.measures import explained_entropy, label_entropy, label_likelihood
from dovetail.compare.tuning import ALONE, Grid, Tuning, TuningData
from dovetail.compare.tuning_plot import choose_axes
from dovetail.compare.tuning_results import TuningResult, find_best_point, name_point, rank_results
from dovetail.compare.tuning_table import as_text
from dovetail.corpus import Column, SoftColumn
from dovetail.pipeline import Pipeline
from dovetail.representation import BiasedHMM, Entropy, Representation, WordClasses
from dovetail.representation.build import train_representation
from representation.texts import news, novel

SMALL: dict[str, Any] = {"min_count": 1, "threads": 1}
HMMS: dict[str, Any] = {**SMALL, "rounds": 4}


def data(n: int = 12, target: Corpus | None = None, label: str = "pos") -> TuningData:
    other = {"pos": "half", "half": "pos"}[label]
    train, development = (news(n, seed).without_column(other) for seed in (0, 5))
    return TuningData(train, development, label, "word", target)


def tried(tuned: Tuning, folder: Path) -> list[TuningResult]:
    return rank_results(run(tuned.plan, tuned.work, Store(folder / "r.jsonl", tuned.fingerprint)))


def of_point(found: list[TuningResult], **point: float) -> TuningResult:
    return next(one for one in found if one.point == point)


@pytest.fixture
def learnings(monkeypatch: pytest.MonkeyPatch) -> list[Representation]:
    """All representations that are learned."""
    seen: list[Representation] = []

    def noted(representation: Representation, *texts: Any) -> Representation:
        seen.append(representation)
        return train_representation(representation, *texts)

    monkeypatch.setattr(tuning, "train_representation", noted)
    return seen


def test_points_are_ranked_by_the_likelihood_of_labels(tmp_path: Path) -> None:
    grid: Grid = {"states": [2, 3], "value": [0.1, 1]}
    found = tried(Tuning("classes", grid, data(), c2=0.1, **SMALL), tmp_path)
    scores = [one.likelihood for one in found]
    assert scores == sorted(scores, reverse=True)
    assert {one.name for one in found} >= {ALONE, "states 2, value 0.1"}
    assert len(found) == 5
    first = find_best_point(found)
    assert first is not None
    assert first.likelihood == max(one.likelihood for one in found if one.point is not None)


def test_a_point_is_what_a_pipeline_does_with_it(tmp_path: Path) -> None:
    m = data(target=novel(20), label="half")
    tuned = Tuning("biased", {"states": [3], "entropy": [5.0], "value": [0.5]}, m, c2=0.1, **HMMS)
    [one] = [one for one in tried(tuned, tmp_path) if one.point is not None]
    hmm = BiasedHMM(3, [Entropy("half", 5.0)], value=0.5, **HMMS).fit(m.train, m.target)
    tagger = Tagger(c2=0.1, threads=1)
    clean = hmm.annotate_left_out(m.train, m.target)
    pipeline = Pipeline({"state": hmm, "half": tagger}).fit(clean)
    read: Any = pipeline["half"]
    development = hmm.annotate(m.development)
    assert one.likelihood == pytest.approx(label_likelihood(read, development, "half"), abs=1e-9)
    leaking: Any = Pipeline({"state": hmm, "half": Tagger(c2=0.1, threads=1)}).fit(m.train)["half"]
    assert one.likelihood != pytest.approx(label_likelihood(leaking, development, "half"), abs=1e-7)


def test_the_tagger_alone_is_tried_too(tmp_path: Path) -> None:
    m = data()
    found = tried(Tuning("classes", {"states": [2]}, m, c2=0.1, **SMALL), tmp_path)
    alone = next(one for one in found if one.point is None)
    tagger = Tagger(c2=0.1, threads=1).fit(m.train, label="pos")
    assert alone.likelihood == pytest.approx(
        label_likelihood(tagger, m.development, "pos"), abs=1e-9
    )


def test_values_and_layers_reuse_what_was_learned(
    tmp_path: Path, learnings: list[Representation]
) -> None:
    m = data()
    grid: Grid = {"states": [3], "layers": [1, 2], "value": [0.3, 1], "repel": [0, 0.5]}
    together = tried(Tuning("layered", grid, m, **HMMS), tmp_path)
    assert len(learnings) == 2
    apart: Grid = {"states": [3], "layers": [1], "value": [1], "repel": [0.5]}
    (tmp_path / "apart").mkdir()
    alone = tried(Tuning("layered", apart, m, **HMMS), tmp_path / "apart")
    point = {name: values[0] for name, values in apart.items()}
    assert of_point(together, **point).likelihood == of_point(alone, **point).likelihood


def test_what_is_kept_is_not_done_again(tmp_path: Path, learnings: list[Representation]) -> None:
    m = data()
    first = tried(Tuning("classes", {"states": [2]}, m, **SMALL), tmp_path)
    more = tried(Tuning("classes", {"states": [2, 3]}, m, **SMALL), tmp_path)
    assert [one.classes for one in learnings if isinstance(one, WordClasses)] == [2, 3]
    assert {one.name: one for one in first}.items() <= {one.name: one for one in more}.items()


def test_results_are_those_of_the_same_text_and_settings() -> None:
    def mark(m: TuningData, kind: Any = "hmm", **how: Any) -> str:
        return Tuning(kind, {}, m, **{**SMALL, **how}).fingerprint

    usual = mark(data())
    assert usual == mark(data(), threads=2)
    other = [
        mark(data(13)),
        mark(data(target=novel(3))),
        mark(data(), c2=0.5),
        mark(data(), min_count=2),
        mark(data(), kind="classes"),
    ]
    assert usual not in other
    assert len({*other}) == len(other)


def test_properties_are_measured_on_development_text(tmp_path: Path) -> None:
    m = data(target=novel(20))
    grid: Grid = {"states": [3], "layers": [1, 2], "distance": [0, 2]}
    found = tried(Tuning("layered", grid, m, **HMMS), tmp_path)
    one = of_point(found, states=3, layers=1, distance=0)
    assert one.properties["predict"] is None
    assert one.properties["entropy"] is not None
    assert 0 <= (one.properties["distance"] or 0) <= 2
    assert of_point(found, states=3, layers=2, distance=2).properties["predict"] is not None
    unread = tried(Tuning("hmm", {"states": [3]}, data(), **HMMS), tmp_path)
    assert of_point(unread, states=3).properties["distance"] is None


def test_spans_have_f1(tmp_path: Path) -> None:
    def spans(corpus: Corpus) -> Corpus:
        lists = [["B-X" if tag == "N" else "O" for tag in tags] for tags in corpus.lists("pos")]
        return corpus.with_column("pos", lists)

    m = data()
    entities = TuningData(spans(m.train), spans(m.development), "pos", "word")
    [one] = [
        one
        for one in tried(Tuning("classes", {"states": [3]}, entities, **SMALL), tmp_path)
        if one.point is not None
    ]
    assert one.f1 == one.score > 0.5


def test_a_training_that_was_interrupted_is_no_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(self: WordClasses, *_given: Any, **_more: Any) -> WordClasses:
        self.stopped_ = "interrupted after 1 passes; what there is is kept"
        return self

    monkeypatch.setattr(WordClasses, "fit", interrupted)
    tuned = Tuning("classes", {"states": [2]}, data(), **SMALL)
    store = Store(tmp_path / "r.jsonl", tuned.fingerprint)
    with pytest.raises(KeyboardInterrupt):
        run(tuned.plan, tuned.work, store)
    assert [store.get(cell) is not None for cell in tuned.plan.cells] == [True, False]


@pytest.mark.parametrize(
    ("kind", "grid", "words"),
    [
        ("hmm", {"entropy": [1]}, "entropy does not go with the kind hmm"),
        ("classes", {"sigma": [1]}, "sigma does not go with the kind classes"),
        ("biased", {"layers": [1]}, "layers does not go with the kind biased"),
        ("biased", {"value": [1]}, "needs a bias: give values of entropy or distance"),
        ("biased", {"distance": [1]}, "needs text of the target"),
        ("layered", {"sigma": [1]}, "sigma bounds biases"),
        ("layered", {"layers": [1.5]}, "layers is 1.5; give a whole number"),
        ("hmm", {"value": [0.5, 0]}, "value is 0; give a number above 0"),
        ("hmm", {"states": []}, "no value of states"),
        ("classes", {"states": [70000]}, "cannot be 70000 classes"),
    ],
)
def test_strengths_that_cannot_be(kind: Any, grid: Any, words: str) -> None:
    with pytest.raises(DataError, match=words):
        Tuning(kind, grid, data())


def test_text_that_cannot_be() -> None:
    m = data()
    with pytest.raises(DataError, match="the development text has no column 'pos'"):
        TuningData(m.train, novel(3), "pos", "word")
    with pytest.raises(DataError, match="the training text has no column 'tag'"):
        TuningData(m.train, m.development, "tag", "word")
    with pytest.raises(DataError, match="both the words and their labels"):
        TuningData(m.train, m.development, "word", "word")
    partly = m.development.with_column("pos", [[None] * len(own) for own in m.development])
    with pytest.raises(DataError, match="tokens without a label"):
        TuningData(m.train, partly, "pos", "word")
    taken = m.train.with_column("state", m.train.column("word"))
    with pytest.raises(DataError, match="has a column 'state'"):
        Tuning("hmm", {}, TuningData(taken, taken, "pos", "word"))


def test_labels_that_were_not_trained_are_left_out() -> None:
    m = data()
    tagger = Tagger(threads=1).fit(m.train, label="pos")
    odd = Corpus.from_lists({"word": [["the"]], "pos": [["X"]]})
    more = Corpus.concatenate([m.development, odd])
    assert label_likelihood(tagger, more, "pos") == label_likelihood(tagger, m.development, "pos")
    with pytest.raises(DataError, match="labels that were not trained"):
        label_likelihood(tagger, odd, "pos")


def test_what_biases_are_to_change() -> None:
    corpus = Corpus.from_lists({"a": [["x", "y"] * 4], "b": [["u", "u", "v", "v"] * 2]})
    assert label_entropy(corpus, ["a"], "a") == pytest.approx(0)
    assert label_entropy(corpus, ["b"], "a") == pytest.approx(np.log(2))
    assert explained_entropy(corpus, ["a", "a"]) == pytest.approx(1)
    assert explained_entropy(corpus, ["a", "b"]) == pytest.approx(0)
    same = corpus.with_column("one", Column(np.zeros(8, np.int32), ("s",)))
    assert explained_entropy(same, ["one", "a"]) is None
    soft = corpus.with_column("soft", SoftColumn.of(("s", "t"), np.full((8, 2), 0.5)))
    assert label_entropy(soft, ["soft"], "a") == pytest.approx(np.log(2))


def test_the_table_says_where_the_best_point_lies() -> None:
    def one(likelihood: float, **point: float) -> TuningResult:
        return TuningResult(name_point(point), point or None, likelihood, 0.5, None, {}, 1.0)

    grid = [one(-v, value=v, entropy=v - 1) for v in (1, 2, 3)]
    better = as_text([*grid, one(-4)], ["value", "entropy"])
    assert "better than a tagger without it (none) by 3.0000" in better
    assert "at the edge of the grid: value; further" in better  # a weight of 0 is no edge
    worse = as_text([one(-0.5), *grid[:2]], ["value", "entropy"])
    assert "no point is better" in worse
    assert "edge" not in worse


def test_a_picture_shows_the_strengths_with_most_values() -> None:
    assert choose_axes({"states": [1], "value": [1, 2]}) == ("value", None)
    assert choose_axes({"entropy": [1, 2], "sigma": [1, 2, 3]}) == ("sigma", "entropy")
    with pytest.raises(DataError, match="at least two values"):
        choose_axes({"states": [1]})
