"""sklearn-crfsuite's interface: what scikit-learn asks of estimators, on ragged sequences."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import pytest

from dovetail.errors import DataError
from interop.crfsuite_models import random_items, share_of_equal

pytest.importorskip("sklearn")
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from dovetail.interop.sklearn_crfsuite import CRF, metrics, scorers

X, Y = random_items(1, 30)

MATRIX = "it fits a matrix of numbers, and sequences of feature dicts are none"
WORDING = "it wants a message about the rows and columns of a matrix, which there is none of"
SPARSE = "it gives sparse matrices, and wants a message about them"
IMPOSSIBLE = {
    "check_fit_score_takes_y": MATRIX,
    "check_estimators_overwrite_params": MATRIX,
    "check_dont_overwrite_parameters": MATRIX,
    "check_estimators_fit_returns_self": MATRIX,
    "check_readonly_memmap_input": MATRIX,
    "check_n_features_in_after_fitting": MATRIX,
    "check_positive_only_tag_during_fit": MATRIX,
    "check_estimators_dtypes": MATRIX,
    "check_complex_data": MATRIX,
    "check_dtype_object": MATRIX,
    "check_estimators_empty_data_messages": WORDING,
    "check_pipeline_consistency": MATRIX,
    "check_estimators_nan_inf": MATRIX,
    "check_estimator_sparse_tag": SPARSE,
    "check_estimator_sparse_array": SPARSE,
    "check_estimator_sparse_matrix": SPARSE,
    "check_estimators_pickle": MATRIX,
    "check_f_contiguous_array_estimator": MATRIX,
    "check_methods_sample_order_invariance": MATRIX,
    "check_methods_subset_invariance": MATRIX,
    "check_fit2d_1sample": WORDING,
    "check_fit2d_1feature": WORDING,
    "check_dict_unchanged": MATRIX,
    "check_fit_idempotent": MATRIX,
    "check_fit_check_is_fitted": MATRIX,
    "check_n_features_in": MATRIX,
    "check_fit2d_predict1d": MATRIX,
}


class Checked(CRF):
    """Says that it reads matrices, since scikit-learn would not begin its checks otherwise."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = True
        return tags


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks([Checked()], expected_failed_checks=lambda _: IMPOSSIBLE)
def test_scikit_learn_checks(estimator: Any, check: Any) -> None:
    check(estimator)


def test_clone_pickle_and_repr() -> None:
    crf = CRF(c1=0.1, c2=0.2)
    assert repr(clone(crf.fit(X, Y))) == "CRF(c1=0.1, c2=0.2)"
    again = pickle.loads(pickle.dumps(crf))
    assert again.predict(X) == crf.predict(X)
    assert again.get_params() == crf.get_params()


def test_the_tagger_is_one_and_follows_the_training() -> None:
    crf = CRF(c2=0.1).fit(X, Y)
    assert crf.tagger_ is not None
    crf.tagger_.set(X[0])
    label = crf.predict_single(X[0])[0]
    wanted = crf.predict_marginals_single(X[0])[0][label]
    assert crf.tagger_.marginal(label, 0) == pytest.approx(wanted)
    assert pickle.loads(pickle.dumps(crf)).state_features_ == crf.state_features_
    crf.fit([[{b"other": b"x"}]], [["Z"]])
    assert crf.tagger_.labels() == ["Z"]
    assert crf.state_features_ is not None
    assert {name for name, _ in crf.state_features_} <= {"other:x"}
    assert crf.predict_marginals_single(iter([{b"other": b"x"}])) == [{"Z": pytest.approx(1.0)}]


def test_model_selection() -> None:
    scores = cross_val_score(CRF(c2=0.1), X, Y, cv=3)
    assert scores.shape == (3,)
    search = GridSearchCV(CRF(), {"c2": [0.1, 10], "algorithm": ["lbfgs", "l2sgd"]}, cv=2)
    search.fit(X, Y)
    assert search.best_score_ == max(search.cv_results_["mean_test_score"])
    assert isinstance(search.predict(X[:1])[0][0], str)


def test_as_sklearn_crfsuite() -> None:
    original = pytest.importorskip("sklearn_crfsuite").CRF(c1=0.1, c2=0.1).fit(X, Y)
    ours = CRF(c1=0.1, c2=0.1).fit(X, Y)
    assert set(ours.get_params()) == set(original.get_params())
    assert sorted(ours.classes_ or ()) == sorted(original.classes_)
    assert share_of_equal(ours.predict(X), original.predict(X)) >= 0.95
    assert ours.score(X, Y) == pytest.approx(original.score(X, Y), abs=0.03)
    one, other = ours.predict_marginals(X), original.predict_marginals(X)
    assert one[0][0] == pytest.approx(other[0][0], abs=0.01)
    weights = ours.transition_features_
    assert weights is not None
    for move, weight in original.transition_features_.items():
        assert weights.get(move, 0.0) == pytest.approx(weight, abs=0.05)
    assert ours.tagger_ is not None
    assert ours.tagger_.tag(X[0]) == ours.predict_single(X[0])
    assert ours.num_attributes_ == len(ours.attributes_ or ())


