"""A linear tagger as a layer: its scores in joint decoding."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from dovetail import Corpus, LinearTagger, Pipeline, Tagger, Template, column
from pipeline.conftest import random_corpus

WORD, LOW, MID = column("word"), column("low"), column("mid")


@pytest.fixture(scope="module")
def pipeline() -> Pipeline:
    corpus = random_corpus(60)
    lower = Tagger(features=Template(WORD), c2=0.5).fit(corpus, label="low")
    middle = Tagger(features=Template(WORD, LOW), c2=0.5).fit(corpus, label="mid")
    features = Template(WORD, LOW & WORD, LOW & MID, MID)
    linear = LinearTagger(features=features, penalty=1e-2).fit(corpus, label="up")
    return Pipeline({"low": lower, "mid": middle, "up": linear})


@pytest.mark.parametrize("words", ["a", "hf", "cab"])
def test_a_linear_tagger_takes_part_in_joint_decoding(pipeline: Pipeline, words: str) -> None:
    truth = {}
    each = [product(pipeline[name].labels_, repeat=len(words)) for name in pipeline.names]
    for labelling in product(*each):
        columns = dict(zip(pipeline.names, ([list(path)] for path in labelling), strict=True))
        filled = Corpus.from_lists({"word": [list(words)], **columns})
        total = 0.0
        for name in ("low", "mid"):
            model, batch = pipeline[name].model_, pipeline[name].encode(filled)
            codes = np.array([model.labels.index(y) for y in columns[name][0]], np.int32)
            total += float(model.native.path_scores(batch, codes, model.constraints)[0])
        rows = np.log(pipeline["up"].marginals(filled))
        own = [pipeline["up"].labels_.index(y) for y in columns["up"][0]]
        truth[labelling] = total + float(rows[np.arange(len(own)), own].sum())
    found = pipeline.predict([list(words)], decode="joint")
    best = max(truth.values())
    labelling = tuple(tuple(found[name][0]) for name in pipeline.names)
    assert truth[labelling] == pytest.approx(best, abs=1e-4)
    [tagging] = pipeline.tag([list(words)])
    log_z = np.logaddexp.reduce(list(truth.values()))
    assert tagging.probability == pytest.approx(np.exp(best - log_z), rel=1e-3)


def test_labels_below_at_other_tokens_are_those_of_the_cascade() -> None:
    corpus = random_corpus(40)
    lower = Tagger(features=Template(WORD), c2=0.5).fit(corpus, label="low")
    upper = LinearTagger(features=Template(WORD, LOW[-1], LOW[1])).fit(corpus, label="up")
    pipeline = Pipeline({"low": lower, "up": upper})
    assert pipeline.predict(corpus, decode="joint") == pipeline.predict(corpus, decode="cascade")
