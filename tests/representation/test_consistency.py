"""Document context: what it says, what it must not see, files, pipelines, bad input."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dovetail import load
from dovetail.chain.tagger import Tagger
from dovetail.corpus import Corpus, SoftColumn
from dovetail.errors import DataError, DovetailError
from dovetail.features import Template, column
from dovetail.pipeline import Pipeline
from dovetail.representation import Consistency, WordTable
from dovetail.representation.elsewhere import Opinions

WORDS = [
    ["Mr", "Ada", "Day", "spoke"],
    ["then", "Day", "left"],
    ["the", "Day", "bank", "fell"],
    ["we", "saw", "Mr", "Day"],
]
LABELS = [
    ["O", "B-PER", "I-PER", "O"],
    ["O", "B-PER", "O"],
    ["O", "B-ORG", "I-ORG", "O"],
    ["O", "O", "O", "B-PER"],
]


def corpus(documents: list[int] | None = None) -> Corpus:
    made = Corpus.from_lists({"word": WORDS, "ner": LABELS})
    return Corpus(made.columns, made.bounds, document_bounds=documents)


@pytest.fixture(scope="module")
def context() -> Consistency:
    return Consistency(Tagger(c2=0.01), label="ner", soft=False).fit(corpus())


def test_the_same_word_elsewhere(context: Consistency) -> None:
    found = context.annotate(corpus([0, 2, 4]))
    assert found.lists("context_token_document")[:2] == [
        [None, None, "PER", None],
        [None, "PER", None],
    ]
    assert found.lists("context_token_document")[2][1] == "PER"
    assert found.lists("context_token_corpus")[0][:2] == ["O", None]


def test_entities_and_longer_ones(context: Consistency) -> None:
    found = context.annotate(corpus([0, 2, 4]))
    # "Day" of the second sequence is an entity by itself: within one longer in its document, which
    # is a person, and one longer in the other, an organisation; alone, once in the other, a person.
    assert found.lists("context_superset_document")[1][1] == "PER"
    assert found.lists("context_superset_corpus")[1][1] == "ORG"
    assert found.lists("context_entity_document")[1][1] is None
    assert found.lists("context_entity_corpus")[1][1] == "PER"


def test_shares_are_means_over_the_others(context: Consistency) -> None:
    soft = Consistency(context.tagger_, label="ner", soft=True)
    text = corpus([0, 2, 4])
    found = soft.columns(text)["context_token_document"]
    assert isinstance(found, SoftColumn)
    marginals = context.tagger_.predict_marginals(text)
    other = marginals[1][1]  # the only other "Day" of the first document
    expected = [sum(p for y, p in other.items() if y.endswith(t)) for t in soft.labels_]
    np.testing.assert_allclose(found.weights[2], expected, rtol=1e-5)
    assert not found.weights[1].any()


def test_opinions_equal_those_counted_one_by_one() -> None:
    rng = np.random.default_rng(0)
    n = 60
    words, documents = rng.integers(0, 6, n), np.repeat(np.arange(5), n // 5)
    weights = rng.random((n, 3))
    starts = np.arange(0, n - 3, 4)
    ends = starts + rng.integers(1, 4, len(starts))
    opinions = Opinions(words, documents, weights, starts, ends)
    spans = [tuple(words[a:b]) for a, b in zip(starts, ends, strict=True)]
    means = [weights[a:b].mean(axis=0) for a, b in zip(starts, ends, strict=True)]
    inside = {i: k for k in range(len(starts)) for i in range(starts[k], ends[k])}

    def mean(found: list[np.ndarray]) -> np.ndarray:
        return np.mean(found, axis=0) if found else np.zeros(3)

    for i in range(n):
        own = spans[inside[i]] if i in inside else (words[i],)
        for place in (0, 1):
            here = documents == documents[i] if place == 0 else documents != documents[i]
            tokens = [weights[j] for j in range(n) if here[j] and j != i and words[j] == words[i]]
            np.testing.assert_allclose(opinions.of_tokens()[place][i], mean(tokens), atol=1e-12)
            others = [k for k in range(len(spans)) if here[starts[k]] and k != inside.get(i)]
            same = [means[k] for k in others if spans[k] == own]
            np.testing.assert_allclose(opinions.of_entities()[place][i], mean(same), atol=1e-12)
            longer = [
                means[k]
                for k in others
                if len(spans[k]) > len(own)
                and any(spans[k][a : a + len(own)] == own for a in range(len(spans[k])))
            ]
            np.testing.assert_allclose(opinions.of_supersets()[place][i], mean(longer), atol=1e-12)


def test_no_token_sees_its_own_label() -> None:
    """The columns of one part of the training text stay as they are when its labels change."""
    words = [[f"w{k % 7}", f"v{k % 5}"] for k in range(35)]
    labels = [["B-X" if k % 2 else "O", "O"] for k in range(35)]
    text = Corpus.from_lists({"word": words, "ner": labels})
    context = Consistency(Tagger(c2=0.1, threads=1), label="ner")
    found = context.annotate_cross_fitted(text, folds=5, seed=3)
    from dovetail.corpus.sequences import assign_folds

    part = assign_folds(text, 5, 3)
    changed = [["O", "B-X"] if p == 2 else own for p, own in zip(part, labels, strict=True)]
    other = context.annotate_cross_fitted(
        Corpus.from_lists({"word": words, "ner": changed}), folds=5, seed=3
    )
    rows = np.flatnonzero(np.repeat(part == 2, 2))
    differs = False
    for name in context.names_:
        a, b = found.column(name), other.column(name)
        assert isinstance(a, SoftColumn)
        assert isinstance(b, SoftColumn)
        if a.levels == b.levels:
            np.testing.assert_array_equal(a.weights[rows], b.weights[rows])
            differs |= not np.array_equal(a.weights, b.weights)
    assert differs  # others have seen them


def test_a_pipeline_sees_the_whole_corpus_and_is_one_file(
    context: Consistency, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = Consistency(Tagger(c2=0.01), label="ner").fit(corpus())
    text = own.annotate_cross_fitted(corpus(), folds=2)
    pipeline = Pipeline({"context": own, "ner": Tagger(c2=0.1)}, decode="cascade").fit(text)
    assert pipeline.notes_ == []
    assert "context_entity_document[-1..1]" in str(pipeline["ner"].features)
    whole = pipeline.annotate(corpus())
    assert "context_token_corpus" not in whole.names
    monkeypatch.setattr("dovetail.pipeline.decode.inputs.AT_ONCE", 4)
    assert pipeline.annotate(corpus()) == whole
    pipeline.save(tmp_path / "both.dovetail")
    assert Pipeline.load(tmp_path / "both.dovetail").annotate(corpus()) == whole
    leaking = Pipeline({"context": context, "ner": Tagger(c2=0.1)}).fit(corpus())
    assert "annotate_cross_fitted" in leaking.notes_[0]


def test_the_first_tagger_may_read_other_representations() -> None:
    table = WordTable({"Ada": "1", "Day": "1"}, name="brown")
    first = Tagger(c2=0.1, features=Template(column("word"), column("brown")))
    own = Consistency(first, label="ner")
    text = own.fit(table.annotate(corpus())).annotate_cross_fitted(
        table.annotate(corpus()), folds=2
    )
    pipeline = Pipeline({"brown": table, "context": own, "ner": Tagger(c2=0.1)}).fit(text)
    assert len(pipeline.predict([["Ada", "Day"]])["ner"][0]) == 2


def test_plain_labels_have_columns_of_tokens_only() -> None:
    text = Corpus.from_lists({"word": [["a", "b"], ["b", "a"]], "pos": [["X", "Y"], ["Y", "X"]]})
    found = Consistency(Tagger(c2=0.01), label="pos", soft=False).fit(text).annotate(text)
    assert found.lists("context_token_corpus") == [["X", "Y"], ["Y", "X"]]
    assert found.lists("context_entity_corpus") == [[None, None], [None, None]]


def test_files(context: Consistency, tmp_path: Path) -> None:
    context.save(tmp_path / "context.dovetail")
    again = load(tmp_path / "context.dovetail")
    assert repr(again) == repr(context)
    assert again.annotate(corpus()) == context.annotate(corpus())


def test_little_text(context: Consistency) -> None:
    nothing = Corpus.from_lists({"word": [], "ner": []})
    assert len(context.annotate(nothing)) == 0
    empty = Corpus.from_lists({"word": [[]]})
    assert context.annotate(empty).lists("context_token_document") == [[]]
    alone = Corpus.from_lists({"word": [["Day", "fell"]]})
    assert context.annotate(alone).lists("context_token_document") == [[None, None]]


def test_bad_input(context: Consistency) -> None:
    with pytest.raises(DovetailError, match="has not been trained: call fit"):
        Consistency(label="ner").annotate(corpus())
    with pytest.raises(DataError, match="no tokens"):
        Consistency(label="ner").fit(Corpus.from_lists({"word": [], "ner": []}))
    with pytest.raises(DataError, match="at least 2"):
        context.annotate_cross_fitted(corpus(), folds=1)
    with pytest.raises(DataError, match="needs as many different sequences"):
        context.annotate_cross_fitted(corpus(), folds=9)
    with pytest.raises(DataError, match="'ner'"):
        Consistency(label="ner").fit(corpus().without_column("ner"))
