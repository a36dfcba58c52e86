"""What holds for every estimator."""

from __future__ import annotations

import pickle
import re
from copy import deepcopy
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone as sklearn_clone

import dovetail
from base.estimators import CASES, WORD, WORDS, Case, text, used
from dovetail import HMM, Corpus, LinearTagger, Pipeline, Tagger
from dovetail.base import Estimator, clone
from dovetail.base.parameter_types import plain_types
from dovetail.base.parameters import is_default, parameters_of
from dovetail.errors import DataError, DovetailError, NotFittedError, TrainingError

TRAINED = [case for case in CASES if case.fit is not None]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    for name, cases in (("case", CASES), ("trained", TRAINED)):
        if name in metafunc.fixturenames:
            metafunc.parametrize(name, cases, ids=[case.name for case in cases])


def same(one: Any, other: Any) -> bool:
    """Whether two parameters are equal: estimators by their parameters, arrays by their items."""
    if isinstance(one, Estimator):
        return type(one) is type(other) and all(
            same(value, other.get_params(deep=False)[name])
            for name, value in one.get_params(deep=False).items()
        )
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    return bool((one == other).all()) if hasattr(one, "all") else is_default(one, other)


def test_parameters_make_the_same_estimator(case: Case) -> None:
    one = case.make()
    assert set(one.get_params(deep=False)) == set(parameters_of(type(one)))
    assert same(type(one)(**one.get_params(deep=False)), one)
    assert same(one.set_params(**one.get_params(deep=False)), case.make())


def test_parameters_are_attributes(case: Case) -> None:
    one = case.make()
    for name, value in one.get_params(deep=False).items():
        if not (isinstance(one, Pipeline) and name in ("layers", "weights")):
            assert same(getattr(one, name), value)


def test_plain_values_of_a_wrong_type_are_one_sentence(case: Case) -> None:
    for name, alternatives in plain_types(type(case.make())).items():
        for wrong in (0.5 if str in alternatives else "0.5", [1]):
            with pytest.raises(TrainingError, match=f"{name} is {re.escape(repr(wrong))}, of the"):
                case.make().set_params(**{name: wrong})


def test_numbers_of_numpy_are_numbers() -> None:
    tagger = Tagger(c2=np.float32(0.5), max_iterations=np.int64(3), all_pairs=np.True_)
    tagger.fit(text(), label="pos")
    again = dovetail.load(tagger.to_bytes())
    assert (again.c2, again.max_iterations, again.all_pairs) == (0.5, 3, True)


def test_a_parameter_that_does_not_exist_names_the_nearest(case: Case) -> None:
    one = case.make()
    name = list(parameters_of(type(one)))[-1]
    with pytest.raises(DataError, match=f"no parameter '{name}x'; did you mean '{name}'"):
        one.set_params(**{f"{name}x": 1})
    with pytest.raises(DataError, match="no parameter 'zzzzzzz'; there are "):
        one.set_params(zzzzzzz=1)
    assert same(one, case.make())


def test_nothing_is_changed_where_something_cannot_be(case: Case) -> None:
    one = case.make()
    own = next(name for name in parameters_of(type(one)) if name in ("threads", "name", "repel"))
    with pytest.raises(DataError, match="no parameter"):
        one.set_params(**{own: 3, "zzzzzzz": 1})
    assert same(one, case.make())


def test_parameters_are_checked_as_when_it_is_made() -> None:
    hmm = HMM(3)
    with pytest.raises(DataError, match="there cannot be 0 states"):
        hmm.set_params(states=0)
    assert hmm.states == 3
    pipeline = Pipeline({"tag": Tagger()})
    with pytest.raises(DataError, match="there is no decoding 'guess'"):
        pipeline.set_params(tag__c2=3.0, decode="guess")
    assert pipeline["tag"].c2 == "auto"
    assert pipeline.set_params(weights={"tag": 2.0}).weights == {"tag": 2.0}


def test_parameters_of_parts_are_reached_by_their_names(case: Case) -> None:
    one: Any = case.make()
    inner = {name: value for name, value in one.get_params().items() if "__" in name}
    assert bool(inner) == (case.name in ("layered hmm", "consistency", "pipeline"))
    for name in inner:
        if name.endswith("__seed"):
            assert one.set_params(**{name: 7}).get_params()[name] == 7


@pytest.mark.parametrize("how", [clone, sklearn_clone, lambda one: one.clone()])
def test_a_clone_has_the_parameters_and_is_not_trained(case: Case, how: Any) -> None:
    fitted = case.fitted()
    before = used(fitted)
    copy = how(fitted)
    assert type(copy) is type(fitted)
    assert same(copy, fitted)
    assert copy.is_fitted == (case.fit is None)
    for name, value in copy.get_params(deep=False).items():
        if isinstance(value, Estimator):
            assert value is not fitted.get_params(deep=False)[name]
    if case.fit is not None:
        case.fit(copy, text())
    assert used(copy) == before == used(fitted)


