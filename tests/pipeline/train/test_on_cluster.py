"""Pipelines whose folds are trained by the workers of a cluster."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from dovetail import Corpus, LinearTagger, Pipeline, Tagger, Template, column
from dovetail.errors import DataError
from pipeline.conftest import only, random_corpus

distributed = pytest.importorskip("distributed", reason="Dask is not installed")


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as made,
        distributed.Client(made) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def text() -> Corpus:
    return random_corpus(40, seed=3)


def test_auto_has_the_same_bits_as_here(client: Any, text: Corpus) -> None:
    word = column("word")
    templates = {"low": Template(word.window(1)), "up": Template(word, word[-1])}
    layers = {name: Tagger(features=own, c2=0.1) for name, own in templates.items()}
    data = {"low": only(text, "word", "low"), "up": only(text[:25], "word", "up")}
    seen: list[str] = []
    here, there = (
        Pipeline(layers, decode="auto").fit(
            data, folds=3, cluster=cluster, callback=lambda task, _: seen.append(task)
        )
        for cluster in (None, client)
    )
    assert here.training_ == there.training_
    for own, other in zip(here.held_out_, there.held_out_, strict=True):
        np.testing.assert_array_equal(own.scores.node, other.scores.node)
    rounds = [seen.count(f"up, without part {part} of 3") for part in (1, 2, 3)]
    assert all(n and n % 2 == 0 for n in rounds)


@pytest.mark.parametrize("kind", [Tagger, LinearTagger])
def test_models_for_cross_fitting_have_the_same_bits_as_here(
    client: Any, text: Corpus, kind: Any
) -> None:
    word, low = column("word"), column("low")
    layers = {"low": kind(features=Template(word)), "up": Tagger(features=Template(word, low))}
    here, there = (
        Pipeline(layers).fit(only(text, "word", "low", "up"), folds=3, cluster=cluster)
        for cluster in (None, client)
    )
    np.testing.assert_array_equal(here["up"].marginals(text), there["up"].marginals(text))


def test_joint_training_has_nothing_for_a_cluster(client: Any, text: Corpus) -> None:
    layers = {"low": Tagger(features=Template(column("word")))}
    with pytest.raises(DataError, match=r"joint training has none: leave it out"):
        Pipeline(layers, decode="joint").fit(text, training="joint", cluster=client)
