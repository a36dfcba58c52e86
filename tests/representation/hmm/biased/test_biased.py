"""Biases: each moves its own property; labels do not leak; files; bad input."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dovetail.base import training
from dovetail.corpus import Corpus, SoftColumn
from dovetail.errors import DataError
from dovetail.representation import HMM, BiasedHMM, Distance, Entropy, Predict, Progress, TokenCost
from dovetail.representation.bias.bias import conditional_entropy
from representation.texts import news, novel


def biased(*properties: Any, **settings: Any) -> BiasedHMM:
    defaults = {"start": "random", "min_count": 1, "rounds": 15, "threads": 1, "tolerance": 0.0}
    return BiasedHMM(settings.pop("states", 6), properties, **{**defaults, **settings})


def last(hmm: BiasedHMM) -> dict[str, float]:
    return dict(hmm.history_[-1].properties)


def with_layer(corpus: Corpus, seed: int = 9) -> Corpus:
    """An earlier layer: the states of another model."""
    both = [news(), novel()]
    other = HMM(6, start="random", min_count=1, seed=seed, threads=1).fit(both)
    other.set_params(soft=False, value=1.0, name="earlier")
    return other.annotate(corpus)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"sigma": 1.0},
        {"sigma": 500.0, "scaling": "mean"},
        {"sigma": 500.0, "scaling": "paper", "evaluations": 10},
    ],
    ids=["weights", "sigma", "mean", "paper"],
)
@pytest.mark.parametrize("kind", ["entropy", "distance", "predict"])
def test_a_bias_moves_its_own_property(kind: str, settings: dict[str, Any]) -> None:
    source, target = with_layer(news()), with_layer(novel())
    make = {
        "entropy": lambda weight: Entropy("half", weight),
        "distance": lambda weight: Distance(weight),
        "predict": lambda weight: Predict(["earlier"], weight),
    }[kind]
    free = [biased(make(0.0), seed=seed).fit(source, target) for seed in range(4)]
    bent = biased(make(1.0), **settings).fit(source, target)
    assert last(bent)[kind] < 0.8 * last(free[0])[kind]
    best = max(hmm.history_[-1].log_likelihood for hmm in free)  # each has an optimum of its own
    assert bent.history_[-1].log_likelihood < best


@pytest.mark.parametrize("kind", ["entropy", "distance"])
def test_biases_reach_the_classes_that_training_starts_from(kind: str) -> None:
    source, target = with_layer(news()), with_layer(novel())
    make = {
        "entropy": lambda weight: Entropy("half", weight),
        "distance": lambda weight: Distance(weight),
    }[kind]
    weight = 30.0 if kind == "entropy" else 1.0
    start = {"start": "classes", "rounds": 1, "ramp": 100}  # too short for a tilt to act
    free = biased(make(0.0), **start).fit(source, target)
    bent = biased(make(weight), **start).fit(source, target)
    assert last(bent)[kind] < 0.9 * last(free)[kind]


def test_states_of_cross_fitted_models_have_the_numbers_of_those_they_are_like() -> None:
    corpus = news(200)
    hmm = biased(Entropy("pos"), states=3, start="classes", soft=False, value=1.0).fit(corpus)
    found = hmm.annotate_cross_fitted(corpus, folds=3).column("state").values()
    assert found == hmm.annotate(corpus).column("state").values()


def test_biases_work_together_and_report_all_properties() -> None:
    source, target = with_layer(news()), with_layer(novel())
    none = biased(Entropy("half", 0), Distance(0), Predict(["earlier"], 0)).fit(source, target)
    all_three = biased(Entropy("half"), Distance(), Predict(["earlier"])).fit(source, target)
    assert set(last(all_three)) == {"entropy", "distance", "predict"}
    assert last(all_three)["entropy"] < last(none)["entropy"]
    assert last(all_three)["distance"] < last(none)["distance"]


def test_no_property_is_no_bias() -> None:
    plain = HMM(4, start="random", min_count=1, rounds=5, threads=1).fit([news(), novel()])
    same = biased(states=4, rounds=5, tolerance=1e-4).fit(news(), novel())
    zero = biased(Distance(0.0), states=4, rounds=5, tolerance=1e-4).fit(news(), novel())
    assert np.array_equal(plain.parameters_.emissions, same.parameters_.emissions)
    np.testing.assert_allclose(plain.parameters_.emissions, zero.parameters_.emissions, atol=1e-5)


def test_one_sigma_means_the_same_for_any_amount_of_text() -> None:
    """Ten times the text, with sums over tokens: the same multipliers, and the same tilt."""
    settings: dict[str, Any] = {"sigma": 0.5, "update": "em", "rounds": 4}
    few = biased(Entropy("half"), **settings).fit(news(20), novel(20))
    tenfold = [Corpus.concatenate([corpus] * 10) for corpus in (news(20), novel(20))]
    many = biased(Entropy("half"), **settings).fit(*tenfold)
    assert last(many)["entropy"] == pytest.approx(last(few)["entropy"], rel=0.02)


def test_threads_do_not_change_a_model() -> None:
    one, four = (
        biased(Entropy("pos"), Distance(), threads=n, rounds=4).fit(news(), novel()) for n in (1, 4)
    )
    assert one.to_bytes() == four.to_bytes()


@pytest.mark.parametrize("sigma", [None, 30.0])
def test_a_resumed_training_ends_where_an_unbroken_one_does(
    tmp_path: Path, sigma: float | None
) -> None:
    path = tmp_path / "half.dovetail"
    biases = Entropy("half"), Distance()
    biased(*biases, rounds=3, sigma=sigma).fit(news(), novel(), checkpoint=path)
    resumed = biased(*biases, rounds=6, sigma=sigma).fit(news(), novel(), resume=path)
    whole = biased(*biases, rounds=6, sigma=sigma).fit(news(), novel())
    assert np.array_equal(resumed.parameters_.emissions, whole.parameters_.emissions)


def test_posteriors_of_tokens_are_in_no_file(tmp_path: Path) -> None:
    """The printed distance needs them; a file would have one for each token and state."""
    settings: dict[str, Any] = {"sigma": 300.0, "scaling": "paper"}
    one = biased(Entropy("pos", 1.0), Distance(0.5), rounds=4, **settings).fit(news(), novel())
    assert all(values.size < news().n_tokens for values in one.memory_.values())
    one.save(tmp_path / "one")
    again = BiasedHMM.load(tmp_path / "one")
    assert again.scaling == "paper"
    assert again.annotate_left_out(news(), novel()) == one.annotate_left_out(news(), novel())
    more = biased(Entropy("pos", 1.0), Distance(0.5), rounds=6, **settings)
    more.fit(news(), novel(), resume=tmp_path / "one")
    assert more.rounds_ == 6


@pytest.mark.parametrize("sigma", [None, 5.0])
def test_a_warm_start_does_not_end_before_biases_act(sigma: float | None) -> None:
    """The likelihood stands still where a training without biases has ended."""
    plain = HMM(6, start="random", min_count=1, rounds=60, tolerance=1e-6, threads=1).fit(news())
    bent = biased(Entropy("half", 2.0), sigma=sigma, tolerance=1e-2, rounds=30)
    bent.fit(news(), warm_start=plain)
    assert bent.stopped_ == "the likelihood hardly changes any more"
    assert last(bent)["entropy"] < 0.8 * bent.history_[0].properties["entropy"]
    assert bent.rounds_ >= (bent.ramp + 2 if sigma is None else 3)


def test_a_file_of_a_plain_model_is_a_warm_start_as_the_model_is() -> None:
    plain = HMM(4, start="random", min_count=1, rounds=3, threads=1).fit(news())
    of_file, of_model = (
        biased(Entropy("pos"), states=4, rounds=2).fit(news(), warm_start=start)
        for start in (plain.to_bytes(), plain)
    )
    assert np.array_equal(of_file.parameters_.emissions, of_model.parameters_.emissions)


def test_a_cost_of_your_own_keeps_states_away() -> None:
    def never_the_first(corpus: Corpus, states: int) -> np.ndarray:
        cost = np.zeros((corpus.n_tokens, states))
        cost[:, 0] = 30.0
        return cost

    hmm = biased(TokenCost(never_the_first), Distance(), states=3).fit(news(), novel())
    assert not (hmm.best_states(news()) == 0).any()


def test_a_loaded_model_says_that_its_own_cost_is_gone() -> None:
    def dear(corpus: Corpus, states: int) -> np.ndarray:
        return np.ones((corpus.n_tokens, states))

    hmm = biased(TokenCost(dear), Entropy("pos"), rounds=2).fit(news())
    again = BiasedHMM.load(hmm.to_bytes())
    assert again.annotate(novel()) == hmm.annotate(novel())
    with pytest.raises(DataError, match="does not hold the TokenCost"):
        again.annotate_left_out(news())


def noise(n: int = 150, seed: int = 4) -> Corpus:
    """Words that were seen twice at most, with labels that nothing tells."""
    rng = np.random.default_rng(seed)
    words = [[f"w{rng.integers(0, 2 * n)}" for _ in range(4)] for _ in range(n)]
    labels = [[str(rng.choice(["A", "B"])) for _ in range(4)] for _ in range(n)]
    return Corpus.from_lists({"word": words, "pos": labels})


def told(corpus: Corpus, name: str) -> float:
    """H(label | state) in nats, of a soft column."""
    column = corpus.column(name)
    assert isinstance(column, SoftColumn)
    sums = np.zeros((2, column.weights.shape[1]))
    np.add.at(sums, corpus.column("pos").codes, column.weights.astype(float))
    return conditional_entropy(sums)


def test_states_left_out_or_cross_fitted_do_not_know_labels() -> None:
    corpus = noise()
    settings: dict[str, Any] = {"states": 4, "update": "em", "value": 1.0}
    hmm = biased(Entropy("pos", 2.0), seed=4, **settings).fit(corpus)  # a start that learns much
    assert told(hmm.annotate(corpus), "state") < 0.6  # of log 2 = 0.69
    assert told(hmm.annotate_left_out(corpus), "state") > 0.67
    assert told(hmm.annotate_cross_fitted(corpus, folds=3), "state") > 0.67


def test_left_out_columns_still_tell_what_can_be_told() -> None:
    corpus = news(200)
    hmm = biased(Entropy("pos"), states=3, soft=False, value=1.0).fit(corpus)
    found = hmm.annotate_left_out(corpus).column("state").values()
    tags = corpus.column("pos").values()
    assert len(set(zip(tags, found, strict=True))) == 3


def test_a_file_holds_all_of_a_model(tmp_path: Path) -> None:
    hmm = biased(Entropy("pos"), Distance()).fit(news(), novel())
    hmm.save(tmp_path / "model.dovetail")
    again = BiasedHMM.load(tmp_path / "model.dovetail")
    assert again.annotate(novel()) == hmm.annotate(novel())
    assert again.properties == (Entropy("pos"), Distance())
    assert again.annotate_left_out(news(), novel()) == hmm.annotate_left_out(news(), novel())


def test_bad_input_is_one_sentence() -> None:
    with pytest.raises(DataError, match="there is no column 'pos'"):
        biased(Entropy("pos")).fit(novel())
    with pytest.raises(DataError, match="needs text of the target"):
        biased(Distance()).fit(news())
    with pytest.raises(DataError, match="no tokens"):
        biased(Distance()).fit(news(), Corpus.from_lists({"word": [[]]}))
    unlabelled = news().with_column("pos", [[None] * len(s) for s in news()])
    with pytest.raises(DataError, match="the column 'pos' has no values"):
        biased(Entropy("pos")).fit(unlabelled)
    with pytest.raises(DataError, match="sigma is -1"):
        biased(sigma=-1)
    for scaling in ("mean", "paper"):
        with pytest.raises(DataError, match=f"the scaling '{scaling}' needs a sigma"):
            biased(scaling=scaling)
    with pytest.raises(DataError, match="scaling is 'odd'; choose from token, mean, paper"):
        biased(scaling="odd")
    with pytest.raises(DataError, match="evaluations is 0; give at least 1"):
        biased(evaluations=0)
    with pytest.raises(DataError, match="weight of Entropy is -2"):
        Entropy("pos", -2)
    with pytest.raises(DataError, match="given twice"):
        biased(Entropy("pos"), Entropy("pos")).fit(news())
    with pytest.raises(DataError, match="leave out batch"):
        biased(batch=5)
    with pytest.raises(DataError, match=r"must have the shape \(.*, 6\)"):
        biased(TokenCost(lambda _, states: np.zeros((1, states)))).fit(news())
    hmm = biased(Entropy("pos"), states=2).fit(news(1))
    with pytest.raises(DataError, match="1 sequences cannot be parted into 2 folds"):
        hmm.annotate_cross_fitted(news(1), folds=2)


@pytest.mark.parametrize("settings", [{}, {"sigma": 300.0, "scaling": "paper"}, {"sigma": 30.0}])
def test_a_training_that_dies_is_resumed_exactly(
    settings: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Checkpoints hold the posteriors of tokens too, which finished models do not."""
    monkeypatch.setattr(training, "CHECKPOINT_SECONDS", 0.0)
    biases = Entropy("pos", 1.0), Distance(0.5)

    def die(progress: Progress) -> None:
        if progress.round == 4:
            raise ZeroDivisionError

    whole = biased(*biases, rounds=6, **settings).fit(news(), novel())
    one = biased(*biases, rounds=6, **settings)
    with pytest.raises(ZeroDivisionError):
        one.fit(news(), novel(), checkpoint=tmp_path / "c", callback=die)
    resumed = biased(*biases, rounds=6, **settings).fit(news(), novel(), resume=tmp_path / "c")
    assert resumed.to_bytes() == whole.to_bytes()
