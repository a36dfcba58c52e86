from __future__ import annotations

import numpy as np
import pytest

from dovetail import ASO, Corpus, Template, column
from dovetail.errors import DataError
from dovetail.multitask import AuxiliaryTask, labelled, parts
from dovetail.multitask.overlap import has_labels_of, remove_overlap
from multitask.corpora import random_corpus

WORDS = Template(column("word").window(1), column("pos"))


def by_heart(n: int = 120) -> Corpus:
    """Words that never come twice, with labels of chance: whoever knows these has seen them."""
    rng = np.random.default_rng(0)
    words = [[f"w{k}" for k in range(first, first + 5)] for first in range(0, 5 * n, 5)]
    tags = [["XY"[v] for v in rng.integers(0, 2, 5)] for _ in words]
    return Corpus.from_lists({"word": words, "tag": tags})


def test_text_with_the_labels_of_the_target_is_told_from_other_text() -> None:
    corpus = random_corpus()
    assert has_labels_of(labelled(corpus[:], "tag"), corpus, "tag")
    assert has_labels_of(labelled(random_corpus()[:30], "tag"), corpus, "tag")
    assert not has_labels_of(labelled(corpus, "pos"), corpus, "tag")
    assert not has_labels_of(labelled(random_corpus(seed=9), "tag"), corpus[:3], "tag")
    assert not has_labels_of(parts(corpus, "tag", 2)[0], corpus, "tag")


def test_shared_text_is_left_out_of_a_task() -> None:
    corpus, more = by_heart(), by_heart(200)
    [task] = remove_overlap([labelled(more, "tag")], corpus, "tag", ())
    assert (task.codes[: corpus.n_tokens] == -1).all()
    assert (task.codes[corpus.n_tokens :] >= 0).all()
    seen = [tuple(words) for words in more.lists("word")[:150]]
    [task] = remove_overlap([labelled(more, "tag")], corpus, "tag", seen)
    assert (task.codes[: 150 * 5] == -1).all()
    with pytest.raises(DataError, match="'tag' is the text to train on, with its labels"):
        ASO(features=Template(column("word")), n_parts=0, auxiliary=[labelled(corpus, "tag")]).fit(
            corpus[:]
        )


def agreement(tasks: list[AuxiliaryTask], corpus: Corpus) -> float:
    """How often a tagger is right on text that it was not given, after one that was."""
    whole = ASO(features=Template(column("word")), n_parts=2, auxiliary=tasks).fit(corpus)
    half = len(corpus) // 2
    fold = whole.fresh().fit(corpus[:half], label="tag")
    said = fold.predict(corpus[half:].without_column("tag"))
    pairs = [
        (a, b)
        for x, y in zip(said, corpus[half:].lists("tag"), strict=True)
        for a, b in zip(x, y, strict=True)
    ]
    return float(np.mean([a == b for a, b in pairs]))


def test_a_fold_does_not_learn_what_is_held_out() -> None:
    corpus, more = by_heart(), by_heart(240)
    assert agreement([labelled(more, "tag")], corpus) < 0.6


def test_parts_are_of_the_corpus_to_train_on() -> None:
    corpus = random_corpus()
    assert ASO(features=WORDS, n_parts=0, auxiliary=parts(corpus, "tag", 3)).fit(corpus)
    with pytest.raises(DataError, match=r"'part 1 of 3' is of another corpus .* say n_parts"):
        ASO(features=WORDS, n_parts=0, auxiliary=parts(corpus, "tag", 3)).fit(corpus[:])
