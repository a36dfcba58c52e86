"""Models that follow annotations."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dovetail import Corpus, Tagger
from dovetail.studio.annotation import EMPTY, Annotation, Document, Span
from dovetail.studio.learning.learner import FINISH_FIRST, Learner
from dovetail.studio.learning.model import Model
from studio.learning.made_up import document, talks

LABELS = ("PER", "LOC", "TIME")


def errors(model: Model, documents: dict[int, Document], right: dict[int, Annotation]) -> int:
    found = model.suggest(list(documents.values()))
    wrong = 0
    for k, own in zip(documents, found, strict=True):
        shown = {(s.start, s.end, s.label) for s in own}
        wrong += len(shown ^ {(s.start, s.end, s.label) for s in right[k].spans})
    return wrong


def test_it_learns_from_whole_documents() -> None:
    documents, right = talks(60)
    model = Learner(LABELS, threads=1).fit(documents, right)
    others, known = talks(30, seed=1)
    assert errors(model, others, known) < 0.1 * sum(len(one.spans) for one in known.values())


def test_nothing_is_suggested_before_a_document_is_finished() -> None:
    documents, right = talks(3)
    learner = Learner(LABELS, threads=1)
    for known in ({}, {0: replace(right[0], done=False)}):
        assert learner.fit(documents, known).suggest(list(documents.values())) == [()] * 3
    assert learner.message == FINISH_FIRST
    learner.fit(documents, {0: right[0]})
    assert learner.message == ""


def test_spans_of_unfinished_documents_teach() -> None:
    documents, right = talks(44)
    known = {k: right[k] for k in range(4)}
    part = {**known, **{k: replace(right[k], done=False) for k in range(4, 44)}}
    others, truth = talks(40, seed=1)
    few = errors(Learner(LABELS, threads=1).fit(documents, known), others, truth)
    more = errors(Learner(LABELS, threads=1).fit(documents, part), others, truth)
    assert more < few


def test_what_is_rejected_becomes_improbable() -> None:
    documents, right = talks(12)
    place = document(99, ["a", "talk", "by", "Zeno", "today"])
    everything = {**documents, 99: place}
    learner = Learner(LABELS, threads=1)
    before = learner.fit(everything, right).read([place]).probability(0, 3, 4, "PER")
    said = {**right, 99: Annotation((), (Span(3, 4, "PER"),))}
    for _ in range(3):
        after = learner.fit(everything, said).read([place]).probability(0, 3, 4, "PER")
    assert before > 0.3
    assert after < 0.1


def test_small_steps_lead_where_one_training_does() -> None:
    documents, right = talks(50)
    learner = Learner(LABELS, threads=1)
    for n in range(5, 51, 5):
        model = learner.fit(documents, {k: right[k] for k in range(n)})
    whole = Learner(LABELS, threads=1).fit(documents, right)
    others = list(talks(20, seed=1)[0].values())
    assert np.abs(model.read(others).marginals - whole.read(others).marginals).mean() < 0.02


def test_what_is_taken_back_is_forgotten() -> None:
    documents, right = talks(20)
    learner = Learner(LABELS, threads=1)
    wrong = {**right, 3: Annotation(done=True), 4: replace(right[4], spans=())}
    learner.fit(documents, wrong)
    del wrong[4]
    learner.fit(documents, {**wrong, 3: right[3]})
    [member] = learner._members
    assert member.tagger is not None
    assert member.tagger.training_["sequences"] == 19


def test_a_sequence_is_a_text_of_its_own_and_empty_ones_do_no_harm() -> None:
    documents, right = talks(20)
    lines = document(50, ["a", "talk", "by", "Ada", "in", "Oslo"], bounds=(0, 0, 4, 6))
    known = {**right, 50: Annotation((Span(3, 4, "PER"), Span(5, 6, "LOC")), done=True)}
    model = Learner(LABELS, threads=1).fit({**documents, 50: lines}, known)
    [found] = model.suggest([lines])
    assert [(s.start, s.end, s.label) for s in found] == [(3, 4, "PER"), (5, 6, "LOC")]


def names_tagger() -> Tagger:
    documents, right = talks(80, seed=5)
    words = [list(one.tokens) for one in documents.values()]
    labels = []
    for own, one in zip(words, right.values(), strict=True):
        row = ["O"] * len(own)
        for span in one.spans:
            if span.label == "PER":
                row[span.start : span.end] = ["B-PER", *["I-PER"] * (span.end - span.start - 1)]
        labels.append(row)
    corpus = Corpus.from_lists({"word": words, "ner": labels})
    return Tagger(constraints="IOB2", threads=1).fit(corpus)


def test_old_taggers_suggest_from_the_first_document() -> None:
    documents, _ = talks(5)
    learner = Learner(["PER", "LOC"], old={"ner": names_tagger()}, threads=1)
    model = learner.fit(documents, {})
    shown = [one for own in model.suggest(list(documents.values())) for one in own]
    assert {one.label for one in shown} == {"PER"}


def test_a_pool_is_chosen_when_the_text_has_grown_by_a_quarter() -> None:
    documents, right = talks(24)
    learner = Learner(["PER", "LOC"], old={"ner": names_tagger()}, threads=1)
    ten = {k: right[k] for k in range(10)}
    assert not learner.is_due(documents, {k: right[k] for k in range(3)})
    assert learner.is_due(documents, ten)
    choice = learner.choose(documents, ten)
    assert choice is not None
    assert choice.taken in choice.scores
    learner.adopt(choice)
    assert not learner.is_due(documents, {k: right[k] for k in range(12)})
    assert learner.is_due(documents, {k: right[k] for k in range(13)})
    model = learner.fit(documents, {**right, 20: replace(right[20], done=False)})
    others, truth = talks(20, seed=1)
    assert errors(model, others, truth) < 0.2 * sum(len(one.spans) for one in truth.values())


def test_a_label_that_is_new_since_the_choice_is_learnt_before_the_next() -> None:
    documents, right = talks(12)
    learner = Learner(["PER", "LOC", "TIME"], old={"ner": names_tagger()}, threads=1)
    choice = learner.choose(documents, right)
    assert choice is not None
    learner.adopt(choice)
    learner.fit(documents, right)
    later = document(70, ["today", "again"])
    known = {**right, 70: Annotation((Span(0, 1, "TIME"),), done=True)}
    model = learner.fit({**documents, 70: later}, known)
    assert "B-TIME" in model.read([later]).labels


@pytest.mark.parametrize("known", [{}, {0: EMPTY}])
def test_there_is_nothing_to_choose_on_nothing(known: dict[int, Annotation]) -> None:
    documents, _ = talks(2)
    learner = Learner(["PER"], old={"ner": names_tagger()}, threads=1)
    assert learner.choose(documents, known) is None
