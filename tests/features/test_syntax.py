"""Templates as text: what is printed is read back, and mistakes are found where they are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dovetail.errors import DataError
from dovetail.features.columns import Column, column
from dovetail.features.expressions import Expression, bias
from dovetail.features.syntax import parse_template

texts = st.text(max_size=6)
names = st.sampled_from(["word", "pos", "@place", "bias", "pairs", "naïve", "2nd", ""]) | texts
offsets = st.integers(-5, 5)
patterns = st.sampled_from(["[A-Z]", r"\d+", '"#"', r"\\", "é|\u2028"])
calls = st.one_of(
    st.tuples(st.sampled_from(["lower", "shape", "short_shape", "digits", "length"])),
    st.tuples(st.sampled_from(["prefix", "suffix", "chars"]), st.integers(1, 100)),
    st.tuples(st.sampled_from(["match", "test", "find"]), patterns),
    st.tuples(st.sampled_from(["lexicon", "apply"]), texts),
)


@st.composite
def columns(draw: st.DrawFn) -> Column:
    made = column(draw(names))
    if draw(st.booleans()):
        made = made.padded
    for name, *arguments in draw(st.lists(calls, max_size=2)):
        made = made.call(name, *arguments)
    return made


def larger(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    factors = st.floats(-1e9, 1e9)
    ranges = st.sampled_from([(-1, 1), (0, 1), (-100, -100), (0, 0)])
    return st.one_of(
        st.builds(lambda a, b: a & b, inner, inner),
        st.builds(lambda a, b: a | b, inner, inner),
        st.builds(lambda e, offset: e[offset], inner, offsets),
        st.builds(lambda e, places: e.window(*places), inner, ranges),
        st.builds(lambda e, n: e.ngrams(n, 0, 1), inner, st.integers(1, 2)),
        st.builds(lambda e, offset: e.pairs(offset), inner, offsets),
        st.builds(lambda e, factor: factor * e, inner, factors),
    )


def finished(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    roles = st.sampled_from(["labels", "transitions", "both"])
    return st.one_of(
        st.builds(lambda e, name: e.named(name), inner, texts),
        st.builds(lambda e, role: e.on(role), inner, roles),
    )


simple: st.SearchStrategy[Expression] = columns() | st.just(bias)
combined = simple | larger(simple | larger(simple | larger(simple)))
expressions = combined | finished(combined) | finished(finished(combined))


@given(expressions)
def test_what_is_printed_is_read_back(expression: Expression) -> None:
    (read,) = parse_template(str(expression))
    assert read.rows == expression.rows
    assert str(read) == str(expression)


@given(st.lists(expressions, max_size=3))
def test_every_line_is_an_expression(several: list[Expression]) -> None:
    text = "# a comment\n\n" + "".join(f'  {e}\t# "a comment\r\n' for e in several)
    assert parse_template(text) == tuple(several)


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("word.lower[-2..2]", column("word").lower.window(2)),
        ("word[+1]", column("word")[1]),
        ("word.lower()", column("word").lower),
        ("a & b | c & d", column("a") & column("b") | column("c") & column("d")),
        ("(a | b) & c", (column("a") | column("b")) & column("c")),
        ("pairs(word | pos, 1)", (column("word") | column("pos")).pairs(1)),
        ("pairs(word | pos)[-1]", (column("word") | column("pos")).pairs()[-1]),
        ("pairs & pairs[1]", column("pairs") & column("pairs")[1]),
        ("0.3 * hmm[0] & a", (0.3 * column("hmm")) & column("a")),
        ("-1e-3 * hmm", -0.001 * column("hmm")),
        ('"U05": c0[-1] & c1', (column("c0")[-1] & column("c1")).named("U05")),
        ('"c 0" @ transitions', column("c 0").on("transitions")),
        ('"n": @place[0] @ both', column("@place").named("n").on("both")),
        ('word.match("[#\\"]\\\\d") # "', column("word").match(r'[#"]\d')),
        ("bias", bias),
        ('"bias"', column("bias")),
    ],
)
def test_meaning(text: str, meaning: Expression) -> None:
    (read,) = parse_template(text)
    assert read.rows == meaning.rows


def test_a_text_without_expressions_is_an_empty_template() -> None:
    assert parse_template("") == parse_template("\n  # nothing\n") == ()


@pytest.mark.parametrize(
    ("line", "column_number", "message"),
    [
        ("word &", 7, "found the end of the line, expected a column, 'pairs(' or '('"),
        ("word & | pos", 8, "found '|', expected a column"),
        ("word pos", 6, "found 'pos', expected '&', '|', '@' with a role, or the end of the line"),
        ("(word | pos", 12, "found the end of the line, expected '&', '|' or ')'"),
        ("word[x]", 6, "found 'x', expected a whole number"),
        ("word[0.5]", 6, "found '0.5', expected a whole number"),
        ("word[-1", 8, "found the end of the line, expected '..' or ']'"),
        ("word[1..2..3]", 10, "found '..', expected ']'"),
        ("word[101]", 5, "the offset 101 does not lie from -100 to 100"),
        ("word[2..-2]", 5, "offsets run from low to high, not from 2 to -2"),
        (f"word[{'9' * 5000}]", 6, "expected a whole number"),
        ("pairs(word, 101)", 13, "the offset 101 does not lie from -100 to 100"),
        ("pairs(word; 1)", 11, "found ';', which is no part of a template"),
        ("word.", 6, "found the end of the line, expected the name of an attribute"),
        ("pos & word.upper", 12, "there is no attribute 'upper'; there are apply, chars"),
        ("word.lower(3)", 12, "'lower' takes nothing in brackets"),
        ("word.suffix", 6, "'suffix' takes a number"),
        ('word.suffix("3")', 13, "'suffix' takes a number"),
        ("word.suffix(0)", 13, "'suffix' takes a number from 1 to 100, not 0"),
        ("word.suffix(3", 14, "found the end of the line, expected ',' or ')'"),
        ("word.suffix(n)", 13, "found 'n', expected a whole number or a string"),
        ('word.match("[a-z")', 12, "'[a-z' is no regular expression"),
        ('word.match("a{99999999999}")', 12, "is no regular expression"),
        ('word.match("\\d+")', 12, 'in the string "\\d+" a backslash has to be written twice'),
        ('word.match("abc)', 12, "the string that begins here has no closing quote"),
        ("word.lower.padded", 12, "'padded' comes first"),
        ("0.3 word", 5, "found 'word', expected '*'"),
        ("1e999 * word", 1, "multiplied by a finite number, not by inf"),
        ("word @ states", 8, "features are on labels, transitions or both, not on 'states'"),
        ("word @", 7, "features are on labels, transitions or both"),
        ("U05: word", 4, "found ':', expected '&'"),
        ("word $ pos", 6, "found '$', which is no part of a template"),
        ("(" * 2000 + "word" + ")" * 2000, 1, "nested too deeply"),
        ("word" + ".lower" * 20_000, 606, "more than 100 attributes one after another"),
    ],
)
def test_mistakes_are_named_with_their_place(line: str, column_number: int, message: str) -> None:
    with pytest.raises(DataError) as error:
        parse_template(f"word\n\n{line}\nnonsense$", "news.template")
    said = str(error.value)
    assert said.startswith(f"news.template, line 3, column {column_number}: ")
    assert message in said


def test_names_and_roles_are_given_last() -> None:
    named, placed = column("word").named("w"), column("pos").on("both")
    for combine in (
        lambda: named & placed,
        lambda: column("word") | placed,
        lambda: named[1],
        lambda: placed.window(1),
        lambda: 0.5 * named,
        lambda: placed.pairs(),
    ):
        with pytest.raises(DataError, match=r"combine first, then say \.named\(\) or \.on\(\)"):
            combine()
