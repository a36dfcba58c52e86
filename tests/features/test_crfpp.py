"""Template files of CRF++ and Wapiti make the features that those programs make of them."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dovetail.errors import DataError
from dovetail.features.crfpp import looks_like_crfpp, parse_crfpp
from dovetail.features.expressions import Expression
from dovetail.features.syntax import parse_template
from reference.expanded_templates import Sequence, expanded, row_feature, wapiti_search

NAMES = ["word", "pos"]
# No value has the text between two macros in it: strings would agree by chance.
words = st.sampled_from(["a", "b", "Ab", "aB", "IBM", "x-9", "1.5", "É", "_"])
sequences = st.lists(st.lists(st.tuples(words, words), min_size=1, max_size=8), max_size=3)
crfpp_macros = st.builds("%x[{},{}]".format, st.integers(-4, 4), st.integers(0, 1))

items = st.sampled_from([".", "a", "b", "-", "1", "$", "^", r"\.", r"\^", r"\b", "é", "("])
classes = st.sampled_from("adlpsuwADLPSUW").map(lambda name: f"\\{name}")
repeats = st.sampled_from(["", "", "*", "?"])
regexps = st.builds(
    lambda start, parts, end: start + "".join(parts) + end,
    st.sampled_from(["", "^"]),
    st.lists(st.builds("{}{}".format, items | classes, repeats), max_size=4),
    st.sampled_from(["", "$"]),
).filter(lambda regexp: not re.match(r"\^[*?]", regexp))
wapiti_offsets = st.integers(-8, 8).map(str) | st.sampled_from(["+1", " 0", " -2"])
wapiti_macros = st.one_of(
    st.builds("%{}[{},{}]".format, st.sampled_from("xX"), wapiti_offsets, st.integers(0, 1)),
    st.builds(
        '%{}[{},{},"{}"]'.format,
        st.sampled_from("tTmM"),
        wapiti_offsets,
        st.integers(0, 1),
        regexps,
    ),
)


def lines(kinds: str, macros: st.SearchStrategy[str], fewest: int) -> st.SearchStrategy[list[str]]:
    line = st.builds(
        lambda kind, name, parts: f"{kind}{name}:{'/'.join(parts)}",
        st.sampled_from(kinds),
        st.sampled_from(["", "1", "2"]),
        st.lists(macros, min_size=fewest, max_size=3),
    )
    return st.lists(line, min_size=1, max_size=5)


def check_same_features(template: list[str], data: list[Sequence], *, wapiti: bool) -> None:
    """Strings of theirs and features of ours are equal at the same pairs of lines and tokens."""
    text = "\n".join(["*" if wapiti else "", *template])
    expressions = iter(parse_crfpp(text, NAMES)[wapiti:])
    theirs, ours = [], []
    for line in template:
        if line[0] in "Bb" and "%" not in line:
            continue
        (row,) = next(expressions).rows
        for tokens in data:
            for at in range(len(tokens)):
                theirs.append(expanded(line, tokens, at, wapiti=wapiti))
                ours.append(row_feature(row, NAMES, tokens, at))
    assert next(expressions, None) is None
    assert len(set(theirs)) == len(set(ours)) == len(set(zip(theirs, ours, strict=True)))


@given(lines("UB", crfpp_macros, 0), sequences)
def test_crfpp_makes_the_same_features(template: list[str], data: list[Sequence]) -> None:
    check_same_features(template, data, wapiti=False)


@given(lines("UuBb*", wapiti_macros, 1), sequences)
def test_wapiti_makes_the_same_features(template: list[str], data: list[Sequence]) -> None:
    check_same_features(template, data, wapiti=True)


@given(regexps, words)
def test_wapiti_regular_expressions(regexp: str, word: str) -> None:
    tested, found = parse_crfpp(f'u:%t[0,0,"{regexp}"]\nu:%m[0,0,"{regexp}"]', NAMES)
    expected = wapiti_search(regexp, word)
    assert row_feature(tested.rows[0], NAMES, [(word, "")], 0)[1] == (
        "false" if expected is None else "true"
    )
    assert row_feature(found.rows[0], NAMES, [(word, "")], 0)[1] == (expected or "")


@pytest.mark.parametrize(
    ("regexp", "text", "found"),
    [
        (r"\d*", "12ab", ""),  # as few as possible
        (r"^\d*$", "1234", "1234"),
        (r"^.?.?.?", "abcdef", "abc"),  # as many as possible
        (r".?.?$", "abcdef", "ef"),
        (r"\u\l", "aBcD", "Bc"),
        (r"a$b^c", "xa$b^c", "a$b^c"),  # anchors at the ends only
        (r"(a|b)+", "(a|b)+", "(a|b)+"),  # no groups, alternatives or other repetitions
        (r"\"\n", '"n', '"n'),
        (r"\p", "[", "["),
    ],
)
def test_wapiti_regular_expressions_by_example(regexp: str, text: str, found: str) -> None:
    (expression,) = parse_crfpp(f'u:%m[0,0,"{regexp}"]', NAMES)
    assert row_feature(expression.rows[0], NAMES, [(text, "")], 0) == ("u:%", found)


@given(lines("UuBb*", wapiti_macros, 0))
def test_templates_print_in_our_syntax(template: list[str]) -> None:
    expressions = parse_crfpp("*\n" + "\n".join(template), NAMES)
    text = "\n".join(map(str, expressions))
    assert parse_template(text) == expressions
    assert looks_like_crfpp("\n".join(template)) or not any("%" in line for line in template)
    assert not looks_like_crfpp(text)


def printed(text: str) -> list[str]:
    return [str(expression) for expression in parse_crfpp(text, NAMES)]


def test_crfpp_by_example() -> None:
    text = (
        "# Unigram\r\n\r\nU00:%x[-2,0]\r\nU05:%x[-1,0]/%x[0,1]#\r\nU99:\r\n\r\n"
        "# Bigram\r\nB\r\nB01:%x[0,0]\r\nB02:"
    )
    assert printed(text) == [
        '"U00:%": word[-2]',
        '"U05:%/%#": word[-1] & pos',
        '"U99:": bias',
        '"B01:%": word @ transitions',
    ]


def test_wapiti_by_example() -> None:
    text = (
        "*\n"
        "b  # transitions, as always\n"
        "U:wrd L=%X[-1,0]/%x[ 0,1]  # with a comment\n"
        '*:Caps=%t[0,0,"^\\u"]\n'
        'b:Suf=%M[0,0,".?.?$"]\n'
        "u"
    )
    assert printed(text) == [
        '"*": bias',
        '"u:wrd L=%/%": word.lower[-1] & pos',
        '"*:Caps=%": word.test("^[A-Z]") @ both',
        '"b:Suf=%": word.find(".?.?\\\\Z").lower @ transitions',
        '"u": bias',
    ]


def test_wapiti_tests_what_lies_outside_the_sequence() -> None:
    text = 'u:%t[-1,0,"\\u"]\nu:%x[1,0]\nu2:%x[1,0]\nu3:%x[-6,0]'
    assert printed(text) == [
        '"u:%": word.padded.test("[A-Z]")[-1]',
        '"u:%": word.padded[1]',  # shares its features with the line before
        '"u2:%": word[1]',
        '"u3:%": word.padded[-6]',
    ]


def test_lines_of_one_skeleton_are_a_bag_of_words() -> None:
    before, here = parse_crfpp("U:%x[-1,0]\nU:%x[0,0]", NAMES)
    assert before.rows[0].name == here.rows[0].name
    tokens = [("the", "DT"), ("cat", "NN")]
    feature = row_feature(before.rows[0], NAMES, tokens, 1)
    assert feature == row_feature(here.rows[0], NAMES, tokens, 0) == ("U:%", "the")


def test_an_empty_file_has_no_expressions() -> None:
    nothing: tuple[Expression, ...] = ()
    assert parse_crfpp("\n# nothing\n  \n", NAMES) == nothing


@pytest.mark.parametrize(
    ("line", "column_number", "message"),
    [
        ("X00:%x[0,0]", 1, "found 'X', expected a line of CRF++, with U or B first"),
        (" U00:%x[0,0]", 1, "found ' ', expected a line of CRF++"),
        ("x:%X[0,0]", 1, "found 'x', expected a line of Wapiti, with U or u or B or b or * first"),
        ("U00:%y[0,0]", 5, "found '%y[0,0', expected a macro such as %x[-1,0]"),
        ("U00:100%", 8, "found '%', expected a macro"),
        ("U00:%x[0,0]/%x[0", 13, "found '%x[0', expected a macro"),
        ("U00:%x[0]", 5, "found '%x[0', expected a macro"),
        ("U00:%x[0,2]", 5, "%x[0,2] means column 2, but there are 2 columns, counted from 0: "
         "0 word, 1 pos"),
        ("U00:%x[-5,0]", 5, "%x[-5,0] has the offset -5; in a template of CRF++ offsets lie from "
         "-4 to 4"),
        ("u00:%x[101,0]", 5, "in a template of Wapiti offsets lie from -100 to 100"),
        ("u00:%x[010,0]", 5, "expected a macro"),  # octal to Wapiti
        ("u00:%x[@1,0]", 5, "%x[@1,0] has an absolute offset; only relative ones are supported"),
        ("u00:%x[*1,0]", 5, "%x[*1,0] has an indirect offset"),
        ("U00:%t[0,0]", 5, "in %t[0,0], %t needs a regular expression"),
        ('u00:%x[0,0,"a"]', 5, "%x takes no regular expression"),
        ('u00:%t[0,0,"a]', 5, "expected a macro"),
        ('u00:%t[0,0,"a#b"]', 5, "expected a macro"),  # a comment to Wapiti
        ('u00:%t[0,0,"*a"]', 13, "'*' in the regular expression \"*a\" follows nothing"),
        ('u00:%m[0,0,"^?"]', 14, "follows nothing that it could repeat; write \\? for"),
        ('u00:%m[0,0,"a**"]', 15, "follows nothing that it could repeat; write \\* for"),
    ],
)  # fmt: skip
def test_mistakes_are_named_with_their_place(line: str, column_number: int, message: str) -> None:
    place = f"np.tpl, line 3, column {column_number}: "
    with pytest.raises(DataError, match=f"^{re.escape(place)}.*{re.escape(message)}"):
        parse_crfpp(f"# Unigram\n\n{line}\nnonsense", NAMES, "np.tpl")


def test_long_lines_are_read_in_a_time_that_grows_with_them() -> None:
    with pytest.raises(DataError) as caught:
        parse_crfpp("U00:" + 300_000 * "%x[", NAMES, "np.tpl")
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    ("text", "foreign"),
    [
        ("# CRF++\n\nU00:%x[0,0]\nB", True),
        ("*\nu:%X[0,0]", True),
        ("U99:", True),
        ("U00:%y[0,0]", True),
        ("word.lower", False),
        ("upos.lower & Brown  # 100 % of them: all", False),
        ('upos.match("%x[0,0]")', False),
        ('"U05": c0[-1] & c1', False),
        ("U05: c0[-1]", False),  # a mistake in ours: the name wants quotes
        ("# U00:%x[0,0]", False),
        ("", False),
    ],
)
def test_the_kinds_of_templates_are_told_apart(text: str, foreign: bool) -> None:
    assert looks_like_crfpp(text) is foreign
