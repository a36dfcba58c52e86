from __future__ import annotations

import logging
import pickle

import numpy as np
import pytest

from dovetail import ASO, Corpus, Pipeline, Tagger, Template, column
from dovetail.errors import DataError, DovetailError, ModelFileError
from dovetail.multitask import AuxiliaryTask, LinearTagger, Structure, labelled, masked, parts
from dovetail.multitask.alternation import Alternation
from dovetail.multitask.matrix import Matrix, Objective
from dovetail.multitask.structure import feature_groups
from multitask.corpora import random_corpus
from reference import linear as reference

WORDS = Template(column("word").window(1), column("pos"))
EXACT = Objective(penalty=0.01, tolerance=1e-6)


def alternation(tasks: list[AuxiliaryTask], h: int, **more) -> Alternation:
    return Alternation(Matrix(WORDS), tasks, h, EXACT, **more)


def predictors(found: Alternation) -> np.ndarray:
    """W of the current round as one matrix [features x problems]."""
    out = np.zeros((len(found.theta), found.n_problems))
    for part in found.parts:
        out[:, part.problems] = found._combined(part, part.coefficients)
    return out


def test_the_first_directions_are_the_singular_vectors_of_all_predictors() -> None:
    found = alternation(parts(random_corpus(), "tag", 3), 4)
    _, block = found._train()
    u = predictors(found)
    [values], change = found._turn(block)
    expected = reference.main_directions(u, 4)
    assert np.abs(expected.T @ found.theta) == pytest.approx(np.eye(4), abs=1e-3)
    assert values == pytest.approx(np.linalg.svd(u)[1][:4], rel=1e-3)
    assert change == 1.0


@pytest.mark.parametrize("by_columns", [False, True])
def test_products_of_predictors_are_those_of_their_matrix(by_columns: bool) -> None:
    matrix = Matrix(WORDS)
    groups = (lambda: feature_groups(matrix.template, matrix.native)) if by_columns else None
    found = Alternation(matrix, parts(random_corpus(), "tag", 3), 2, EXACT, groups=groups)
    found._train()
    w, of = predictors(found), np.zeros(len(found.theta)) if groups is None else groups()
    expected = np.stack([w[of == g].T @ w[of == g] for g in range(found.n_groups)])
    for threads in (1, 3):
        found.threads = threads
        inner, _ = found._products()
        assert inner == pytest.approx(expected, abs=1e-4)


def test_a_later_round_turns_the_directions_of_w_and_theta_v_together() -> None:
    found = alternation(parts(random_corpus(), "tag", 3), 3)
    found.run(1, 0.0)
    before = found.theta.astype(float)
    objective, block = found._train()
    u = predictors(found) + before @ block
    values, change = found._turn(block)
    expected = reference.main_directions(u, 3)
    assert np.linalg.norm(expected.T @ found.theta) ** 2 == pytest.approx(3, abs=1e-2)
    assert values[0] == pytest.approx(np.linalg.svd(u)[1][:3], rel=1e-2)
    kept = np.linalg.norm(before.T @ expected) ** 2 / 3
    assert change == pytest.approx(1 - kept, abs=1e-2)
    assert objective > 0


@pytest.mark.parametrize("by_columns", [False, True])
def test_tokens_of_a_part_are_projected_without_what_it_has_brought(by_columns: bool) -> None:
    corpus, matrix = random_corpus(), Matrix(WORDS)
    tasks = parts(corpus, "tag", 3)
    groups = (lambda: feature_groups(matrix.template, matrix.native)) if by_columns else None
    found = Alternation(matrix, tasks, 2, EXACT, groups=groups)
    found.run(2, 0.0)
    shares = []
    for part in found.parts:
        own = found._combined(part, part.share)
        if groups is not None:
            own *= groups()[:, None] == np.arange(own.shape[1]) // 2
        shares.append(own)
        expected = part.rows.project(found.theta - own, 1) * 3 / 2
        assert found.projected(part) == pytest.approx(expected, abs=1e-4)
    assert sum(shares) == pytest.approx(found.theta, abs=1e-4)
    whole = found.projected_corpus(matrix, corpus)
    assert whole[found.parts[1].tokens] == pytest.approx(found.projected(found.parts[1]))


