"""An old tagger's spans under new names."""

from __future__ import annotations

import numpy as np
import pytest

from dovetail import Corpus, Pipeline, Tagger
from dovetail.corpus import SoftColumn
from dovetail.grid import Grid
from dovetail.pipeline.decode.span_candidates import find_candidates
from dovetail.pipeline.layers.mapped import LabelMap
from dovetail.pipeline.layers.mapped_spans import MappedSpans, can_map_spans
from dovetail.pipeline.train.auto.label_map import fit_label_map

OLD = ("O", "B-PER", "I-PER", "B-LOC", "I-LOC")
NEW = {
    "IOB2": ("O", "B-person", "I-person", "B-thing", "I-thing"),
    "IOBES": ("O", "B-person", "I-person", "E-person", "S-person", "B-thing", "E-thing", "S-thing"),
}


def label_map(new: tuple[str, ...], scheme: str) -> LabelMap:
    """A span of type PER is a person in four of ten cases, a LOC a thing in half of them."""
    table = np.array([[0.98, 0.01, 0.01], [0.6, 0.4, 0.0], [0.5, 0.0, 0.5]])
    return LabelMap(OLD, new, scheme, table, table[0], np.full(3, 0.5))  # type: ignore[arg-type]


def candidates(
    mapped: MappedSpans, corpus: Corpus, least: float
) -> dict[tuple[int, int, str], float]:
    made = mapped.potentials(corpus, {})
    found = find_candidates(
        Grid([made.node], [made.transitions], bounds=corpus.bounds), made.labels, least=least
    )
    places = zip(found.starts.tolist(), found.ends.tolist(), found.types.tolist(), strict=True)
    keys = [(a, b, found.names[k]) for a, b, k in places]
    return dict(zip(keys, found.probabilities.tolist(), strict=True))


@pytest.mark.parametrize("scheme", NEW)
def test_a_span_is_mapped_once_however_long_it_is(scheme: str) -> None:
    corpus = Corpus.from_lists(
        {
            "word": [list("abcde"), [], ["f"]],
            "ner": [["O", "B-PER", "I-PER", "I-PER", "O"], [], ["B-LOC"]],
        }
    )
    found = candidates(MappedSpans("ner", label_map(NEW[scheme], scheme)), corpus, 0.1)
    assert found == {
        (1, 4, "person"): pytest.approx(0.4, abs=0.02),
        (5, 6, "thing"): pytest.approx(0.5, abs=0.02),
    }


@pytest.mark.parametrize("scheme", NEW)
def test_probabilities_of_the_old_tagger_pass_on(scheme: str) -> None:
    """The name goes on with probability 0.75, and is a person with probability 0.4."""
    weights = [[0.2, 0.8, 0.0, 0.0, 0.0], [0.4, 0.0, 0.6, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0, 0.0]]
    corpus = Corpus.from_lists({"word": [["Ada", "Day", "spoke"]]})
    corpus = corpus.with_column("ner", SoftColumn.of(OLD, weights))
    found = candidates(MappedSpans("ner", label_map(NEW[scheme], scheme)), corpus, 0.05)
    assert found == {
        (0, 1, "person"): pytest.approx(0.8 * 0.4 * 0.25, abs=0.02),
        (0, 2, "person"): pytest.approx(0.8 * 0.4 * 0.75, abs=0.02),
    }


def test_where_nothing_is_known_types_are_as_frequent_as_they_are() -> None:
    corpus = Corpus.from_lists({"word": [["a", "b"]], "ner": [[None, None]]})
    made = MappedSpans("ner", label_map(NEW["IOB2"], "IOB2")).potentials(corpus, {})
    best = Grid([made.node], [made.transitions], bounds=corpus.bounds).best("exact").labels[0]
    assert best.tolist() == [0, 0]


def test_plain_labels_and_iob1_have_no_spans_to_map() -> None:
    plain = fit_label_map([], "ner", "label", OLD, ("NN", "VB"), "none")
    assert not can_map_spans(plain)
    assert not can_map_spans(fit_label_map([], "ner", "label", OLD, ("O", "I-PER"), "IOB1"))
    assert can_map_spans(fit_label_map([], "ner", "label", OLD, NEW["IOB2"], "IOB2"))


def test_it_is_kept_in_a_file(tmp_path: pytest.TempPathFactory) -> None:
    news = Corpus.from_lists({"word": [["Ada", "spoke"]], "ner": [["B-PER", "O"]]})
    tagger = Tagger(c2=0.01).fit(news)
    own = fit_label_map([], "ner", "task", tagger.labels_, NEW["IOB2"], "IOB2")
    pipeline = Pipeline({"ner": tagger, "task": MappedSpans("ner", own)}, decode="soft")
    pipeline.save(f"{tmp_path}/mapped.dovetail")
    opened = Pipeline.load(f"{tmp_path}/mapped.dovetail")
    assert isinstance(opened["task"], MappedSpans)
    assert opened.predict([["Ada", "spoke"]])["task"] == [["B-person", "O"]]
