"""Times, dates and sides: what is found in tokens that follow one another."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dovetail import DataError, Template, column
from dovetail.corpus import tokenize

word = column("word")


def found(template: Template, tokens: list[str]) -> list[str]:
    """The values at each token, in one string."""
    return [
        "+".join(name.partition("=")[2] for name, _ in features)
        for features in template.features([tokens])[0]
    ]


def spans(template: Template, tokens: list[str]) -> list[str]:
    """What is found, as text; ``<`` and ``>`` for a dash before and after it."""
    out: list[str] = []
    for token, values in zip(tokens, found(template, tokens), strict=True):
        kind, *dashes = values.split("+")
        if kind == "B":
            marks = [{"dash before": "<", "dash after": ">"}[dash] for dash in dashes]
            out.append("".join(marks) + token)
        elif kind == "I":
            out[-1] += f" {token}"
    return out


def cuts(text: str) -> list[list[str]]:
    """A text cut into tokens in three ways: as we do, at blanks, and as finely as can be."""
    ours = [text[start:end] for start, end in tokenize(text)]
    return [ours, text.split(), re.findall(r"\w+|[^\w\s]", text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("at 3:30 pm", ["3:30pm"]),
        ("at 3 PM today", ["3PM"]),
        ("at 3:30pm or 4:10pm today", ["3:30pm", "4:10pm"]),
        ("at 3:30 P.M. sharp", ["3:30P.M."]),
        ("from 3:30 - 4:30 we talk", [">3:30", "<4:30"]),
        ("from 10:30 - 12", [">10:30", "<12"]),
        ("from 3 - 4 pm", [">3", "<4pm"]),
        ("from 11:30 am - noon", [">11:30am", "<noon"]),
        ("from 3 to 4:30", ["3", "4:30"]),
        ("12 noon", ["12noon"]),
        ("12:00 noon", ["12:00noon"]),
        ("5 o'clock tea", ["5o'clock"]),
        ("posted at 15:21 from home", ["15:21"]),
        ("until midnight", ["midnight"]),
        ("I am 5 and room 12 - 14 is for 4 people", []),
        ("it costs 4.50 or 25:10", []),
    ],
)
def test_times_are_found_however_they_are_cut(text: str, expected: list[str]) -> None:
    for tokens in cuts(text):
        got = [span.replace(" ", "") for span in spans(Template(word.time), tokens)]
        assert [span.rstrip(".") for span in got] == [span.rstrip(".") for span in expected], tokens


@pytest.mark.parametrize("token", ["3:30-4:30", "3-4:30pm", "11am-1pm", "3:30–5"])
def test_a_token_that_holds_a_range_has_dashes_on_both_sides(token: str) -> None:
    assert found(Template(word.time), ["Time", token]) == ["", "B+dash before+dash after"]


def test_a_dash_after_a_time_needs_no_second_time() -> None:
    assert spans(Template(word.time), ["3:30", "-", "Coffee"]) == [">3:30"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("on Wed., Oct. 12, 1994 at noon", ["Wed.,Oct.12,1994"]),
        ("on Wednesday, October 12", ["Wednesday,October12"]),
        ("THURSDAY, MARCH 12", ["THURSDAY,MARCH12"]),
        ("on Monday we", ["Monday"]),
        ("the 12th of October", ["12thofOctober"]),
        ("Tue 5 Nov 2002", ["Tue5Nov2002"]),
        ("Oct 12 - 14, 1994", ["Oct12-14,1994"]),
        ("March 3rd and May 1995", ["March3rd", "May1995"]),
        ("by 10/12/94 or 27-Feb-95", ["10/12/94", "27-Feb-95"]),
        ("on Fri 10/12", ["Fri10/12"]),
        ("since 1996-08-22", ["1996-08-22"]),
        ("Wednesday the 12th", ["Wednesdaythe12th"]),
        ("they may march in the sun , 12 of them", []),
        ("1/2 of 1994", []),
    ],
)
def test_dates_are_found_however_they_are_cut(text: str, expected: list[str]) -> None:
    ours, at_blanks, fine = cuts(text)
    for tokens in (ours, fine) if "," in text else (ours, at_blanks, fine):
        got = [span.replace(" ", "") for span in spans(Template(word.date), tokens)]
        assert got == expected, tokens


def test_patterns_end_with_the_sequence() -> None:
    features = Template(word.date).features([["Oct."], [], ["12"]])
    assert features == [[[]], [], [[]]]


def test_sides_go_by_the_first_match() -> None:
    template = Template(word.side("V.*"))
    assert found(template, ["N", "D", "VV", "N", "VC", "N"]) == [
        "before",
        "before",
        "",
        "after",
        "after",
        "after",
    ]
    assert found(template, ["N", "XV"]) == ["", ""]


def test_a_broken_expression_for_a_side_is_refused() -> None:
    with pytest.raises(DataError, match="no regular expression"):
        word.side("(")


def test_patterns_are_stored_with_the_template() -> None:
    template = Template(word.time.window(1), word.date & word.lower, word.side("V.*"))
    assert Template.from_spec(template.spec()) == template


tokens = st.one_of(
    st.sampled_from(["3", "30", ":", "3:30", "pm", "a", ".", "m", "-", "to", "Oct.", ",", "/"]),
    st.text(max_size=4),
)


@given(st.lists(st.lists(tokens, max_size=8), max_size=4))
def test_what_goes_on_has_begun(sequences: list[list[str]]) -> None:
    for attribute in (word.time, word.date):
        for sequence in sequences:
            before = ""
            for values in found(Template(attribute), sequence):
                kind = values.split("+")[0]
                assert kind in ("", "B", "I")
                assert kind != "I" or before
                before = kind