def test_rare_features_of_a_part_are_projected_as_later_text_will_be() -> None:
    corpus, matrix = random_corpus(), Matrix(WORDS)
    matrix.add(corpus)
    found = Alternation(matrix, parts(corpus, "tag", 3), 2, EXACT, min_count=4)
    found.run(1, 0.0)
    whole = matrix.rows(np.arange(corpus.n_tokens)).project(found.theta, 1)
    part = found.parts[2]
    expected = (whole[part.tokens] - found._own(part)) * 3 / 2
    assert found.projected_corpus(matrix, corpus)[part.tokens] == pytest.approx(expected, abs=1e-5)


def test_a_part_alone_leaves_nothing() -> None:
    corpus, matrix = random_corpus(), Matrix(WORDS)
    found = Alternation(matrix, parts(corpus, "tag", 3)[:1], 2, EXACT)
    found.run(1, 0.0)
    block = found.projected_corpus(matrix, corpus)
    assert not block[found.parts[0].tokens].any()
    assert block[found.parts[0].tokens[-1] + 1 :].any()
    with pytest.raises(DataError, match="one part is the whole text"):
        ASO(n_parts=1)


def test_other_tasks_are_projected_whole() -> None:
    corpus, matrix = random_corpus(), Matrix(WORDS)
    found = Alternation(matrix, [labelled(corpus, "tag")], 2, EXACT)
    found.run(1, 0.0)
    plain = matrix.rows(np.arange(corpus.n_tokens)).project(found.theta, 1)
    assert (found.projected(found.parts[0]) == plain).all()
    assert (found.projected_corpus(matrix, corpus) == plain).all()


def test_what_a_part_has_learnt_by_heart_is_not_in_its_projection() -> None:
    rng = np.random.default_rng(0)
    words = [[f"w{k}" for k in range(first, first + 8)] for first in range(0, 1600, 8)]
    tags = [["XY"[v] for v in rng.integers(0, 2, 8)] for _ in words]  # no word comes twice
    corpus, matrix = (
        Corpus.from_lists({"word": words, "tag": tags}),
        Matrix(Template(column("word"))),
    )
    found = Alternation(matrix, parts(corpus, "tag", 4), 8, EXACT)
    found.run(1, 0.0)
    truth = np.array([tag == "X" for sentence in tags for tag in sentence], float)
    seen = matrix.rows(np.arange(corpus.n_tokens)).project(found.theta, 1)
    fair = found.projected_corpus(matrix, corpus)
    assert _explained(seen, truth) > 0.5
    assert _explained(fair, truth) < 0.05


def _explained(block: np.ndarray, truth: np.ndarray) -> float:
    """How much of what varies a linear function of the block can tell."""
    x = np.column_stack([block, np.ones(len(block))])
    rest = truth - x @ np.linalg.lstsq(x, truth, rcond=None)[0]
    return 1 - float(rest.var() / truth.var())


def test_directions_by_columns_have_no_weights_in_other_groups() -> None:
    tasks = parts(random_corpus(), "tag", 3)
    structure = Structure(WORDS, 2, by_columns=True, threads=1).fit(tasks)
    assert structure.labels_ == ["t0", "t1", "t2", "t3"]
    values, names = structure.weights_.values(), structure.weights_.names()
    words = np.array([not name.startswith("pos") for name in names])
    assert not values[words, 2:].any()
    assert not values[~words, :2].any()
    assert values[words, :2].any()
    assert values[~words, 2:].any()


def test_threads_do_not_change_the_structure() -> None:
    tasks = parts(random_corpus(), "tag", 3)
    made = [Structure(WORDS, 3, threads=n).fit(tasks).to_bytes() for n in (1, 3)]
    assert made[0] == made[1]


def test_it_ends_when_nothing_moves() -> None:
    found = alternation(parts(random_corpus(), "tag", 2), 2)
    done = found.run(20, 0.05)
    assert len(done) < 20
    assert done[-1].change < 0.05
    assert done[1].objective < done[0].objective


def test_aso_tags_by_w_and_theta_together() -> None:
    corpus = random_corpus(120)
    aso = ASO(features=WORDS, n_parts=3, h=3, sharing=1, threads=1).fit(corpus, label="tag")
    linear = LinearTagger(features=WORDS, threads=1).fit(corpus, label="tag")
    assert aso.training_["objective"] < linear.training_["objective"]  # directions cost less
    right = np.mean([a == b for s, t in zip(aso.predict(corpus), corpus.lists("tag"), strict=True)
                     for a, b in zip(s, t, strict=True)])  # fmt: skip
    assert right > 0.95
    again = LinearTagger.load(aso.to_bytes())
    assert again.predict(corpus) == aso.predict(corpus)
    assert len(again.training_["rounds"]) == len(aso.structure_.rounds_)
    assert aso.fresh().get_params() == aso.get_params()


