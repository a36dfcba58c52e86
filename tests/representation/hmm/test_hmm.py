"""Hidden Markov models: EM, starts, stopping, going on, decoding, files, bad input."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dovetail.base import training
from dovetail.corpus import Corpus, SoftColumn
from dovetail.errors import DataError, DovetailError, ModelFileError, TrainingError
from dovetail.representation import HMM, Progress, Vocabulary, WordClasses
from dovetail.representation.hmm.em import Rule, batch_em
from dovetail.representation.hmm.inference import Engine
from dovetail.representation.hmm.parameters import Parameters
from dovetail.representation.hmm.starts import earlier_start, random_start
from dovetail.representation.text import Text
from dovetail.representation.vocabulary import ANY
from representation.texts import news, novel


def plain(**settings: Any) -> HMM:
    """A model as the textbooks have it."""
    defaults = {"start": "random", "update": "em", "min_count": 1, "tolerance": 0.0, "threads": 1}
    return HMM(settings.pop("states", 4), **{**defaults, **settings})


@pytest.mark.parametrize("precision", ["single", "double"])
@pytest.mark.parametrize("start", ["classes", "random"])
def test_em_never_makes_the_text_less_likely(precision: Any, start: Any) -> None:
    hmm = plain(precision=precision, start=start, rounds=30).fit(news())
    likelihoods = np.array([progress.log_likelihood for progress in hmm.history_])
    assert len(likelihoods) == 30
    assert (np.diff(likelihoods) > (-1e-12 if precision == "double" else -1e-6)).all()
    assert likelihoods[-1] > likelihoods[0] + 0.05


def test_em_is_that_of_hmmlearn() -> None:
    hmmlearn = pytest.importorskip("hmmlearn.hmm")
    rng = np.random.default_rng(1)
    lengths = rng.integers(1, 20, 80)
    n, k, v = int(lengths.sum()), 5, 30
    text = Text.of(rng.integers(0, v, n), np.cumsum([0, *lengths]), v)
    start = random_start(k, v, seed=2)
    other = hmmlearn.CategoricalHMM(
        k, n_features=v, n_iter=15, tol=-1, init_params="", implementation="scaling"
    )
    other.startprob_, other.transmat_ = start.start.copy(), start.transitions.copy()
    other.emissionprob_ = start.emissions.T.copy()
    other.fit(text.words[:, None], lengths)
    steps = batch_em(text, Engine(exact=True), Rule("em", 0.01), start)
    ours = [next(steps).log_likelihood * n for _ in range(15)]
    np.testing.assert_allclose(ours, list(other.monitor_.history), rtol=1e-6)
    last: Parameters = next(steps).parameters
    assert last.emissions.sum(axis=0) == pytest.approx(np.ones(k))


@pytest.mark.parametrize("batch", [None, 7])
def test_threads_do_not_change_a_model(batch: int | None) -> None:
    one, four = (plain(threads=n, batch=batch, rounds=4).fit(news()) for n in (1, 4))
    assert np.array_equal(one.parameters_.emissions, four.parameters_.emissions)
    assert one.to_bytes() == four.to_bytes()


def test_a_seed_makes_a_model_and_another_one_another() -> None:
    a, b, c = (plain(seed=seed, rounds=3).fit(news()) for seed in (1, 1, 2))
    assert np.array_equal(a.parameters_.emissions, b.parameters_.emissions)
    assert not np.array_equal(a.parameters_.emissions, c.parameters_.emissions)


def test_stepwise_em_gets_as_far_in_fewer_rounds() -> None:
    whole = plain(rounds=4).fit(news(200))
    stepwise = plain(rounds=4, batch=20).fit(news(200))
    assert stepwise.log_likelihood(news(200)) > whole.log_likelihood(news(200)) + 0.01


def test_states_from_classes_are_those_of_tags() -> None:
    corpus = news(200)
    states = HMM(3, min_count=1, threads=1).fit(corpus).best_states(corpus)
    tags = corpus.column("pos").codes
    assert all(len(set(states[tags == tag])) == 1 for tag in range(3))


def test_bayes_keeps_fewer_words_a_state_than_maximum_likelihood() -> None:
    corpus = [news(40), novel(40)]
    few, many = (
        HMM(6, update=update, min_count=1, rounds=10, seed=1, start="random", threads=1).fit(corpus)
        for update in ("bayes", "em")
    )
    used = [np.sum(hmm.parameters_.emissions > 1e-3) for hmm in (few, many)]
    assert used[0] < used[1]


def test_held_out_text_chooses_the_round() -> None:
    seen: list[Progress] = []
    hmm = plain(states=12, rounds=60).fit(
        news(15), held_out=news(60, seed=5), patience=2, callback=lambda p: seen.append(p)
    )
    scores = [progress.held_out for progress in seen]
    assert hmm.stopped_ == "no better held-out score for 2 rounds"
    assert hmm.rounds_ == 1 + int(np.argmax(scores)) == len(seen) - 2
    assert hmm.log_likelihood(news(60, seed=5)) == pytest.approx(max(scores), rel=1e-6)  # type: ignore[type-var]


@pytest.mark.parametrize("batch", [None, 9])
def test_a_resumed_training_ends_where_an_unbroken_one_does(
    tmp_path: Path, batch: int | None
) -> None:
    path = tmp_path / "half.dovetail"
    plain(rounds=3, batch=batch).fit(news(), checkpoint=path)
    resumed = plain(rounds=6, batch=batch).fit(news(), resume=path)
    whole = plain(rounds=6, batch=batch).fit(news())
    assert np.array_equal(resumed.parameters_.emissions, whole.parameters_.emissions)
    assert [progress.round for progress in resumed.history_] == [4, 5, 6]
    with pytest.raises(TrainingError, match="6 rounds have been made already"):
        plain(rounds=6, batch=batch).fit(news(), resume=resumed.to_bytes())
    with pytest.raises(DataError, match="only on the text that it began with"):
        plain(rounds=9).fit(novel(), resume=path)


def test_a_warm_start_knows_what_it_knew() -> None:
    first = plain(rounds=25).fit(news())
    cold = plain(rounds=1).fit(news(seed=3))
    warm = plain(rounds=1).fit(news(seed=3), warm_start=first)
    assert warm.history_[0].log_likelihood > cold.history_[0].log_likelihood + 0.1
    with pytest.raises(DataError, match="has 4 states, and 5 are asked for"):
        plain(states=5).fit(news(), warm_start=first)


def test_a_callback_or_ctrl_c_ends_a_training_with_what_there_is() -> None:
    hmm = plain(rounds=20).fit(news(), callback=lambda p: p.round == 3)
    assert (hmm.rounds_, hmm.stopped_) == (3, "the callback asked to stop")

    def interrupt(progress: Progress) -> None:
        if progress.round == 2:
            raise KeyboardInterrupt

    hmm = plain(rounds=20).fit(news(), callback=interrupt)
    assert hmm.rounds_ == 2
    assert "interrupted after 2 rounds" in hmm.stopped_
    assert hmm.best_states(news()).shape == (news().n_tokens,)


def test_columns_are_states_or_their_probabilities() -> None:
    corpus = news()
    hmm = plain(value=0.5, rounds=5).fit(corpus)
    soft = hmm.annotate(corpus).column("state")
    assert isinstance(soft, SoftColumn)
    posteriors = hmm.marginals(corpus)
    assert posteriors.sum(axis=1) == pytest.approx(np.ones(corpus.n_tokens), abs=1e-5)
    kept = np.where(posteriors < 0.01, 0, posteriors)
    np.testing.assert_allclose(soft.weights, 0.5 * kept, rtol=1e-6)
    hmm.set_params(soft=False, value=1.0)
    hard = hmm.annotate(corpus).column("state")
    assert [f"s{k}" for k in hmm.best_states(corpus)] == hard.values()


def test_word_marginals_are_averages_over_tokens() -> None:
    corpus = news()
    hmm = plain(precision="double", rounds=5).fit(corpus)
    of_word = hmm.marginals(corpus)[[w == "bank" for w in corpus.column("word").values()]]
    found = hmm.word_marginals(corpus)[hmm.vocabulary_.number("bank")]
    np.testing.assert_allclose(found, of_word.mean(axis=0))
    state = int(found.argmax())
    assert "bank" in [word for word, _ in hmm.typical_words(state, top=12)]


def test_a_file_holds_all_of_a_model(tmp_path: Path) -> None:
    hmm = HMM(4, min_count=2, threads=1).fit(news())
    hmm.save(tmp_path / "model.dovetail")
    again = HMM.load(tmp_path / "model.dovetail")
    assert again.annotate(novel()) == hmm.annotate(novel())
    assert again.to_bytes() == hmm.to_bytes()
    content = hmm.to_bytes()
    for cut in (4, 200, len(content) // 2, len(content) - 1):
        with pytest.raises(ModelFileError, match=r"not a model file|cut short"):
            HMM.load(content[:cut])
    spoiled = bytearray(content)
    spoiled[-20] ^= 1
    with pytest.raises(ModelFileError, match="damaged"):
        HMM.load(bytes(spoiled))


def test_unknown_words_and_no_words_are_decoded() -> None:
    hmm = plain().fit(news())
    odd = Corpus.from_lists({"word": [["Xyzzy"], [], ["the", None, "42"]]})
    assert np.isfinite(hmm.marginals(odd)).all()
    assert hmm.best_states(Corpus.from_lists({"word": []})).shape == (0,)


def test_bad_input_is_one_sentence() -> None:
    with pytest.raises(DataError, match="no tokens to learn a representation from"):
        HMM(2).fit(Corpus.from_lists({"word": [[]]}))
    with pytest.raises(DataError, match="80 states are more than the 13 words"):
        HMM(min_count=1).fit(news())
    with pytest.raises(DataError, match="there is no column 'token'"):
        HMM(2, column="token").fit(news())
    with pytest.raises(DataError, match="there cannot be 0 states"):
        HMM(0)
    with pytest.raises(DataError, match="update is 'map'"):
        HMM(2, update="map")  # type: ignore[arg-type]
    with pytest.raises(DataError, match="prior is -1"):
        HMM(2, prior=-1)
    with pytest.raises(DovetailError, match="has not been trained"):
        HMM(2).best_states(news())


def test_a_refit_that_fails_leaves_the_model_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    hmm = plain(rounds=3).fit(news())
    before = hmm.to_bytes()

    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Engine, "expected", interrupted)
        with pytest.raises(KeyboardInterrupt):
            hmm.fit(novel())
    assert hmm.to_bytes() == before
    with pytest.raises(DataError, match="no column 'word'"):
        hmm.fit(novel(), held_out=Corpus.from_lists({"token": [["a"]]}))
    assert hmm.to_bytes() == before


def test_only_a_trained_model_is_a_warm_start() -> None:
    with pytest.raises(DataError, match="has not been trained"):
        plain().fit(news(), warm_start=HMM(4))
    with pytest.raises(DataError, match="not with WordClasses"):
        plain().fit(news(), warm_start=WordClasses(4))  # type: ignore[arg-type]


def test_a_state_without_words_starts_with_equal_shares() -> None:
    old, new = (Vocabulary([ANY, *words], "one") for words in ("ab", "b"))
    earlier = random_start(2, 3, seed=0)
    earlier.emissions[:] = [[0, 0.5], [1, 0], [0, 0.5]]
    found = earlier_start(earlier, old, new)
    np.testing.assert_allclose(found.emissions, [[0.5, 0.5], [0.5, 0.5]])


@pytest.mark.parametrize("batch", [None, 9])
@pytest.mark.parametrize("held_out", [None, news(60, seed=5)], ids=["alone", "held out"])
def test_a_training_that_dies_is_resumed_exactly(
    batch: int | None, held_out: Corpus | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same file in the end, also where likelihoods or held-out text say when that is."""
    monkeypatch.setattr(training, "CHECKPOINT_SECONDS", 0.0)
    settings: dict[str, Any] = {"rounds": 40, "batch": batch, "tolerance": 2e-3}
    given: dict[str, Any] = {"held_out": held_out, "patience": 3}
    whole = plain(**settings).fit(news(), **given)
    assert 5 < len(whole.history_) < 40
    for last in (2, 4, len(whole.history_)):

        def die(progress: Progress, last: int = last) -> None:
            if progress.round == last:
                raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            plain(**settings).fit(news(), **given, checkpoint=tmp_path / "c", callback=die)
        assert HMM.load(tmp_path / "c").rounds_ < last
        resumed = plain(**settings).fit(news(), **given, resume=tmp_path / "c")
        assert resumed.to_bytes() == whole.to_bytes()
        assert [p._replace(seconds=0) for p in resumed.history_] == [
            p._replace(seconds=0) for p in whole.history_
        ]
