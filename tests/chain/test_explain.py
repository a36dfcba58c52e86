"""Why a token got its label."""

from __future__ import annotations

import pytest

from dovetail import Corpus, Tagger, Template, column
from dovetail.errors import DataError
from dovetail.features.sets.capitals import letter_case

CORPUS = Corpus.from_lists(
    {
        "word": [["Ada", "Lopez", "spoke"], ["in", "Rome"], ["saw", "Bob"]],
        "ner": [["B-PER", "I-PER", "O"], ["O", "B-LOC"], ["O", "B-PER"]],
    }
)


@pytest.fixture(scope="module")
def tagger() -> Tagger:
    return Tagger(features=Template(column("word")), c2=0.05, all_pairs=True).fit(CORPUS)


def test_words_are_named(tagger: Tagger) -> None:
    for sequence in (CORPUS[0], ["Ada", "Lopez", "spoke"]):
        explanation = tagger.explain(sequence, top=1)
        assert [token.word for token in explanation.tokens] == ["Ada", "Lopez", "spoke"]
        assert str(explanation).startswith("1. Ada  B-PER ")
        assert explanation.to_dict()[1]["word"] == "Lopez"


def test_token_features_have_no_word() -> None:
    tagger = Tagger(c2=0.1).fit([[["w=the"], ["w=cat"]]], [["DET", "NOUN"]])
    explanation = tagger.explain([["w=the"], ["w=cat"]])
    assert [token.word for token in explanation.tokens] == [None, None]
    assert str(explanation).startswith("1. DET ")


def test_one_token_keeps_its_number(tagger: Tagger) -> None:
    explanation = tagger.explain(CORPUS[0]).only(1)
    assert str(explanation).startswith("2. Lopez  I-PER ")
    assert len(explanation.tokens) == 1


def test_why_not_a_label(tagger: Tagger) -> None:
    marginals = tagger.predict_marginals(CORPUS)[0]
    found = tagger.explain(CORPUS[0], why_not="B-LOC", top=1000).tokens
    assert {token.rival for token in found} == {"B-LOC"}
    for token, probabilities in zip(found, marginals, strict=True):
        assert token.rival_probability == pytest.approx(probabilities["B-LOC"])


def test_margins_add_up_to_the_difference_in_score(tagger: Tagger) -> None:
    labels = tagger.predict(CORPUS)[0]
    found = tagger.explain(CORPUS[0], why_not="B-LOC", top=1000).tokens[2]
    other = [*labels[:2], "B-LOC"]
    shown, expected = tagger.log_likelihood([CORPUS.lists("word")[0]] * 2, [labels, other])
    assert sum(c.margin for c in found.contributions) == pytest.approx(shown - expected, abs=1e-3)


def test_why_not_a_type_of_span(tagger: Tagger) -> None:
    found = tagger.explain(CORPUS[1], why_not="PER").tokens
    marginals = tagger.predict_marginals(CORPUS)[1]
    for token, probabilities in zip(found, marginals, strict=True):
        assert token.rival == max(("B-PER", "I-PER"), key=lambda label: probabilities[label])


def test_where_the_expected_label_is_shown_the_usual_rival_is_named(tagger: Tagger) -> None:
    usual = tagger.explain(CORPUS[2]).tokens[1]
    assert usual.label == "B-PER"
    assert tagger.explain(CORPUS[2], why_not="PER").tokens[1] == usual


def test_an_unknown_label_is_refused(tagger: Tagger) -> None:
    with pytest.raises(DataError, match="no label 'ORG'; it has B-PER, I-PER, O, B-LOC"):
        tagger.explain(CORPUS[0], why_not="ORG")


def test_patterns_of_the_default_features_are_named_for_people() -> None:
    corpus = Corpus.from_lists({"word": [["in", "Rome"]], "label": [["O", "LOC"]]})
    tagger = Tagger(features=Template(letter_case(column("word")))).fit(corpus)
    explanation = tagger.explain(["in", "Rome"], top=100)
    assert "word.⟨title case⟩=true" in str(explanation)
    names = {c.source for token in explanation.tokens for c in token.contributions}
    assert 'word.short_shape.test("^Xx?([^Xx]+Xx?)*$")=true' in names