def test_other_labels_and_unlabelled_text_are_auxiliary_tasks_too() -> None:
    corpus = random_corpus(80)
    other = labelled(random_corpus(80, seed=5, labels="AB"), "tag", name="other")
    text = random_corpus(80, seed=6).without_column("tag")
    context = masked(text, "pos", offset=1, most=3)
    aso = ASO(features=WORDS, n_parts=0, auxiliary=[other, context], h=3).fit(corpus, label="tag")
    assert aso.structure_.n_problems_ == 5
    assert aso.structure_.biased_by_ == ("tag",)
    assert Structure(WORDS, 2).fit([context]).biased_by_ == ()


def test_masked_values_are_hidden_from_the_features() -> None:
    text = random_corpus(20).without_column("tag")
    matrix = Matrix(WORDS)
    matrix.add(text, hidden=0)
    names = {name.partition("=")[0] for name in matrix.native.feature_names()}
    assert "word[-1]" in names
    assert not names & {"word", "pos"}
    with pytest.raises(DataError, match="every feature of the template"):
        Matrix(Template(column("word"))).add(text, hidden=0)


def test_a_structure_leaves_its_value_to_the_tagger_that_reads_it() -> None:
    text = random_corpus(80, seed=6)
    plain = text.without_column("tag")
    structure = Structure(WORDS, 3, threads=1).fit([masked(plain, "word", most=5)])
    assert structure.chooses_value_
    assert structure.columns(plain)["structure"].weights.std(axis=0) == pytest.approx(1.0, rel=1e-3)
    features = Template(column("word"), column("structure"))
    layers = {"structure": structure, "tag": Tagger(features=features, threads=1)}
    assert "tag: the value of structure is " in Pipeline(layers).fit({"tag": text}).notes_[0]
    assert Structure.load(structure.to_bytes()).chooses_value_


def test_structure_is_a_column_of_numbers_for_a_crf(tmp_path) -> None:
    text = random_corpus(80, seed=6).without_column("tag")
    tasks = [masked(text, "word", most=5)]
    structure = Structure(WORDS, 3, name="shared", value=0.5, threads=1).fit(tasks)
    path = tmp_path / "shared.dovetail"
    structure.save(path)
    again = Structure.load(path)
    assert again.rounds_ == structure.rounds_
    found = structure.columns(text)["shared"].weights
    assert (again.columns(text)["shared"].weights == found).all()
    train = random_corpus(60)
    features = Template(column("word"), column("shared"))
    pipeline = Pipeline({"shared": structure, "tag": Tagger(features=features, threads=1)})
    pipeline.fit({"tag": train})
    loaded = Pipeline.load(pipeline.to_bytes())
    inputs = train.without_column("tag")
    assert loaded.predict(inputs) == pipeline.predict(inputs)
    with pytest.raises(ModelFileError, match="not a linear tagger"):
        LinearTagger.load(path)


