"""Real text: the same objective and labels as CRFsuite on CoNLL-2000 chunking."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pycrfsuite
import pytest

import dovetail
from dovetail import Corpus, Tagger
from dovetail.chain.train.fitting import Fitting
from dovetail.chain.train.objective import Objective
from dovetail.evaluate import evaluate
from dovetail.features import Dataset
from dovetail.features.sets import default
from reference.crfsuite_model import read_weights
from reference.objective import Name
from reference.templates import feature_lists

C2 = 1.0
COLUMNS = ("word", "pos", "chunk")


class Peer(NamedTuple):
    """What CRFsuite made of the data."""

    train: Corpus
    test: Corpus
    model: Path
    loss: float  # as it logs it, with six decimals


def features(corpus: Corpus) -> list[Any]:
    return feature_lists(default(("word", "pos")), corpus)


@pytest.fixture(scope="module")
def peer(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Peer:
    folder = shared_data / "conll2000"
    if not (folder / "train.txt.gz").exists():
        pytest.skip(f"no CoNLL-2000 in {folder}")
    train = dovetail.read(folder / "train.txt.gz", columns=COLUMNS)[:500]
    test = dovetail.read(folder / "test.txt.gz", columns=COLUMNS)[:500]
    trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)
    trainer.set_params({"c1": 0.0, "c2": C2})
    for xs, ys in zip(features(train), train.lists("chunk"), strict=True):
        trainer.append(xs, ys)
    path = tmp_path_factory.mktemp("peer") / "peer.crfsuite"
    trainer.train(str(path))
    return Peer(train, test, path, trainer.logparser.last_iteration["loss"])


def test_same_objective_at_the_same_weights(peer: Peer) -> None:
    data = Dataset.from_lists(features(peer.train), peer.train.lists("chunk"))
    fitting = Fitting(Tagger(c2=C2, boundaries=False), data)
    feature, previous, label = fitting.problem.parameters()
    names, labels = [*data.native.feature_names(), None], [*data.labels, None]
    theirs = read_weights(peer.model)
    own = [
        Name(names[f], labels[x], labels[y] or "")
        for f, x, y in zip(feature, previous, label, strict=True)
    ]
    assert set(theirs) <= set(own)
    assert len(theirs) > 0.9 * len(own)
    w = np.array([theirs.get(name, 0.0) for name in own])
    value, _ = Objective(fitting.problem, C2, precision="double", threads=2)(w)
    assert value == pytest.approx(peer.loss, rel=1e-8)
    single, _ = Objective(fitting.problem, C2, precision="single", threads=2)(w)
    assert single == pytest.approx(peer.loss, rel=1e-6)


def test_training_is_as_good(peer: Peer) -> None:
    tagger = Tagger(c2=C2, boundaries=False).fit(peer.train)
    assert tagger.training_["objective"] <= peer.loss * 1.001
    theirs = pycrfsuite.Tagger()
    theirs.open(str(peer.model))
    gold = peer.test.lists("chunk")
    predicted = [theirs.tag(xs) for xs in features(peer.test)]
    f1 = evaluate(gold, predicted).micro.f1
    own = evaluate(gold, tagger.predict(peer.test)).micro.f1
    assert f1 > 0.85
    assert own == pytest.approx(f1, abs=0.001)
    theirs.close()
