from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dovetail import Corpus, LinearTagger, Tagger, Template, _native, column
from dovetail.errors import DataError, DovetailError, ModelFileError
from dovetail.features import Dataset
from dovetail.multitask.matrix import LOSSES, Objective, classifiers
from multitask.corpora import random_corpus
from reference import linear as reference

WORDS = Template(column("word").window(1), column("pos"))


def rows_of(dense: np.ndarray, min_count: int = 1) -> _native.LinearRows:
    """A matrix as rows of features."""
    tokens = [{f"f{k}": float(v) for k, v in enumerate(row) if v} for row in dense]
    data = Dataset.from_lists([[token] for token in tokens], [["X"]] * len(tokens))
    return _native.LinearRows(data.native, np.arange(len(tokens), dtype=np.uint64), min_count)


def matrix_of(rows: _native.LinearRows) -> np.ndarray:
    """The rows as the solver sees them."""
    begins, ids, values = rows.matrix()
    out = np.zeros((rows.n_rows, rows.n_columns))
    for row in range(rows.n_rows):
        for k in range(int(begins[row]), int(begins[row + 1])):
            out[row, ids[k]] += values[k]
    return out


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("h", [0, 2])
def test_the_minimum_is_that_of_a_plain_optimiser(loss: str, h: int) -> None:
    rng = np.random.default_rng(1)
    x = np.where(rng.random((40, 6)) < 0.5, rng.normal(size=(40, 6)).round(2), 0)
    z = rng.normal(size=(40, h)).astype(np.float32)
    codes = rng.integers(0, 2, 40).astype(np.int32)
    rows = rows_of(x)
    found = classifiers(rows, codes, [1], Objective(loss, 0.01, 1e-6), block=z)
    y = np.where(codes == 1, 1, -1)
    _, v, least = reference.best(loss, matrix_of(rows), z.astype(float), y, 0.01)
    assert found.objectives[0] == pytest.approx(least, rel=1e-5)
    assert found.block[0] == pytest.approx(v, abs=2e-2)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("penalty", [0.01, 1e-5])  # the smaller one takes Newton's method
@pytest.mark.parametrize("keep_weights", [True, False])
def test_a_penalty_on_a_block_is_that_on_features(
    loss: str, penalty: float, keep_weights: bool
) -> None:
    rng = np.random.default_rng(1)
    x = np.where(rng.random((60, 6)) < 0.5, rng.normal(size=(60, 6)).round(2), 0)
    z = rng.normal(size=(60, 2)).astype(np.float32)
    codes = (z[:, 0] + rng.normal(size=60) > 0).astype(np.int32)
    rows, objective = rows_of(x), Objective(loss, penalty, 1e-6)
    how = {"block": z, "block_penalty": 4 * penalty, "keep_weights": keep_weights}
    found = classifiers(rows, codes, [1], objective, **how)
    y = np.where(codes == 1, 1, -1)
    both = np.column_stack([matrix_of(rows), z / 2])  # half as large: four times the penalty
    w, _, least = reference.best(loss, both, np.zeros((60, 0)), y, penalty)
    assert found.objectives[0] == pytest.approx(least, rel=1e-3)
    assert found.block[0] == pytest.approx(w[-2:] / 2, rel=5e-2, abs=5e-2)


def test_features_of_the_same_rows_share_a_column_and_get_the_same_weight() -> None:
    x = np.array([[1, 1, 0], [1, 1, 1], [0, 0, 1], [0, 0, 1]], float)
    rows = rows_of(x)
    codes = np.array([0, 0, 1, 1], np.int32)
    found = classifiers(rows, codes, [0], Objective(penalty=0.1, tolerance=1e-6))
    assert rows.n_features == 5  # with those of the first and the last token of a sequence
    assert rows.n_columns == 3
    weights = np.zeros(rows.n_dataset_features)
    weights[rows.features()] = found.found[0]
    names = ["⟨start⟩", "f0", "f1", "⟨end⟩", "f2"]
    by_name = dict(zip(names, weights, strict=True))
    assert by_name["f0"] == by_name["f1"]
    y = np.where(codes == 0, 1, -1)
    ends = np.concatenate([x, np.ones((4, 2))], axis=1)
    _, _, least = reference.best("modified_huber", ends, np.zeros((4, 0)), y, 0.1)
    assert found.objectives[0] == pytest.approx(least, rel=1e-5)


