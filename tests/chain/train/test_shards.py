"""Training on a corpus on disk."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dovetail import Tagger
from dovetail.base import training
from dovetail.chain.train.steps import Progress
from dovetail.corpus import Corpus, Shards
from dovetail.errors import DataError, TrainingError
from dovetail.features import Template, column

WORD = column("word")
TEMPLATE = Template(WORD.window(1), WORD.suffix(1), WORD[-1] & WORD)


def make_corpus(n: int, seed: int = 0) -> Corpus:
    draw = random.Random(seed)
    words, labels = [], []
    for _ in range(n):
        row = [f"{draw.choice('abcdefgh')}{draw.randint(0, 9)}" for _ in range(draw.randint(1, 9))]
        words.append(row)
        kinds = {"a": "B-X", "b": "B-Y", "c": "I-Y"}
        labels.append([kinds.get(w[0], "O") if draw.random() < 0.9 else "O" for w in row])
    return Corpus.from_lists({"word": words, "label": labels})


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return make_corpus(200)


@pytest.mark.parametrize("settings", [{}, {"c1": 0.3}, {"min_count": 2, "all_pairs": True}])
def test_the_minimum_is_that_of_the_text_in_memory(
    corpus: Corpus, tmp_path: Path, settings: dict[str, float]
) -> None:
    shards = Shards.write(tmp_path / "text", [corpus], tokens=150)
    given = {"c2": 0.5, "precision": "double", "tolerance": 1e-9, **settings}
    on_disk = Tagger(features=TEMPLATE, **given).fit(shards)  # type: ignore[arg-type]
    in_memory = Tagger(features=TEMPLATE, **given).fit(corpus)  # type: ignore[arg-type]
    assert on_disk.training_["objective"] == pytest.approx(in_memory.training_["objective"])
    assert on_disk.training_["parameters"] == in_memory.training_["parameters"]
    unseen = make_corpus(50, seed=1)
    np.testing.assert_allclose(
        on_disk.marginals(unseen)[:, [on_disk.labels_.index(y) for y in in_memory.labels_]],
        in_memory.marginals(unseen),
        atol=1e-3,
    )


@pytest.mark.parametrize("parts", [1, 4, 9])
@pytest.mark.parametrize("method", ["dual", "auto"])
def test_blocks_that_ascend_the_dual_certify_the_minimum(
    corpus: Corpus, tmp_path: Path, method: str, parts: int
) -> None:
    shards = Shards.write(tmp_path / "text", corpus, tokens=corpus.n_tokens // parts)
    given: dict[str, Any] = {"features": TEMPLATE, "c2": 0.5, "method": method}
    on_disk = Tagger(**given, max_iterations=400).fit(shards)
    in_memory = Tagger(**{**given, "tolerance": 1e-5}).fit(corpus)
    least = in_memory.training_["objective"]
    assert on_disk.stopped_.startswith("certified")
    assert "duality gap" in on_disk.stopped_
    found = on_disk.training_["objective"]
    assert least * (1 - 1e-5) <= found <= least * (1 + 1e-3)
    assert on_disk.training_["gap"] >= (found - least) / found - 1e-5
    assert not list(shards.folder.rglob("dual-*"))


def test_text_whose_distributions_memory_does_not_hold_is_for_lbfgs(
    corpus: Corpus, tmp_path: Path
) -> None:
    shards = Shards.write(tmp_path / "text", corpus, tokens=300)
    tagger = Tagger(features=TEMPLATE, c2=1.0, memory_limit=0).fit(shards)
    assert {progress.phase for progress in tagger.history_} == {"sgd", "l-bfgs"}
    with pytest.raises(TrainingError, match="L1 penalty needs text that memory holds"):
        Tagger(features=TEMPLATE, c2=1.0, c1=0.5, method="dual").fit(shards)


@pytest.mark.parametrize("method", ["auto", "dual", "lbfgs", "sgd"])
def test_bits_do_not_depend_on_threads(corpus: Corpus, tmp_path: Path, method: str) -> None:
    shards = Shards.write(tmp_path / "text", [corpus], tokens=150)
    models = [
        Tagger(features=TEMPLATE, method=method, c2=1.0, threads=threads).fit(shards)  # type: ignore[arg-type]
        for threads in (1, 3)
    ]
    one, other = (model.marginals(corpus) for model in models)
    np.testing.assert_array_equal(one, other)


def test_labels_that_differ_between_parts_and_parts_without_tokens(tmp_path: Path) -> None:
    def part(*labels: str) -> Corpus:
        return Corpus.from_lists({"word": [["u", "v"]], "label": [list(labels)]})

    nothing = Corpus.from_lists({"word": [[]], "label": [[]]})
    parts = [part("Q", "P"), part("R", "P"), part("P", "S")]
    shards = Shards.write(tmp_path / "text", parts, tokens=2)
    fitted = Tagger(features=Template(WORD), c2=0.1).fit(shards)
    assert fitted.labels_ == ["Q", "P", "R", "S"]
    whole = Tagger(features=Template(WORD), c2=0.1, method="lbfgs").fit(Corpus.concatenate(parts))
    assert fitted.training_["objective"] == pytest.approx(whole.training_["objective"], rel=2e-3)
    some = Shards.write(tmp_path / "some", [nothing, parts[0]], tokens=1)
    assert Tagger(features=Template(WORD), c2=0.1).fit(some).labels_ == ["Q", "P"]
    with pytest.raises(TrainingError, match="no tokens"):
        Tagger().fit(Shards.write(tmp_path / "none", [nothing]))


def test_the_index_is_made_once_and_a_damaged_file_is_named(corpus: Corpus, tmp_path: Path) -> None:
    shards = Shards.write(tmp_path / "text", [corpus], tokens=300)
    first = Tagger(features=TEMPLATE, c2=1.0).fit(shards)
    made = sorted(shards.folder.glob("work-*/ready-*/ready-*.shard"))
    times = [path.stat().st_mtime_ns for path in made]
    again = Tagger(features=TEMPLATE, c2=1.0).fit(shards)
    assert [path.stat().st_mtime_ns for path in made] == times
    np.testing.assert_array_equal(first.marginals(corpus), again.marginals(corpus))
    content = bytearray(made[1].read_bytes())
    content[-1] ^= 1
    made[1].write_bytes(content)
    with pytest.raises(DataError, match=r"part 1 .*ready-00001\.shard is damaged"):
        Tagger(features=TEMPLATE, c2=1.0).fit(shards)


class DiedError(Exception):
    """The end of the process, as far as a training can tell."""


@pytest.mark.parametrize("method", ["auto", "lbfgs"])
@pytest.mark.parametrize("rounds", [3, 12])
def test_a_training_whose_driver_dies_goes_on_to_the_same_bits(
    corpus: Corpus, tmp_path: Path, method: str, rounds: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(training, "CHECKPOINT_SECONDS", 0.0)

    def die(progress: Progress) -> None:
        if progress.iteration == rounds:
            raise DiedError

    shards = Shards.write(tmp_path / "text", [corpus], tokens=300)
    tagger = Tagger(features=TEMPLATE, c2=0.2, method=method, tolerance=1e-4)  # type: ignore[arg-type]
    whole = tagger.clone().fit(shards)
    path = tmp_path / "half.dovetail"
    with pytest.raises(DiedError):
        tagger.clone().fit(shards, checkpoint=path, callback=die)
    again = tagger.clone().fit(shards, resume=path)
    assert [p.objective for p in again.history_] == [p.objective for p in whole.history_]
    np.testing.assert_array_equal(again.marginals(corpus), whole.marginals(corpus))
    other = Shards.write(tmp_path / "other", [corpus], tokens=200)
    with pytest.raises(TrainingError, match="other data or settings"):
        tagger.clone().fit(other, resume=path)


def test_what_is_refused(corpus: Corpus, tmp_path: Path) -> None:
    shards = Shards.write(tmp_path / "text", [corpus], tokens=300)
    with pytest.raises(TrainingError, match=r"'perceptron' needs text that memory holds"):
        Tagger(method="perceptron", c2=1.0).fit(shards)
    with pytest.raises(DataError, match=r"no column 'pos'; the data has word, label"):
        Tagger().fit(shards, label="pos")
    with pytest.raises(DataError, match=r"labels in a column"):
        Tagger().fit(shards, corpus.lists("label"))  # type: ignore[arg-type]
    with pytest.raises(DataError, match=r"a cluster works on a corpus on disk"):
        Tagger().fit(corpus, cluster="local:1")


def test_an_index_that_cannot_be_used_again_is_removed(corpus: Corpus, tmp_path: Path) -> None:
    shards = Shards.write(tmp_path / "text", [corpus], tokens=500)
    before = sorted(shards.folder.iterdir())
    features = Template(WORD.apply(lambda word: word[:1], name="first"))
    Tagger(features=features, c2=1.0).fit(shards)
    assert sorted(shards.folder.iterdir()) == before
