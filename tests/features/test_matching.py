"""Regular expressions in bounded time: the answers of Python's engine, and no endless ones."""

from __future__ import annotations

import re
import time
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from dovetail import Template
from dovetail.errors import DataError
from dovetail.features import matching
from dovetail.features.matching import Matcher
from dovetail.limits import limits

PIECES = st.recursive(
    st.sampled_from(["a", "b", ".", "[ab]", "[^a]", r"\d", r"\w", r"\b", "^", "$", "(?i:B)", "A"]),
    lambda inner: (
        st.tuples(inner, inner).map("".join)
        | st.tuples(inner, inner).map(lambda two: f"(?:{two[0]}|{two[1]})")
        | st.tuples(inner, st.sampled_from(["*", "+", "?", "*?", "+?", "??", "{2}", "{1,3}"])).map(
            lambda two: f"({two[0]}){two[1]}"
        )
    ),
    max_leaves=8,
)


@given(PIECES, st.text("abAB1 \n", max_size=8))
@settings(max_examples=1500)
def test_the_automaton_answers_as_python_does(pattern: str, text: str) -> None:
    made = Matcher(pattern)
    assume(made._program is not None)
    whole = matching._run(made._program, text, whole=True, pattern=pattern)
    assert (whole is not None) == (re.fullmatch(pattern, text) is not None)
    span = matching._run(made._program, text, whole=False, pattern=pattern)
    found = re.search(pattern, text)
    assert (span is None) == (found is None)
    if found and not repeats_nothing(made._tree):
        assert span == found.span()


def repeats_nothing(tree: Any) -> bool:
    """Whether a repetition may go round without a character: engines end these differently."""
    for op, value in tree:
        if op in matching.REPEATS and value[2].getwidth()[0] == 0:
            return True
        if op in matching.REPEATS and repeats_nothing(value[2]):
            return True
        if op is matching.ops.SUBPATTERN and repeats_nothing(value[-1]):
            return True
        if op is matching.ops.BRANCH and any(map(repeats_nothing, value[1])):
            return True
    return False


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (r"(?:|a)*", "aab"),
        (r"(?:(?:.)??)+", " Ab"),
        (r"(?:A|(?:(?:\B)+?|[^a])*)", "\naBbB"),
        (r"((?:[ab]??)+(?:^|b)?|)", "aaB\nAA"),
        (r"(?a:\w+)+", "aéb"),
        (r"(?a)(?:(?u:\w)+)+", "aéb"),
    ],
)
def test_empty_repetitions_and_flags_of_groups(
    monkeypatch: pytest.MonkeyPatch, pattern: str, text: str
) -> None:
    monkeypatch.setattr(matching, "QUICK", 0)
    found = re.search(pattern, text)
    assert found is not None
    assert Matcher(pattern).find(text) == found[0]


@pytest.mark.parametrize(
    "pattern", ["(a+)+b", "(a|a)*b", "(a*)*b", r"(\w+\s?)*!", "(a?){40}a{40}b"]
)
def test_expressions_that_never_end_elsewhere(pattern: str) -> None:
    began = time.process_time()
    assert not Matcher(pattern).matches(60 * "a")
    assert Matcher(pattern).find(60 * "a" + "c") is None
    assert time.process_time() - began < 60  # Python's engine would take longer than the universe


def test_honest_expressions_work_on_long_values() -> None:
    assert Matcher(r"(?:[A-Z][a-z]+\.?)+").matches(500 * "Abc.")
    assert Matcher(r"[a-z]+-[a-z]+").find(100_000 * "a") is None
    assert Matcher(r"(?:\d{1,3}\.){3}\d{1,3}").find("at 10.0.0.1 now") == "10.0.0.1"


def test_what_no_automaton_can_do_is_refused_where_it_could_take_too_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert Matcher(r"(a+)+(?=b)").find("caab") == "aa"
    assert Matcher(r"(.)\1").find("xaab") == "aa"
    with pytest.raises(DataError, match=r"in a value of 60 characters.*DOVETAIL_EXPRESSION_STEPS"):
        Matcher(r"(a+)+(?=b)").find(60 * "a")
    monkeypatch.setattr(limits, "expression_steps", 1000)
    with pytest.raises(DataError, match="would take too long"):
        Matcher("(a+)+b").find(5000 * "a")


def test_templates_use_it() -> None:
    template = Template.parse('word.match("(a+)+b")\nword.find("(a+)+b")\nword.side("(a+)+b")')
    assert template.features([[60 * "a", "aab"]])[0][1][:2] == [
        ('word.match("(a+)+b")=yes', 1.0),
        ('word.find("(a+)+b")=aab', 1.0),
    ]