@pytest.mark.parametrize(
    ("algorithm", "parameters"),
    [
        ("lbfgs", {"c1": 0.1, "c2": 0.1, "num_memories": 3, "linesearch": "Backtracking"}),
        ("l2sgd", {"c2": 0.1, "calibration_eta": 0.2, "calibration_max_trials": 5}),
        ("ap", {"max_iterations": 20, "epsilon": 0.01}),
        ("pa", {"pa_type": 2, "c": 0.5, "error_sensitive": False, "averaging": True}),
        ("arow", {"variance": 2.0, "gamma": 0.5, "max_iterations": 20}),
    ],
)
def test_every_algorithm_with_its_parameters(algorithm: str, parameters: dict[str, Any]) -> None:
    ours = CRF(algorithm=algorithm, **parameters).fit(X, Y)
    assert ours.score(X, Y) > 0.75
    package = pytest.importorskip("sklearn_crfsuite")
    theirs = package.CRF(algorithm=algorithm, **parameters).fit(X, Y)
    assert ours.score(X, Y) == pytest.approx(theirs.score(X, Y), abs=0.1)


def test_what_eli5_reads_fits_together() -> None:
    crf = CRF(c1=0.05, c2=0.01).fit(X, Y)
    states, transitions = crf.state_features_ or {}, crf.transition_features_ or {}
    assert {name for name, _ in states} <= set(crf.attributes_ or ())
    labels = {label for _, label in states} | {label for pair in transitions for label in pair}
    assert labels == set(crf.classes_ or ())
    assert crf.num_attributes_ == len(crf.attributes_ or ())


def test_metrics_are_those_of_sklearn_crfsuite() -> None:
    theirs = pytest.importorskip("sklearn_crfsuite.metrics")
    predicted = CRF(algorithm="ap", max_iterations=1).fit(X, Y).predict(X)
    average = {"average": "weighted", "zero_division": 0}
    for name, arguments in (
        ("flat_accuracy_score", {}),
        ("flat_precision_score", average),
        ("flat_recall_score", average),
        ("flat_f1_score", average),
        ("flat_fbeta_score", {"beta": 2.0, **average}),
        ("flat_classification_report", {"labels": ["A", "B"], "digits": 3}),
        ("sequence_accuracy_score", {}),
    ):
        given = (Y, predicted)
        ours = getattr(metrics, name)(*given, **arguments)
        assert ours == getattr(theirs, name)(*given, **arguments), name
    assert metrics.sequence_accuracy_score([], []) == 0
    with pytest.raises(DataError, match="sequence 1 has 2 labels, but 1 are predicted"):
        metrics.flat_accuracy_score([["A", "A"]], [["A"]])


def test_scorers() -> None:
    crf = CRF(c2=0.1).fit(X, Y)
    assert scorers.flat_accuracy(crf, X, Y) == pytest.approx(crf.score(X, Y))
    right = sum(one == other for one, other in zip(crf.predict(X), Y, strict=True))
    assert scorers.sequence_accuracy(crf, X, Y) == pytest.approx(right / len(Y))


def test_a_model_file(tmp_path: Path) -> None:
    path = tmp_path / "model.crfsuite"
    crf = CRF(c2=0.1, model_filename=path).fit(X, Y)
    assert crf.size_ == path.stat().st_size
    assert CRF(model_filename=path).predict(X) == crf.predict(X)


def test_held_out_data_is_reported_and_not_learnt() -> None:
    crf = CRF(c2=0.1).fit(X[:20], Y[:20], X[20:], Y[20:])
    assert crf.predict(X) == CRF(c2=0.1).fit(X[:20], Y[:20]).predict(X)
    last = crf.training_log_.last_iteration
    assert last["item_accuracy_float"] == pytest.approx(crf.score(X[20:], Y[20:]))


def test_our_own_contract() -> None:
    given = copy.deepcopy((X, Y))
    crf = CRF(c2=0.1).fit(iter(X), iter(Y))
    assert given == (X, Y)
    assert crf.predict([[]]) == [[]]
    assert crf.predict([]) == []
    assert crf.predict([[{"never": "seen"}]])[0][0] in (crf.classes_ or ())
    assert CRF(c2=0.1).fit(X, Y).predict(X) == crf.predict(X)


def test_wrong_use() -> None:
    with pytest.raises(NotFittedError):
        CRF().predict(X)
    assert CRF().classes_ is None
    with pytest.raises(DataError, match="30 sequences in X but 29 in y"):
        CRF().fit(X, Y[1:])
    with pytest.raises(DataError, match="sequence 2: The numbers of items and labels differ"):
        CRF().fit(X[:2], [Y[0], []])
    with pytest.raises(DataError, match="sequence 1: 1 is of type int; give a string"):
        CRF().fit(X[:1], [[1] * len(X[0])])  # type: ignore[list-item]
    with pytest.raises(DataError, match="trainer_cls is no subclass"):
        CRF(trainer_cls=lambda **_: None).fit(X, Y)
    with pytest.raises(DataError, match="both X_dev and y_dev"):
        CRF().fit(X, Y, X)
    with pytest.raises(ValueError, match="no algorithm 'crf'; use one of lbfgs"):
        CRF(algorithm="crf").fit(X, Y)
    with pytest.raises(ValueError, match="c2 is 'much'"):
        CRF(c2="much").fit(X, Y)  # type: ignore[arg-type]


def test_as_many_iterations_are_reported_as_were_asked_for(
    capsys: pytest.CaptureFixture[str],
) -> None:
    crf = CRF(max_iterations=5, verbose=True, c2=0.001).fit(X, Y)
    assert [one["num"] for one in crf.training_log_.iterations] == [1, 2, 3, 4, 5]
    lines = capsys.readouterr().out.splitlines()
    assert sum(line.startswith("Iter ") for line in lines) == 5
    assert lines[-1] == "Training ended: the limit of 5 iterations is reached"