def test_bad_input_is_refused_in_one_sentence() -> None:
    corpus = random_corpus(6)
    with pytest.raises(DataError, match="h is 7, but the auxiliary tasks make 6 problems"):
        ASO(features=WORDS, n_parts=2, h=7).fit(corpus)
    with pytest.raises(DataError, match="'same' has one class only"):
        labelled(Corpus.from_lists({"word": [["a", "b"]], "tag": [["O", "O"]]}), "tag", name="same")
    with pytest.raises(DataError, match="is empty"):
        labelled(Corpus.from_lists({"word": [["a"]], "tag": [[None]]}), "tag")
    with pytest.raises(DataError, match="cannot be divided into 9 parts"):
        parts(corpus, "tag", 9)
    with pytest.raises(DataError, match="there are no auxiliary tasks"):
        ASO(features=WORDS, n_parts=0).fit(corpus)
    with pytest.raises(DataError, match="n_parts is -1"):
        ASO(n_parts=-1)
    with pytest.raises(DataError, match="most is 0"):
        masked(corpus, "word", most=0)
    with pytest.raises(DataError, match="offset is"):
        masked(corpus, "word", offset=10**30)
    with pytest.raises(DataError, match="the template reads 'pos', the column that the auxiliary"):
        ASO(features=WORDS, n_parts=0, auxiliary=[labelled(corpus, "pos")], h=2).fit(corpus)
    with pytest.raises(DataError, match="no feature occurs 1000 times"):
        Structure(WORDS, 1, min_count=1000).fit([labelled(corpus, "tag")])
    alone = Corpus.from_lists({"word": [["a", "b"], ["c"]], "tag": [["X", "Y"], ["X"]]})
    with pytest.raises(DataError, match="make fewer parts"):
        parts(alone, "tag", 2)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"h": 0}, "h is 0"),
        ({"h": 2.5}, "h is 2.5"),
        ({"rounds": 0}, "rounds is 0"),
        ({"n_parts": 2.5}, "n_parts is 2.5"),
        ({"penalty": "x"}, "penalty is 'x'"),
        ({"min_count": -1}, "min_count is -1"),
        ({"min_count": 10**12}, "at most 2,147,483,647"),
        ({"auxiliary": labelled(random_corpus(6), "tag")}, "auxiliary is a list of tasks"),
        ({"auxiliary": [random_corpus(6)]}, "auxiliary is a list of tasks"),
    ],
)
def test_settings_that_cannot_be(settings: dict, words: str) -> None:
    with pytest.raises(DovetailError, match=words):
        ASO(features=WORDS, **settings).fit(random_corpus(20))


def test_a_structure_has_a_template_and_numbers_above_0() -> None:
    for given, words in [
        ({"features": "chunking", "h": 2}, "are a Template"),
        ({"features": WORDS, "h": 2, "rounds": 0}, "rounds is 0"),
        ({"features": WORDS, "h": 2, "value": 0}, "value is 0"),
    ]:
        with pytest.raises(DataError, match=words):
            Structure(**given)


def test_directions_beyond_those_there_are_stay_empty(caplog) -> None:
    corpus = random_corpus()
    template = Template(column("pos"))  # six features, so no more than six directions
    with caplog.at_level(logging.INFO, "dovetail"):
        found = Alternation(Matrix(template), parts(corpus, "tag", 3), 9, EXACT)
        found.run(1, 0.0)
    norms = np.linalg.norm(found.theta, axis=0)
    there = norms > 0
    assert 1 <= there.sum() <= 6
    assert norms[there] == pytest.approx(np.ones(there.sum()), abs=1e-2)
    assert max(np.abs(part.share).max() for part in found.parts) < 100
    assert "of h are empty" in caplog.text


def test_what_is_trained_can_be_pickled() -> None:
    corpus = random_corpus()
    aso = ASO(features=WORDS, n_parts=2, h=2).fit(corpus)
    again = pickle.loads(pickle.dumps(aso))
    assert (again.scores(corpus) == aso.scores(corpus)).all()
    ours, theirs = (
        s.annotate(corpus).column("structure") for s in (aso.structure_, again.structure_)
    )
    assert ours == theirs


def test_label_sets_that_do_not_overlap_are_told(caplog) -> None:
    other = labelled(random_corpus(20, labels="AB"), "tag", name="other")
    with caplog.at_level(logging.INFO, "dovetail"):
        ASO(features=WORDS, n_parts=0, auxiliary=[other], h=2).fit(random_corpus(20))
    assert "shares no label with the target" in caplog.text
    pipeline = Pipeline({"tag": ASO(features=WORDS, n_parts=0, auxiliary=[other], h=2)})
    pipeline.fit(random_corpus(20))
    assert "tag: the auxiliary task 'other' shares no label" in pipeline.notes_[0]


def test_ctrl_c_keeps_no_structure_that_is_half_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    turn, rounds = Alternation._turn, []

    def interrupt(self: Alternation, block: np.ndarray) -> tuple[list[list[float]], float]:
        rounds.append(len(rounds))
        if len(rounds) == 2:
            raise KeyboardInterrupt
        return turn(self, block)

    monkeypatch.setattr(Alternation, "_turn", interrupt)
    structure = Structure(Template(column("word")), 2, rounds=3)
    with pytest.raises(KeyboardInterrupt):
        structure.fit([labelled(random_corpus(), "tag")])
    assert not structure.is_fitted