def test_a_feature_that_a_token_has_twice_counts_twice() -> None:
    once = [[["a", "a", "b"]], [["b"]], [["a", "c"]]]
    data = Dataset.from_lists(once, [["X"]] * 3)
    rows = _native.LinearRows(data.native, np.arange(3, dtype=np.uint64), 1)
    codes = np.array([0, 1, 0], np.int32)
    x = matrix_of(rows)
    assert x.max() == pytest.approx(2)
    assert len(rows.matrix()[1]) == np.count_nonzero(x)
    found = classifiers(rows, codes, [0], Objective(penalty=0.01, tolerance=1e-6))
    _, _, least = reference.best("modified_huber", x, np.zeros((3, 0)), np.array([1, -1, 1]), 0.01)
    assert found.objectives[0] == pytest.approx(least, rel=1e-5)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("penalty", [1e-6, 1e-3, 10.0])
def test_an_objective_is_never_further_above_the_least_than_the_tolerance(
    loss: str, penalty: float
) -> None:
    rng = np.random.default_rng(2)
    x = np.where(rng.random((60, 5)) < 0.6, 3 * rng.normal(size=(60, 5)), 0)
    codes = (x[:, 0] + rng.normal(size=60) > 0).astype(np.int32)
    rows = rows_of(x)
    found = classifiers(rows, codes, [1], Objective(loss, penalty, 1e-3))
    y = np.where(codes == 1, 1, -1)
    _, _, least = reference.best(loss, matrix_of(rows), np.zeros((60, 0)), y, penalty)
    assert least * (1 - 1e-6) <= found.objectives[0] <= least / (1 - 1.1e-3)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("scales", [(1.0, 1.0), (100.0, 0.01)])
def test_what_is_returned_with_a_block_has_the_objective_that_is_told(
    loss: str, scales: tuple[float, float]
) -> None:
    rng = np.random.default_rng(4)
    x = np.where(rng.random((300, 30)) < 0.2, 1.0, 0)
    z = (rng.normal(size=(300, 2)) * scales).astype(np.float32)
    codes = (x[:, 0] + z[:, 0] / scales[0] + rng.normal(size=300) > 0.5).astype(np.int32)
    rows = rows_of(x)
    found = classifiers(rows, codes, [1], Objective(loss, 1e-3, 1e-3), block=z)
    matrix, y = matrix_of(rows), np.where(codes == 1, 1, -1)
    weights = np.zeros((rows.n_dataset_features, 1), np.float32)
    weights[rows.features(), 0] = found.found[0]
    scores = rows.project(weights, 1)[:, 0] + z @ found.block[0]
    loss_now = reference.loss_of(loss, y * scores).mean()
    penalty = 1e-3 * float((found.found[0] ** 2).sum())
    assert loss_now + penalty == pytest.approx(found.objectives[0], rel=1e-4)
    _, _, least = reference.best(loss, matrix, z.astype(float), y, 1e-3)
    assert found.objectives[0] == pytest.approx(least, rel=3e-3)


def test_coefficients_give_the_weights_where_ascent_is_slow_too() -> None:
    rng = np.random.default_rng(5)
    rows = rows_of(rng.normal(size=(400, 6)))
    codes = rng.integers(0, 2, 400).astype(np.int32)
    objective = Objective(penalty=1e-5, tolerance=1e-3)
    told = classifiers(rows, codes, [1], objective)
    assert told.iterations[0] > 40  # beyond what ascent is given
    by_rows = classifiers(rows, codes, [1], objective, keep_weights=False)
    weights = np.zeros((rows.n_dataset_features, 1), np.float32)
    rows.add_combinations(by_rows.found, weights, 1)
    y = np.where(codes == 1, 1, -1)
    loss = reference.loss_of("modified_huber", y * rows.project(weights, 1)[:, 0]).mean()
    assert loss + 1e-5 * (weights**2).sum() == pytest.approx(by_rows.objectives[0], rel=5e-3)
    assert by_rows.objectives[0] == pytest.approx(told.objectives[0], rel=0.1)


