"""A script as sklearn-crfsuite's users write them runs from top to bottom on either package."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path
from statistics import mean
from typing import Any

import pytest

import dovetail
from dovetail import demo
from dovetail.corpus import read_conll

pytest.importorskip("sklearn")
from dovetail.interop import sklearn_crfsuite
from dovetail.interop.sklearn_crfsuite import metrics

SCRIPT = """
from collections import Counter

import scipy.stats
import sklearn_crfsuite
from sklearn.metrics import make_scorer
from sklearn.model_selection import RandomizedSearchCV
from sklearn_crfsuite import metrics, scorers


def describe(sentence, i):
    word, pos = sentence[i][:2]
    features = {
        "bias": 1.0,
        "lower": word.lower(),
        "end": word[-3:],
        "upper": word.isupper(),
        "title": word.istitle(),
        "digit": word.isdigit(),
        "pos": pos,
    }
    for side, j in (("before", i - 1), ("after", i + 1)):
        if 0 <= j < len(sentence):
            near, near_pos = sentence[j][:2]
            features |= {f"{side}:lower": near.lower(), f"{side}:pos": near_pos}
        else:
            features[f"{side}:none"] = True
    return features


def features_of(sentence):
    return [describe(sentence, i) for i in range(len(sentence))]


X_train, X_test = ([features_of(s) for s in part] for part in (train_sents, test_sents))
y_train, y_test = ([[label for *_, label in s] for s in part] for part in (train_sents, test_sents))

crf = sklearn_crfsuite.CRF(
    algorithm="lbfgs", c1=0.1, c2=0.1, max_iterations=60, all_possible_transitions=True
)
crf.fit(X_train, y_train)
labels = [label for label in crf.classes_ if label != "O"]
y_pred = crf.predict(X_test)
f1 = metrics.flat_f1_score(y_test, y_pred, average="weighted", labels=labels, zero_division=0)
by_label = sorted(labels, key=lambda name: (name[1:], name[0]))
print(
    metrics.flat_classification_report(
        y_test, y_pred, labels=by_label, digits=3, zero_division=0
    )
)

f1_scorer = make_scorer(
    metrics.flat_f1_score, average="weighted", labels=labels, zero_division=0
)
search = RandomizedSearchCV(
    sklearn_crfsuite.CRF(algorithm="lbfgs", max_iterations=30, all_possible_transitions=True),
    {"c1": scipy.stats.expon(scale=0.5), "c2": scipy.stats.expon(scale=0.05)},
    cv=3,
    n_iter=3,
    random_state=1,
    scoring={"f1": f1_scorer, "sequences": scorers.sequence_accuracy},
    refit="f1",
)
search.fit(X_train, y_train)
print("best params:", search.best_params_)
print("best CV score:", search.best_score_)
print(f"model size: {search.best_estimator_.size_ / 1e6:.2f}M")

crf = search.best_estimator_
best_f1 = metrics.flat_f1_score(
    y_test, crf.predict(X_test), average="weighted", labels=labels, zero_division=0
)
for (one, other), weight in Counter(crf.transition_features_).most_common(5):
    print(f"{one:6} -> {other:7} {weight:.6f}")
for (name, label), weight in Counter(crf.state_features_).most_common()[-5:]:
    print(f"{weight:.6f} {label:8} {name}")
"""
Sentence = list[tuple[str, str, str]]


def made_up_sentences() -> tuple[list[Sentence], list[Sentence]]:
    corpus = dovetail.read(demo.path("news.conll"))
    sentences = [
        [(word, word[-1], label) for word, label in zip(*pair, strict=True)]
        for pair in zip(corpus.lists("word"), corpus.lists("label"), strict=True)
    ]
    return sentences[:200], sentences[200:300]


def conll2003_sentences(folder: Path) -> tuple[list[Sentence], list[Sentence]]:
    parts = []
    for name, n in (("eng.train.gz", 600), ("eng.testa.gz", 400)):
        corpus = read_conll(folder / "conll2003" / name, ["word", "pos", "chunk", "ner"])
        columns = (corpus[:n].lists(column) for column in ("word", "pos", "ner"))
        parts.append([list(zip(*row, strict=True)) for row in zip(*columns, strict=True)])
    return parts[0], parts[1]


def run_script(package: str, sentences: tuple[list[Sentence], list[Sentence]]) -> dict[str, Any]:
    names: dict[str, Any] = dict(zip(("train_sents", "test_sents"), sentences, strict=True))
    script = SCRIPT.replace("import sklearn_crfsuite\n", f"import {package} as sklearn_crfsuite\n")
    script = script.replace("from sklearn_crfsuite import", f"from {package} import")
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(script, f"<tutorial on {package}>", "exec"), names)
    return names | {"printed": printed.getvalue()}


def test_with_only_the_import_changed() -> None:
    names = run_script("dovetail.interop.sklearn_crfsuite", made_up_sentences())
    assert names["f1"] > 0.7
    assert "weighted avg" in names["printed"]
    assert names["search"].best_score_ > 0.6
    assert set(names["search"].cv_results_) >= {"mean_test_f1", "mean_test_sequences"}


def test_scores_are_those_of_sklearn_crfsuite(shared_data: Path) -> None:
    pytest.importorskip("sklearn_crfsuite")
    sentences = conll2003_sentences(shared_data)
    ours = run_script("dovetail.interop.sklearn_crfsuite", sentences)
    theirs = run_script("sklearn_crfsuite", sentences)
    assert ours["f1"] == pytest.approx(theirs["f1"], abs=0.01)
    assert ours["best_f1"] == pytest.approx(theirs["best_f1"], abs=0.02)
    for score in ("f1", "sequences"):
        one, other = (names["search"].cv_results_[f"mean_test_{score}"] for names in (ours, theirs))
        assert one == pytest.approx(other, abs=0.02)


def test_algorithms_score_as_those_of_sklearn_crfsuite(shared_data: Path) -> None:
    theirs = pytest.importorskip("sklearn_crfsuite")
    names: dict[str, Any] = {}
    exec(SCRIPT[SCRIPT.index("def describe") : SCRIPT.index("X_train")], names)
    (X, y), (X_test, y_test) = (
        ([names["features_of"](s) for s in part], [[label for *_, label in s] for s in part])
        for part in conll2003_sentences(shared_data)
    )
    labels = sorted({label for s in y for label in s} - {"O"})

    def score(package: Any, algorithm: str) -> float:
        found = package.CRF(algorithm=algorithm).fit(X, y).predict(X_test)
        given: float = metrics.flat_f1_score(
            y_test, found, average="weighted", labels=labels, zero_division=0
        )
        return given

    for algorithm in ("lbfgs", "l2sgd", "ap", "pa", "arow"):
        # The order in which CRFsuite sees sequences hangs on what its process did before.
        original = mean(score(theirs, algorithm) for _ in range(4))
        assert score(sklearn_crfsuite, algorithm) == pytest.approx(original, abs=0.04), algorithm
