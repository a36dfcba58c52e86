"""One value for each field of a document."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dovetail.errors import DataError
from dovetail.evaluate.document_fields import evaluate_fields
from dovetail.evaluate.fields import (
    RULES,
    Choice,
    Mention,
    choose,
    overall,
    score_values,
    select_values,
    take_values,
)
from dovetail.evaluate.report import Counts

THREE = [
    Mention("who", "Ada Lovelace", 0.4),
    Mention("who", "Charles  Babbage", 0.9),
    Mention("who", "Ada\nLovelace", 0.45),
    Mention("who", "Charles Babbage", 0.1),
    Mention("who", "Grace Hopper", 0.95),
]


@pytest.mark.parametrize(
    ("rule", "value"),
    [
        ("first", "Ada Lovelace"),
        ("most_frequent", "Ada Lovelace"),
        ("most_probable", "Grace Hopper"),
        ("expected_most", "Charles Babbage"),
    ],
)
def test_rules_take_different_values(rule, value):
    assert select_values(THREE, RULES[rule]) == {"who": value}


def test_each_field_may_have_a_rule_of_its_own():
    mentions = [
        *THREE,
        Mention("where", "hall"),
        Mention("where", "room"),
        Mention("where", "room"),
    ]
    rules = {"who": RULES["first"], "where": RULES["most_frequent"]}
    assert select_values(mentions, rules) == {"who": "Ada Lovelace", "where": "room"}


def test_a_wrong_value_counts_against_precision_and_recall():
    assert score_values([{"who": {"Ada"}}], [{"who": "Bob"}])["who"] == Counts(0, 1, 1)


def test_a_missing_value_counts_against_recall_only():
    assert score_values([{"who": {"Ada"}}], [{}])["who"] == Counts(0, 0, 1)


def test_white_space_is_no_difference():
    assert score_values([{"where": {"Wean Hall\n5409"}}], [{"where": "Wean  Hall 5409"}])[
        "where"
    ] == Counts(1, 0, 0)


def test_overall_adds_up():
    counts = score_values([{"who": {"Ada"}, "where": {"hall"}}], [{"who": "Ada", "when": "3"}])
    assert overall(counts) == Counts(1, 1, 1)


def test_the_second_look_counts_only_where_the_first_found_nothing():
    looks = {0.0: [Mention("who", "Ada")], 2.0: [Mention("who", "Bob"), Mention("where", "hall")]}
    choices = {"who": Choice("first", 2.0), "where": Choice("first", 2.0), "when": Choice()}
    assert take_values(looks, choices) == {"who": "Ada", "where": "hall"}
    assert take_values(looks, {"where": Choice("first", 0.0)}) == {}


def test_no_second_look_where_it_does_more_harm():
    truth = [{"who": {"Ada"}}, {}, {}]
    looks = [{0.0: [Mention("who", "Ada")]}, *[{0.0: [], 1.0: [Mention("who", "Eve")]}] * 2]
    assert choose(truth, looks, ["who"], recall_biases=(0.0, 1.0))["who"].recall_bias == 0.0


def test_the_usual_choice_stays_unless_another_is_clearly_better():
    usual = Choice()
    lucky = ({"who": {"Ada"}}, {0.0: [], 1.0: [Mention("who", "Ada")]})
    same = ({"who": {"Bob"}}, {0.0: [Mention("who", "Bob")], 1.0: []})

    def chosen(n_lucky: int) -> Choice:
        truth, looks = zip(*[lucky] * n_lucky, *[same] * 10, strict=True)
        return choose(truth, looks, ["who"], recall_biases=(0.0, 1.0), usual=usual)["who"]

    assert chosen(1) == usual
    assert chosen(8).recall_bias == 1.0


names = st.sampled_from(["Ada", "Bob", "Eve"])
mentions = st.lists(st.builds(Mention, st.just("who"), names, st.floats(0, 1)), max_size=4)
documents = st.lists(st.tuples(st.sets(names, max_size=2), mentions, mentions), min_size=1)


@given(documents)
def test_the_choice_is_at_least_as_good_as_any(drawn):
    truth = [{"who": true} for true, _, _ in drawn]
    looks = [{0.0: plain, 1.0: eager} for _, plain, eager in drawn]

    def f1(choice):
        found = [take_values(one, {"who": choice}) for one in looks]
        return score_values(truth, found)["who"].f1

    best = f1(choose(truth, looks, ["who"], recall_biases=(0.0, 1.0))["who"])
    assert all(best >= f1(Choice(rule, amount)) for rule in RULES for amount in (0.0, 1.0))


def test_fields_of_documents_of_several_sequences():
    words = [["by", "Ada", "Lovelace"], ["or", "Bob"], ["Eve"]]
    gold = [["O", "B-who", "I-who"], ["O", "B-who"], ["B-who"]]
    found = [["O", "O", "O"], ["O", "B-who"], ["O"]]
    assert evaluate_fields(words, gold, found, [0, 2, 3])["who"] == Counts(1, 0, 1)
    assert evaluate_fields(words, gold, gold)["who"] == Counts(3, 0, 0)
    assert evaluate_fields(words, gold, found)["who"] == Counts(1, 0, 2)
    rows = [["Ada", "Lovelace"]], [["B-who", "O"]], [["B-who", "I-who"]]
    assert evaluate_fields(*rows)["who"] == Counts(0, 1, 1)
    with pytest.raises(DataError, match="3 sequences of words, 3 of given labels and 1 of"):
        evaluate_fields(words, gold, found[:1])


def test_a_mention_is_sure_unless_it_is_told():
    given = [Mention("who", "Ada"), Mention("who", "Bob", 0.6), Mention("who", "Bob", 0.3)]
    assert select_values(given, RULES["expected_most"]) == {"who": "Ada"}
    assert select_values([*given, Mention("who", " Bob", 0.2)], RULES["expected_most"]) == {
        "who": "Bob"
    }
