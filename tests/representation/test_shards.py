"""Representations learned from a corpus on disk."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dovetail.corpus import Corpus, Shards
from dovetail.errors import DataError
from dovetail.representation import HMM, BiasedHMM, Entropy, WordClasses


@pytest.fixture
def corpus() -> Corpus:
    draw = np.random.default_rng(0)
    words = [[f"w{k}" for k in draw.integers(0, 20, n)] for n in draw.integers(0, 9, 60)]
    return Corpus.from_lists({"word": words})


@pytest.fixture
def shards(corpus: Corpus, tmp_path: Path) -> Shards:
    return Shards.write(tmp_path / "text", [corpus], tokens=50)


@pytest.mark.parametrize("start", ["random", "classes"])
def test_an_hmm_learns_what_it_would_in_memory(corpus: Corpus, shards: Shards, start: Any) -> None:
    settings: dict[str, Any] = {"states": 4, "start": start, "rounds": 4, "precision": "double"}
    on_disk, in_memory = (HMM(**settings).fit(text) for text in (shards, corpus))
    assert on_disk.vocabulary_.names == in_memory.vocabulary_.names
    for name in ("start", "transitions", "emissions"):
        np.testing.assert_allclose(
            getattr(on_disk.parameters_, name), getattr(in_memory.parameters_, name), rtol=1e-9
        )


def test_word_classes_are_those_of_the_text_in_memory(corpus: Corpus, shards: Shards) -> None:
    on_disk, in_memory = WordClasses(4).fit(shards), WordClasses(4).fit(corpus)
    np.testing.assert_array_equal(on_disk.classes_, in_memory.classes_)
    np.testing.assert_array_equal(on_disk.counts_, in_memory.counts_)


def test_a_training_that_was_cut_short_goes_on(shards: Shards, tmp_path: Path) -> None:
    settings: dict[str, Any] = {"states": 3, "start": "random", "tolerance": 1e-12}
    whole = HMM(rounds=6, **settings).fit(shards)
    path = tmp_path / "half.dovetail"
    HMM(rounds=6, **settings).fit(shards, checkpoint=path, callback=lambda p: p.round == 3)
    again = HMM(rounds=6, **settings).fit(shards, resume=path)
    np.testing.assert_array_equal(whole.parameters_.emissions, again.parameters_.emissions)


def test_what_is_refused(corpus: Corpus, shards: Shards) -> None:
    with pytest.raises(DataError, match=r"for a plain HMM without batch"):
        HMM(3, batch=10).fit(shards)
    with pytest.raises(DataError, match=r"biases need text that memory holds"):
        BiasedHMM(3, [Entropy("word")]).fit(shards)
    with pytest.raises(DataError, match=r"neither a target nor properties"):
        WordClasses(3).fit(shards, corpus)
    with pytest.raises(DataError, match=r"no column 'pos'"):
        HMM(3, column="pos").fit(shards)
    with pytest.raises(DataError, match=r"a cluster works on a corpus on disk"):
        HMM(3).fit(corpus, cluster="local:1")
    HMM(3, rounds=1).fit(shards)
    for file in shards.folder.glob("work-*/words-00001.shard"):
        file.write_bytes(file.read_bytes()[:-1] + b"x")
    with pytest.raises(DataError, match=r"part 1 .*words-00001\.shard is damaged"):
        HMM(3, rounds=1).fit(shards)