@pytest.mark.parametrize("loss", LOSSES)
def test_with_a_block_the_tolerance_holds_too(loss: str) -> None:
    rng = np.random.default_rng(7)
    x = np.where(rng.random((400, 300)) < 0.03, 1.0, 0)
    z = (rng.normal(size=(400, 12)) @ rng.normal(size=(12, 12))).astype(np.float32)
    codes = (z[:, 0] + 3 * x[:, 0] + 2 * rng.normal(size=400) > 0).astype(np.int32)
    rows = rows_of(x)
    for penalty in (1e-4, 1e-3):
        found = classifiers(rows, codes, [1], Objective(loss, penalty, 1e-3), block=z)
        tight = classifiers(rows, codes, [1], Objective(loss, penalty, 1e-7), block=z)
        assert tight.objectives[0] <= found.objectives[0] * (1 + 1e-6)
        assert found.objectives[0] <= tight.objectives[0] * (1 + 3e-3)


def test_a_block_that_tells_all_ends_at_once() -> None:
    rng = np.random.default_rng(6)
    codes = rng.integers(0, 2, 200).astype(np.int32)
    z = np.where(codes == 1, 1.0, -1.0)[:, None].astype(np.float32)
    for loss in LOSSES:
        found = classifiers(
            rows_of(rng.normal(size=(200, 3))), codes, [1], Objective(loss), block=z
        )
        assert found.iterations[0] < 60
        assert found.objectives[0] < 1e-3


def test_values_that_overflow_are_refused() -> None:
    rows = rows_of(np.array([[1e25, 0], [0, 1], [1e25, 1]]))
    with pytest.raises(DataError, match="too large to learn from"):
        classifiers(rows, np.array([0, 1, 0], np.int32), [0], Objective())


def test_coefficients_of_rows_give_the_weights() -> None:
    rng = np.random.default_rng(3)
    rows = rows_of((rng.random((50, 8)) < 0.4).astype(float))
    codes = rng.integers(0, 3, 50).astype(np.int32)
    objective = Objective(penalty=0.01, tolerance=1e-7)
    weights = classifiers(rows, codes, [0, 1, 2], objective).found
    by_rows = classifiers(rows, codes, [0, 1, 2], objective, keep_weights=False).found
    combined = np.zeros((rows.n_dataset_features, 3), np.float32)
    rows.add_combinations(by_rows, combined, 1)
    same = combined[rows.features()].T
    assert same == pytest.approx(weights, abs=2e-3)


