"""Transfer by ``auto``."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dovetail import Corpus, DataError, Pipeline, Pool, Tagger, Template, column
from dovetail.base.potentials import Potentials
from dovetail.evaluate.ratio import RatioScore
from dovetail.pipeline.layers.log_tagger import LogTaggerLayer
from dovetail.pipeline.layers.mapped import Mapped
from dovetail.pipeline.layers.recalibrated import Correction, Recalibrated
from dovetail.pipeline.layers.tagger import TaggerLayer
from dovetail.pipeline.train.auto.members import ALONE, MAPPED, MAPPED_SPANS, READING, Member
from dovetail.pipeline.train.auto.pools import Candidates
from dovetail.pipeline.train.auto.scoring import evaluate_held_out, log_likelihoods
from dovetail.pipeline.train.held_out import HeldOut
from pipeline.conftest import only, random_corpus

WORD = column("word")


@pytest.fixture(scope="module")
def tagger() -> Tagger:
    return Tagger(features=Template(WORD.window(1)), c2=3.0).fit(random_corpus(20), label="up")


def test_labels_that_a_model_never_saw_score_nothing() -> None:
    made = Potentials(("A",), np.ones((3, 1)), np.ones((1, 1)), {("x",): np.ones((3, 2, 1))})
    more = made.extended(["B", "A"])
    assert more.labels == ("B", "A")
    assert more.node.tolist() == [[0, 1]] * 3
    assert more.transitions.tolist() == [[0, 0], [0, 1]]
    assert more.cotemporal["x",].shape == (3, 2, 2)


def test_what_is_usual_is_left_only_for_what_is_clearly_better() -> None:
    """Ten sequences of which one is better tell little; fifty of fifty tell much."""
    labels = ("A", "B")

    def with_right(n_right: int, n: int) -> RatioScore:
        corpus = Corpus.from_lists({"word": [["x"]] * n, "up": [["A"]] * n})
        right = [[1.0, 0.0]] * n_right + [[0.0, 1.0]] * (n - n_right)
        return evaluate_held_out(
            [HeldOut(corpus, "up", Potentials(labels, np.array(right), np.zeros((2, 2))))]
        )

    assert with_right(6, 10).score == 0.6
    assert not with_right(6, 10).is_significantly_better(with_right(5, 10))
    assert with_right(40, 50).is_significantly_better(with_right(30, 50))
    assert not with_right(30, 50).is_significantly_better(with_right(40, 50))


def pool_of(parts: dict[str, list[HeldOut]], tagger: Tagger) -> Recalibrated:
    members = [Member(kind, TaggerLayer(tagger), own) for kind, own in parts.items()]
    made = Candidates(members).select_pool().annotator
    assert isinstance(made, Recalibrated)
    return made


def test_members_are_weighed_and_contradiction_is_noticed(tagger: Tagger) -> None:
    """Members that are right are pooled with transfer; where what reads the tasks below is wrong,
    the task alone is taken."""
    labels = tuple(tagger.labels_)
    right, wrong = [], []
    for seed in range(4):
        corpus = random_corpus(10, seed=seed)
        codes = [labels.index(str(y)) for y in corpus.column("up").values()]
        node = 2.0 * np.eye(len(labels))[codes]
        right.append(HeldOut(corpus, "up", Potentials(labels, node, np.zeros((2, 2)))))
        wrong.append(HeldOut(corpus, "up", Potentials(labels, 0 * node, np.zeros((2, 2)))))
    usual = pool_of({ALONE: right, READING: right, MAPPED: wrong}, tagger).annotator
    assert isinstance(usual, Pool)
    assert len(usual.members) == 2
    assert usual.weights[0] > 3 * usual.weights[1]
    alone = pool_of({ALONE: right, READING: wrong, MAPPED: wrong}, tagger).annotator
    assert len(alone.members) in (1, 3)
    if len(alone.members) == 3:
        assert alone.weights[0] > 3 * max(alone.weights[1:])


def auto(**settings: Any) -> Pipeline:
    word = Template(WORD.window(1))
    return Pipeline({"low": Tagger(features=word), "up": Tagger(features=word)}, **settings)


def test_auto_pools_and_recalibrates_the_last_task(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "dovetail.pipeline.train.auto.pools.SIGNIFICANT", 99
    )  # no pool is so much better
    monkeypatch.setattr("dovetail.pipeline.train.auto.pools.MARGINS", {})
    lower = only(random_corpus(60, seed=1, longest=7), "word", "low")
    upper = only(random_corpus(40, seed=2, longest=9), "word", "up")
    titles = []
    pipeline = Pipeline(
        {
            "low": Tagger(features=Template(WORD)),
            "up": Tagger(features=Template(WORD).with_columns("low", conjoined=True)),
        },
        decode="auto",
    )
    pipeline.fit(
        {"low": lower, "up": upper}, folds=3, callback=lambda title, _: titles.append(title)
    )
    assert {"low", "up", "up, without part 3 of 3"} <= set(titles)
    assert "taken: transfer" in pipeline.notes_[0]
    made = pipeline["up"]
    assert isinstance(made, Recalibrated)
    assert isinstance(made.annotator, Pool)
    reader, old = made.annotator.members
    assert isinstance(reader, LogTaggerLayer)
    assert str(reader.tagger.model_.template).splitlines() == ["word", "low[-1..1]"]
    assert isinstance(old, Mapped)
    assert (old.column, old.labels_) == ("low", reader.labels_)
    assert pipeline.candidates_ is not None
    alone = pipeline.candidates_.members[0].annotator
    assert isinstance(alone, TaggerLayer)
    assert alone.reads_ == ("word",)
    test = random_corpus(30, seed=8)
    found = pipeline.predict(test)
    again = Pipeline.load(pipeline.to_bytes())
    assert again.decode == "auto"
    assert again.predict(test) == found
    assert again.to_bytes() == pipeline.to_bytes()
    assert len(pipeline.tag(test)) == 30
    for decode in ("none", "cascade", "soft", "joint"):
        assert len(pipeline.predict(test, decode=decode)["up"]) == 30  # type: ignore[arg-type]
    assert pipeline.explain(test[0]) is not None


def test_auto_reads_the_tasks_below_also_where_the_template_does_not() -> None:
    corpus = random_corpus(40, seed=2)
    pipeline = auto(decode="auto").fit(corpus, folds=2)
    assert pipeline.candidates_ is not None
    reader = pipeline.candidates_.members[1].annotator
    assert isinstance(reader, TaggerLayer)
    assert str(reader.tagger.model_.template).splitlines() == ["word[-1..1]", "low[-1..1]"]


def test_transfer_can_be_taken_away() -> None:
    corpus = random_corpus(40, seed=2)
    pipeline = auto(decode="auto").fit(corpus, folds=2)
    alone = pipeline.without_transfer()
    assert alone.names == ["up"]
    own = Pipeline({"up": Tagger(features=Template(WORD.window(1)))}, decode="auto")
    test = random_corpus(30, seed=8)
    assert alone.predict(test) == own.fit({"up": corpus}, folds=2).predict(test)
    assert len(pipeline.names) == 2
    with pytest.raises(DataError, match="right after fit"):
        Pipeline.load(pipeline.to_bytes()).without_transfer()


def test_auto_of_one_task_is_recalibration_alone() -> None:
    corpus = only(random_corpus(40, seed=2, longest=9), "word", "up")
    pipeline = Pipeline({"up": Tagger(features=Template(WORD), c2=5.0)}, decode="auto")
    pipeline.fit(corpus, folds=3)
    made = pipeline["up"]
    pool = made.annotator if isinstance(made, Recalibrated) else made
    assert len(pool.members) == 1
    first = pipeline.predict(corpus)
    assert pipeline.fit(corpus, folds=3).predict(corpus) == first


def test_auto_is_told_by_decode_or_training() -> None:
    corpus = random_corpus(30, seed=2)
    assert isinstance(auto().fit(corpus)["up"], Tagger)
    assert not isinstance(auto().fit(corpus, training="auto", folds=2)["up"], Tagger)


@pytest.mark.parametrize("training", ["auto", "cascade", "joint"])
def test_training_leaves_the_taggers_that_were_given_as_they_were(training: Any) -> None:
    corpus = random_corpus(20, seed=2)
    given = {"low": Tagger(c2=0.1), "up": Tagger(c2=0.1)}
    before = {name: tagger.get_params() for name, tagger in given.items()}
    pipeline = Pipeline(given, decode="cascade").fit(corpus, training=training, folds=2)
    assert {name: tagger.get_params() for name, tagger in given.items()} == before
    assert not any(tagger.is_fitted for tagger in given.values())
    assert pipeline.is_fitted
    assert pipeline.get_params()["up"] is given["up"]
    pipeline.set_params(low__c2=5.0)
    assert pipeline.fit(corpus)["low"].c2_ == 5.0


def test_a_selected_pool_says_what_it_is() -> None:
    corpus = random_corpus(20, seed=2)
    shown = repr(auto().fit(corpus, training="auto", folds=2)["up"])
    assert shown.startswith("Recalibrated(Pool(")
    assert "Tagger(" in shown


def test_an_auto_pipeline_can_be_trained_again_in_any_way() -> None:
    corpus = random_corpus(30, seed=2)
    pipeline = auto(decode="auto").fit(corpus, folds=2)
    for training in ("auto", "cascade", "soft", "gold", "joint"):
        pipeline.fit(corpus, folds=2, training=training)  # type: ignore[arg-type]
        assert len(pipeline.predict(corpus)["up"]) == 30


def test_auto_takes_text_with_missing_labels() -> None:
    corpus = random_corpus(30, seed=2)
    values = corpus.lists("up")
    values[3] = [None] * len(values[3])
    pipeline = auto(decode="auto").fit(corpus.with_column("up", values), folds=2)
    assert len(pipeline.predict(corpus)["up"]) == 30


def test_auto_without_a_whole_sequence_is_not_corrected() -> None:
    corpus = random_corpus(20, seed=2)
    values = [[None, *row[1:]] for row in corpus.lists("up")]
    pipeline = auto(decode="auto").fit(corpus.with_column("up", values), folds=2)
    assert isinstance(pipeline["up"], Recalibrated)
    assert not pipeline["up"].correction.bias.any()


def test_auto_of_few_texts() -> None:
    corpus = random_corpus(3, seed=2)
    twice = Corpus.concatenate([corpus, corpus])
    lower = random_corpus(30, seed=3, longest=7)
    assert len(auto(decode="auto").fit({"low": lower, "up": twice}, folds=5).held_out_) == 3
    with pytest.raises(DataError, match="task 'up': auto needs at least two different"):
        auto(decode="auto").fit({"low": lower, "up": corpus.select([0])})


def test_what_is_left_for_choices_is_of_the_last_training() -> None:
    corpus = random_corpus(20, seed=2)
    pipeline = auto(decode="auto").fit(corpus, folds=2)
    assert pipeline.held_out_
    pipeline.fit(corpus, training="joint")
    assert not pipeline.held_out_
    assert pipeline.candidates_ is None


def test_a_refused_training_leaves_the_pipeline_as_it_was() -> None:
    corpus = random_corpus(20, seed=2)
    pipeline = auto(decode="auto").fit(corpus, folds=2)
    before = pipeline.predict(corpus)
    with pytest.raises(DataError):
        pipeline.fit({"low": corpus, "other": corpus})
    assert pipeline.predict(corpus) == before
    pipeline.fit({"low": corpus})
    assert pipeline.predict(corpus)["up"] == before["up"]


def test_spans_are_chosen_by_their_probabilities_which_are_not_changed() -> None:
    """A span of probability 0.3 is taken where the threshold is below that."""
    labels = ("O", "B-X")
    corpus = Corpus.from_lists({"word": [["a", "b"], []]})
    node = np.log([[0.7, 0.3], [0.99, 0.01]])
    scores = HeldOut(corpus, "x", Potentials(labels, node, np.zeros((2, 2))))
    for threshold, expected in ((0.31, ["O", "O"]), (0.29, ["B-X", "O"])):
        made = Recalibrated(scores, Correction.none(labels), threshold)
        pipeline = Pipeline({"x": made}, decode="cascade")
        assert pipeline.predict(corpus)["x"] == [expected, []]
        tagging = pipeline.tag(corpus)[0]
        assert tagging.layers["x"].labels == expected
        share = 0.3 if expected[0] == "B-X" else 0.7
        assert tagging.layers["x"].confidences == pytest.approx([share, 0.99])
        assert tagging.probability == pytest.approx(share * 0.99)
        assert [span.probability for span in tagging.layers["x"].spans] == (
            [pytest.approx(0.3)] if expected[0] == "B-X" else []
        )


def test_plain_labels_are_the_likeliest() -> None:
    corpus = only(random_corpus(40, seed=2, longest=9), "word", "up")
    made = Pipeline({"up": Tagger(features=Template(WORD))}, decode="auto").fit(corpus)["up"]
    assert made.span_threshold is None


def test_labels_that_do_not_tell_where_spans_begin_are_the_likeliest() -> None:
    words = [["Ada", "met", "Bob"], ["he", "saw", "Ada"], ["Bob", "left"], ["we", "met", "Cy"]]
    labels = [["I-P", "O", "I-P"], ["O", "O", "I-P"], ["I-P", "O"], ["O", "O", "I-P"]]
    corpus = Corpus.from_lists({"word": words, "task": labels})
    assert Pipeline({"task": Tagger()}, decode="auto").fit(corpus)["task"].span_threshold is None
    partial = [[None, *(label.replace("I-", "B-") for label in row[1:])] for row in labels]
    corpus = corpus.with_column("task", partial)
    assert Pipeline({"task": Tagger()}, decode="auto").fit(corpus).predict(corpus)["task"]


def test_sequences_without_labels_are_no_text_to_choose_on() -> None:
    corpus = random_corpus(6, seed=2)
    one = [row if k == 0 else [None] * len(row) for k, row in enumerate(corpus.lists("up"))]
    pipeline = Pipeline({"up": Tagger(features=Template(WORD))}, decode="auto")
    with pytest.raises(DataError, match="two different sequences with labels"):
        pipeline.fit({"up": corpus.with_column("up", one)})
    two = [row if k < 2 else [None] * len(row) for k, row in enumerate(corpus.lists("up"))]
    assert len(pipeline.fit({"up": corpus.with_column("up", two)}).held_out_) == 2


def test_a_feature_function_is_refused_in_a_sentence() -> None:
    tagger = Tagger(features=lambda words: [[f"w={word}"] for word in words])
    corpus = only(random_corpus(10, seed=2), "word", "up")
    with pytest.raises(DataError, match="auto needs features by a template"):
        Pipeline({"up": tagger}, decode="auto").fit(corpus)


def scored(here: float, n: int = 4, next_to_it: float = -3.0) -> HeldOut:
    """Texts of a span and tokens outside, and the scores of a span here and next to it."""
    labels = ["B-X", *"OOOOOOO"]
    corpus = Corpus.from_lists({"word": [[*"abbbbbbb"]] * n, "up": [labels] * n})
    scores = np.tile([[here, 0.0], [next_to_it, 0.0], *[[-3.0, 0.0]] * 6], (n, 1))
    return HeldOut(corpus, "up", Potentials(("B-X", "O"), scores, np.zeros((2, 2))))


def test_of_pools_that_find_as_much_the_likelier_is_better() -> None:
    likely, unlikely = [scored(-1.0)], [scored(-2.0)]
    assert evaluate_held_out(likely).score == evaluate_held_out(unlikely).score == 0.0
    each = -(np.log1p(np.e) + 7 * np.log1p(np.exp(-3)))
    assert log_likelihoods(likely) == pytest.approx([each] * 4)
    assert log_likelihoods(likely).sum() > log_likelihoods(unlikely).sum()


@pytest.mark.parametrize(
    ("agrees", "n", "taken"),
    [(True, 1, "lower labels mapped"), (False, 1, "transfer"), (True, 40, "transfer")],
)
def test_spans_of_agreeing_types_have_credit_until_text_tells(
    agrees: bool, n: int, taken: str
) -> None:
    """Reading is right in half of two texts or in all of eighty, the old spans never."""
    tagger = TaggerLayer(Tagger(features=Template(WORD)).fit(scored(0.0).corpus, label="up"))
    wrong = scored(-4.0, n, 4.0)
    right = scored(8.0, n)
    members = [
        Member(ALONE, tagger, [wrong, wrong]),
        Member(READING, tagger, [right, right if n > 1 else wrong]),
        Member(MAPPED, tagger, [right, right if n > 1 else wrong]),
        Member(MAPPED_SPANS, tagger, [wrong, wrong], agrees),
    ]
    assert Candidates(members).select_pool().note.endswith(f"taken: {taken}")


@pytest.mark.parametrize(
    ("learned_here", "taken"), [(False, "lower labels mapped"), (True, "transfer by spans")]
)
def test_what_learned_from_the_same_text_must_be_clearly_better(
    learned_here: bool, taken: str
) -> None:
    tagger = TaggerLayer(Tagger(features=Template(WORD)).fit(scored(0.0).corpus, label="up"))
    right, wrong = scored(8.0, 6), scored(-4.0, 1, 4.0)
    members = [
        Member(ALONE, tagger, [right, wrong]),
        Member(READING, tagger, [right, wrong]),
        Member(MAPPED, tagger, [right, wrong]),
        Member(MAPPED_SPANS, tagger, [right, scored(8.0, 1)], learned_here=learned_here),
    ]
    assert Candidates(members).select_pool().note.endswith(f"taken: {taken}")


def test_what_learned_from_the_same_text_is_known() -> None:
    corpus = random_corpus(40, seed=2)
    both = auto(decode="auto").fit(corpus, folds=2)
    low = Tagger(features=Template(WORD.window(1))).fit(random_corpus(60, seed=5), label="low")
    word = Template(WORD.window(1))
    above = Pipeline({"low": low, "up": Tagger(features=word)}, decode="auto")
    above.fit({"up": only(corpus, "word", "up")}, folds=2)
    for pipeline, learned_here in ((both, True), (above, False)):
        assert pipeline.candidates_ is not None
        mapped = [m for m in pipeline.candidates_.members if m.kind in (MAPPED, MAPPED_SPANS)]
        assert {member.learned_here for member in mapped} == {learned_here}