def test_training_changes_neither_parameters_nor_data(trained: Case) -> None:
    one, corpus = trained.make(), text()
    before = one.get_params()
    copies = {name: deepcopy(value) for name, value in before.items()}
    assert trained.fit is not None
    assert trained.fit(one, corpus) is one
    assert corpus == text()
    for name, value in one.get_params().items():
        if not (isinstance(one, Pipeline) and name in ("layers", "tag", "pos")):
            assert same(value, copies[name]), name


def test_a_pipeline_keeps_the_taggers_that_it_was_made_of() -> None:
    corpus = text()
    pipeline = Pipeline({"pos": Tagger(features=WORD, c2=0.1)}, decode="auto").fit(corpus, folds=2)
    assert not isinstance(pipeline["pos"], Tagger)
    again = pipeline.clone()
    assert repr(again["pos"]) == repr(Tagger(features=WORD, c2=0.1))
    assert not again.is_fitted
    assert used(again.fit(corpus, folds=2)) == used(pipeline)


def test_pickle(case: Case) -> None:
    fitted = case.fitted()
    again = pickle.loads(pickle.dumps(fitted))
    assert same(again, fitted)
    assert used(again) == used(fitted)
    blank = pickle.loads(pickle.dumps(case.make()))
    assert blank.is_fitted == (case.fit is None)
    assert same(blank, case.make())


def test_files(case: Case, tmp_path: Any) -> None:
    fitted = case.fitted()
    path = tmp_path / "model.dovetail"
    fitted.save(path)
    for again in (dovetail.load(path), dovetail.load(fitted.to_bytes()), type(fitted).load(path)):
        assert again.is_fitted
        assert used(again) == used(fitted)


@pytest.mark.parametrize("features", [None, "parts_of_speech", WORD], ids=str)
@pytest.mark.parametrize("kind", [Tagger, LinearTagger])
def test_files_hold_parameters_as_they_were_given(kind: Any, features: Any) -> None:
    fitted = kind(features=features, tolerance=1e-2).fit(text())
    again = dovetail.load(fitted.to_bytes())
    assert repr(again) == repr(fitted)
    assert again.features is not None or features is None
    assert used(again.clone().fit(text())) == used(fitted) == used(again)


def test_before_training_everything_says_so(trained: Case) -> None:
    one: Any = trained.make()
    if isinstance(one, Pipeline):
        with pytest.raises(DovetailError, match="the task 'tag' has not been trained: call fit"):
            one.predict(WORDS)
        return
    words = f"this {one.kind} has not been trained: call fit, or load one"
    assert not one.is_fitted
    assert not hasattr(one, one.fitted_by)
    for act in (
        lambda: used(one),
        lambda: getattr(one, one.fitted_by),
        one.to_bytes,
        one.check_fitted,
        lambda: one.save("nowhere/at.all"),
    ):
        with pytest.raises(NotFittedError, match=words):
            act()
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = one.nothing


def test_threads_do_not_change_results(trained: Case) -> None:
    if "threads" not in parameters_of(type(trained.make())):
        return
    assert used(trained.fitted(threads=1)) == used(trained.fitted(threads=4))


def test_empty_sequences(case: Case) -> None:
    fitted = case.fitted()
    around = used(fitted, [WORDS[0], [], WORDS[1]])
    alone = used(fitted, [WORDS[0], WORDS[1]])
    used(fitted, [])
    used(fitted, [[]])
    for one, other in zip(_lists(around), _lists(alone), strict=True):
        assert [row for row in one if row != []] == other


def test_a_column_that_is_not_there(trained: Case) -> None:
    if trained.name in ("structure", "pipeline"):
        return
    corpus = Corpus.from_lists({"form": WORDS, "tag": WORDS})
    fit: Any = trained.fit
    with pytest.raises(DataError, match=r"'(word|pos)'"):
        fit(trained.make(), corpus)


def test_repr_has_what_is_not_as_usual(case: Case) -> None:
    one = case.make()
    assert repr(one).startswith(f"{type(one).__name__}(")
    assert "threads" not in repr(one)
    assert "\n" not in repr(one)


def test_notebooks_show_every_parameter(case: Case) -> None:
    one: Any = case.fitted()
    for name in parameters_of(type(one)):
        assert f"<td>{name}</td>" in one._repr_html_()


def _lists(found: Any) -> list[Any]:
    return list(found.values()) if isinstance(found, dict) else [found]