@given(st.integers(1, 40), st.integers(1, 30), st.integers(1, 7), st.integers(0, 10**6))
def test_products_with_rows_are_those_of_their_matrix(
    n: int, n_features: int, h: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    x = np.where(rng.random((n, n_features)) < 0.3, rng.integers(1, 4, (n, n_features)), 0)
    rows = rows_of(x.astype(float))
    theta = rng.normal(size=(rows.n_dataset_features, h)).astype(np.float32)
    dense = rows.project(np.eye(rows.n_dataset_features, dtype=np.float32), 1)
    # Each token is a sequence: features of the first and the last token are there too.
    assert sorted(dense.sum(axis=0)) == pytest.approx(sorted([*x.sum(axis=0)[x.any(axis=0)], n, n]))
    coefficients = rng.normal(size=(h, n)).astype(np.float32)
    coefficients[rng.random((h, n)) < 0.5] = 0
    for threads in (1, 3):
        assert rows.project(theta, threads) == pytest.approx(dense @ theta, abs=1e-4)
        added = theta.copy()
        rows.add_combinations(coefficients, added, threads)
        assert added == pytest.approx(theta + dense.T @ coefficients.T, abs=1e-4)


def test_sums_of_rows_are_added_in_place_or_refused() -> None:
    rows = rows_of(np.eye(3))
    with pytest.raises(TypeError):
        rows.add_combinations(
            np.ones((1, 3), np.float32), np.zeros((rows.n_dataset_features, 1)), 1
        )
    with pytest.raises(ValueError, match="to"):
        rows.add_combinations(
            np.ones((1, 3), np.float32), np.zeros((rows.n_dataset_features, 2), np.float32), 1
        )


def test_rare_features_and_unlabelled_rows_are_left_out() -> None:
    x = np.array([[1, 0], [1, 0], [0, 1]], float)
    assert rows_of(x, min_count=2).n_features == 3
    objective = Objective(tolerance=1e-6)
    found = classifiers(rows_of(x), np.array([0, 1, -1], np.int32), [0], objective)
    alone = classifiers(rows_of(x[:2]), np.array([0, 1], np.int32), [0], objective)
    assert found.objectives[0] == pytest.approx(alone.objectives[0])


@pytest.mark.parametrize("loss", LOSSES)
def test_it_learns_and_does_not_depend_on_threads(loss: str) -> None:
    corpus = random_corpus()
    one = LinearTagger(features=WORDS, loss=loss, threads=1).fit(corpus, label="tag")
    two = LinearTagger(features=WORDS, loss=loss, threads=3).fit(corpus, label="tag")
    right = [a == b for s, t in zip(one.predict(corpus), corpus.lists("tag"), strict=True)
             for a, b in zip(s, t, strict=True)]  # fmt: skip
    assert np.mean(right) > 0.95
    assert one.to_bytes() == two.to_bytes()


def test_probabilities_are_calibrated_on_held_out_text() -> None:
    corpus, test = random_corpus(300), random_corpus(300, seed=1)
    tagger = LinearTagger(features=Template(column("pos")), threads=1).fit(corpus, label="tag")
    found = tagger.marginals(test)
    assert found.sum(axis=1) == pytest.approx(1)
    gold = [tagger.labels_.index(y) for s in test.lists("tag") for y in s]
    sure, right = found.max(axis=1).mean(), np.mean(found.argmax(axis=1) == gold)
    assert sure == pytest.approx(right, abs=0.05)
    soft = tagger.column(test, soft=True)
    assert soft.values() == tagger.column(test).values()


def test_saved_pickled_and_loaded_it_is_the_same() -> None:
    corpus = random_corpus()
    tagger = LinearTagger(features=WORDS, threads=1).fit(corpus, label="tag")
    for again in (LinearTagger.load(tagger.to_bytes()), pickle.loads(pickle.dumps(tagger))):
        assert again.predict(corpus) == tagger.predict(corpus)
        assert (again.marginals(corpus) == tagger.marginals(corpus)).all()
        assert again.label_column_ == "tag"
    assert tagger.predict([[("w1", "p1")]]) == [["Y"]]
    name, weight = tagger.top_weights(1, label="Y")[0]
    assert weight > 0
    assert "=" in name


def test_bad_input_is_refused_in_one_sentence(tmp_path) -> None:
    corpus = random_corpus(5)
    for wrong, words in [
        ({"loss": "hinge"}, "there is no loss 'hinge'"),
        ({"penalty": 0.0}, "penalty is 0.0; give a number above 0"),
    ]:
        with pytest.raises(DataError, match=words):
            LinearTagger(**wrong)
    with pytest.raises(DataError, match="only the label 'O'"):
        LinearTagger().fit(Corpus.from_lists({"word": [["a"]], "tag": [["O"]]}))
    with pytest.raises(DataError, match="reads 'tag'"):
        LinearTagger(features=Template(column("tag"))).fit(corpus)
    with pytest.raises(DovetailError, match="has not been trained"):
        LinearTagger().predict([["a"]])
    plain = LinearTagger(features=WORDS, calibrate=False).fit(corpus)
    with pytest.raises(DovetailError, match="calibrate=True"):
        plain.marginals(corpus)
    path = tmp_path / "linear.dovetail"
    plain.save(path)
    with pytest.raises(ModelFileError, match="holds a linear tagger, not a tagger"):
        Tagger.load(path)
    content = bytearray(path.read_bytes())
    content[-3] ^= 255
    with pytest.raises(ModelFileError, match="damaged"):
        LinearTagger.load(bytes(content))
