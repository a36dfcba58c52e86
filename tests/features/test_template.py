"""Templates: native extraction against the obvious one, and taggers that use them."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dovetail
from dovetail import Corpus, DataError, Tagger, Template, column
from dovetail.corpus import SoftColumn
from dovetail.features import Dataset, Expression, Lexicon, per_token
from reference import templates as reference

WORDS = [
    "",
    "a",
    "In",
    "IBM",
    "2nd",
    "Köln",
    "İstanbul",
    "ßß",
    "年1月",
    "x-Y.z",
    "I'd",
    "|",
    "=",
    "\n",
]
PLAIN = ["lower", "shape", "short_shape", "digits", "length"]

words = st.one_of(st.sampled_from(WORDS), st.text(max_size=6))
sequences = st.lists(st.lists(words, max_size=6), max_size=5)
calls = st.one_of(
    st.tuples(st.sampled_from(PLAIN)),
    st.tuples(st.sampled_from(["prefix", "suffix", "chars"]), st.integers(1, 4)),
    st.tuples(st.sampled_from(["match", "test", "find"]), st.sampled_from(["[A-Z]\\w*", "n", "."])),
)


@st.composite
def columns(draw: st.DrawFn) -> Expression:
    made = column(draw(st.sampled_from(["word", "pos"])))
    for call in draw(st.lists(calls, max_size=3)):
        made = made.call(*call)
    return made


expressions = st.recursive(
    columns(),
    lambda inner: st.one_of(
        st.builds(lambda e, k: e[k], inner, st.integers(-3, 3)),
        st.builds(lambda e, n: e.window(n), inner, st.integers(0, 2)),
        st.builds(lambda a, b: a & b, inner, inner),
        st.builds(lambda a, b: a | b, inner, inner),
        st.builds(lambda e, k: e.pairs(k), inner, st.integers(-1, 1)),
        st.builds(lambda e, x: x * e, inner, st.sampled_from([0.5, 2.0])),
    ),
    max_leaves=4,
)


@settings(max_examples=200, deadline=None)
@given(st.lists(expressions, min_size=1, max_size=3), sequences, st.data())
def test_features_are_what_the_rows_say(
    made_of: list[Expression], lists: list[list[str]], data: st.DataObject
) -> None:
    tags = [[data.draw(st.sampled_from(["NN", None])) for _ in row] for row in lists]
    template = Template(*made_of)
    corpus = Corpus.from_lists({"word": lists, "pos": tags})
    found = template.features(corpus)
    for words_, tags_, tokens in zip(lists, tags, found, strict=True):
        for t, token in enumerate(tokens):
            assert sorted(token) == sorted(
                reference.features(template.rows, {"word": words_, "pos": tags_}, t)
            )


def test_a_template_prints_as_it_was_written() -> None:
    word, pos = column("word"), column("pos")
    template = Template(word.lower.window(2), (word.suffix(3) | pos) & pos[-1], 0.5 * word.shape)
    assert str(template).splitlines() == [
        "word.lower[-2..2]",
        "(word.suffix(3) | pos) & pos[-1]",
        "0.5 * word.shape",
    ]
    assert template.columns == ("word", "pos")
    assert Template.parse(str(template)) == template
    assert pickle.loads(pickle.dumps(template)) == template


def test_a_soft_column_makes_features_with_its_weights() -> None:
    corpus = Corpus.from_lists({"word": [["a", "b"]]})
    corpus = corpus.with_column("ner", SoftColumn.of(("PER", "O"), [[0.75, 0.25], [0, 1]]))
    corpus = corpus.with_column("share", SoftColumn.numbers([0.5, 0]))
    template = Template(column("ner") & column("word"), column("share"), column("ner").lower[1])
    first, second = template.features(corpus)[0]
    assert dict(first) == {
        "ner & word=PER|a": 0.75, "ner & word=O|a": 0.25, "share=": 0.5, "ner.lower[1]=o": 1.0,
    }  # fmt: skip
    assert dict(second) == {"ner & word=O|b": 1.0, "ner.lower[1]=⟨+1⟩": 1.0}


def test_functions_of_ones_own() -> None:
    def vowels(word: str) -> list[str] | None:
        return [c for c in word if c in "aeiou"] or None

    def position(sequence: Any) -> list[Any]:
        return [[("share", t / len(sequence))] for t in range(len(sequence))]

    template = Template(column("word").apply(vowels), per_token(position))
    corpus = Corpus.from_lists({"word": [["pray", "me"]]})
    assert template.features(corpus)[0] == [
        [('word.apply("vowels")=a', 1.0), ("@position=share", 0.0)],
        [('word.apply("vowels")=e', 1.0), ("@position=share", 0.5)],
    ]
    labelled = corpus.with_column("label", [["X", "Y"]])
    tagger = Tagger(features=template, c2=0.1).fit(labelled)
    assert tagger.predict(corpus) == [["X", "Y"]]
    reloaded = dovetail.load(tagger.to_bytes())
    with pytest.raises(DataError, match="function of yours"):
        reloaded.predict(corpus)
    again = dovetail.load(tagger.to_bytes(), features=template)
    assert again.predict(corpus) == [["X", "Y"]]


def tokens_and_labels() -> tuple[list[list[str]], list[list[str]]]:
    rng = np.random.default_rng(3)
    tokens = [
        [
            f"{'AB'[y]}{x}"
            for y, x in zip(rng.integers(2, size=7), rng.integers(9, size=7), strict=True)
        ]
        for _ in range(40)
    ]
    return tokens, [["UP" if token < "B" else "DOWN" for token in row] for row in tokens]


@pytest.mark.parametrize("on", ["labels", "both"])
def test_all_ways_of_tagging_agree(on: Any) -> None:
    word = column("word")
    template = Template(
        word.affixes(2).window(1), (word.prefix(1) & word[-1]).on(on), word.chars(2), word.length
    )
    tokens, labels = tokens_and_labels()
    tagger = Tagger(features=template, tolerance=1e-5).fit(tokens[:30], labels[:30])
    corpus = Corpus.from_lists({"word": tokens})
    expected = tagger.predict(tokens)
    assert expected[30:] == labels[30:]
    assert tagger.predict(corpus) == expected == tagger.predict(iter(tokens))
    assert [t.labels for t in tagger.tag(tokens)] == expected
    assert [best[0][0] for best in tagger.predict_nbest(corpus, 1)] == expected
    for threads in (1, 2):
        assert dovetail.load(tagger.to_bytes(), threads=threads).predict(tokens) == expected
    explained = tagger.explain(corpus[0])
    assert [token.label for token in explained.tokens] == expected[0]
    assert any(c.source.startswith("word.prefix(1)") for c in explained.tokens[0].contributions)


def test_training_by_template_is_training_on_its_features() -> None:
    """The same weights as for the same features given as dicts, up to the order of features."""
    word = column("word")
    template = Template(word.window(1), 0.5 * word.suffix(1) & word[-1])
    tokens, labels = tokens_and_labels()
    named = [[dict(token) for token in row] for row in template.features(tokens)]
    one = Tagger(features=template, c2=1.0, tolerance=1e-7).fit(tokens, labels)
    two = Tagger(c2=1.0, tolerance=1e-7).fit(named, labels)
    weights = [{(f, y): w for f, y, w in t.top_weights(10_000)} for t in (one, two)]
    assert weights[0].keys() == weights[1].keys()
    for key, value in weights[0].items():
        assert value == pytest.approx(weights[1][key], abs=2e-3)


def test_a_warm_start_goes_by_names() -> None:
    template = Template(column("word").window(1))
    tokens, labels = tokens_and_labels()
    first = Tagger(features=template).fit(tokens, labels)
    again = Tagger(features=template).fit(tokens, labels, warm_start=first)
    assert again.history_[0].objective <= first.history_[-1].objective * 1.01


def test_a_lexicon_finds_the_longest_entry() -> None:
    lexicon = Lexicon(["New York", "New York City", "York", "a b c"])
    template = Template(column("word").lexicon("places"), lexicons={"places": lexicon})
    found = template.features([["in", "New", "York", "City", "York", "a", "b", "New", "York"]])[0]
    values = [token[0][0][-1] if token else "" for token in found]
    assert values == ["", "B", "I", "I", "B", "", "", "B", "I"]
    assert Template.from_spec(template.spec()) == template


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([["a"], ["b", 3]], "sequence 2 token 2 is of type int where a string was expected"),
        (["text"], "sequence 1 is a single string; give a list of tokens"),
        ("text", "give a list of sequences"),
        ([[("a", "b")]], "sequence 1 token 1 has 2 values where 1 were expected"),
    ],
)
def test_bad_tokens_are_named(data: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        Template(column("word")).features(data)


@pytest.mark.parametrize(("more", "listed"), [("", "word, pos"), ("shape", "word, pos, ...")])
def test_strings_where_tuples_were_expected(more: str, listed: str) -> None:
    names = ["word", "pos", *more.split()]
    template = Template(*(column(name) for name in names))
    given = tuple("ab" if not more else "abc")
    with pytest.raises(DataError) as told:
        template.features([[given], [given, "a"]])
    assert f"sequence 2 token 2 is one string where the columns {listed} were" in str(told.value)


def test_a_missing_column_is_named() -> None:
    corpus = Corpus.from_lists({"word": [["a"]], "label": [["X"]]})
    with pytest.raises(DataError, match="column 'pos' that the data does not have"):
        Tagger(features=Template(column("pos"))).fit(corpus)
    with pytest.raises(DataError, match="reads 'label', the column that is to be learnt"):
        Tagger(features=Template(column("label"))).fit(corpus)


def test_a_lexicon_has_to_be_given() -> None:
    with pytest.raises(DataError, match="lexicon 'cities' that it was not given"):
        Template(column("word").lexicon("cities"))


def test_a_function_has_to_be_given() -> None:
    with pytest.raises(DataError, match=r"function that it was not given: word\.apply"):
        Template.parse('word.apply("first")')


def test_hiding_leaves_something_to_read() -> None:
    assert len(Template(column("word").window(1)).hiding(0).rows) == 2
    with pytest.raises(DataError, match=r"every feature .* reads a column at the offset 0"):
        Template(column("word")).hiding(0)


def test_labels_that_do_not_fit_are_named() -> None:
    with pytest.raises(DataError, match="sequence 2: has 1 tokens but 2 labels"):
        Tagger(features=Template(column("word"))).fit([["a"], ["b"]], [["X"], ["X", "Y"]])
    with pytest.raises(DataError, match="there are fewer labels than sequences"):
        Tagger(features=Template(column("word"))).fit([["a"], ["b"]], [["X"]])


def test_a_set_by_its_name_trains_scores_and_tags() -> None:
    tokens, labels = tokens_and_labels()
    tagger = Tagger(features="parts_of_speech").fit(tokens, labels, held_out=(tokens, labels))
    assert tagger.predict(tokens) == labels
    assert dovetail.load(tagger.to_bytes()).predict(tokens) == labels


def test_held_out_data_with_a_function_of_ones_own() -> None:
    tokens, labels = tokens_and_labels()
    template = Template(column("word").apply(lambda word: word[0], "first"))
    tagger = Tagger(features=template).fit(tokens, labels, held_out=(tokens, labels))
    assert tagger.history_[-1].held_out == 1.0


@pytest.mark.parametrize(
    ("token", "message"),
    [(("a", "b"), "has 2 values where 1 were expected"), (3, "of type int"), ((), "has 0 values")],
)
def test_bad_tokens_are_named_beside_built_in_columns(token: Any, message: str) -> None:
    template = Template(column("word") & column("@place"))
    with pytest.raises(DataError, match=f"sequence 2 token 1 .*{message}"):
        template.features([["a"], [token]])


def test_built_in_columns_alone() -> None:
    found = Template(column("@place")).features([["a", "b"]])
    assert found == [[[("@place=first", 1.0)], [("@place=last", 1.0)]]]


def test_what_is_no_expression() -> None:
    for make in (lambda: Template("word"), lambda: column("word") & "pos"):  # type: ignore[arg-type,operator]
        with pytest.raises(DataError, match="is no expression; begin one with column"):
            make()


def test_a_named_line_that_comes_twice_counts_twice_also_after_loading() -> None:
    for twice in (column("word").named("n"), column("word").named("n").on("labels")):
        template = Template(twice, twice)
        assert template.features([["a"]])[0][0] == [("n=a", 1.0)] * 2
        assert Template.parse(str(template)).rows == template.rows
        tagger = Tagger(features=template).fit([["a", "b"]], [["X", "Y"]])
        loaded = dovetail.load(tagger.to_bytes())
        assert loaded.predict_marginals([["a"]]) == tagger.predict_marginals([["a"]])


def test_functions_of_one_name_are_refused() -> None:
    word = column("word")
    with pytest.raises(DataError, match="two functions are called"):
        Template(word.apply(lambda _: "1"), word.apply(lambda _: "2"))
    with pytest.raises(DataError, match="two functions are called"):
        Template(word.apply(lambda _: "1") & word.apply(lambda _: "2"))
    with pytest.raises(DataError, match="@place is a built-in column"):
        per_token(lambda s: [None] * len(s), "place")


def test_iterators_are_read_once() -> None:
    template = Template(column("word"), column("@place"))
    found = template.features([iter(["a", "b"])])
    assert [[name for name, _ in token] for token in found[0]] == [
        ["word=a", "@place=first"],
        ["word=b", "@place=last"],
    ]


def test_a_data_set_is_whole_after_any_error() -> None:
    def labels() -> Any:
        yield ["X"]
        raise KeyError("gone")

    data = Dataset(Template(column("word")))
    with pytest.raises(KeyError):
        data.extend([["a"], ["b"]], labels())
    with pytest.raises(DataError, match="has a weight of type str"):
        data.extend([["a"]], [["X"]], weights=["q"])  # type: ignore[list-item]
    data.extend([["c", "d"]], [["X", "Y"]])
    assert (data.n_sequences, data.n_tokens) == (2, 3)


def test_lower_case_is_the_same_for_words_and_lexicons() -> None:
    lexicon = Lexicon(["ΟΔΥΣΣΕΥΣ"]).lower()
    template = Template(column("word").lower.lexicon("l"), lexicons={"l": lexicon})
    assert template.features([["ΟΔΥΣΣΕΥΣ"]])[0][0] == [('word.lower.lexicon("l")=B', 1.0)]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Template(1e30 * (1e30 * column("word"))), "the factor 1e\\+60"),
        (lambda: Template(column("\ud800")), "lone surrogate"),
        (lambda: Template(column("word"), lexicons={"l": ["x"]}), "'l' is .*give a Lexicon"),
        (lambda: Template(column("word").apply(len)).features([["a"]]), "gave 1; return a string"),
        (lambda: Template(per_token(lambda s: [3] * len(s), "f")).features([["a"]]), "@f gave"),
        (lambda: Template(column("word")).features(None), "give a list of sequences"),
    ],
)
def test_what_cannot_be_is_refused(make: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        make()


def test_weights_of_a_soft_column_add_up_whatever_they_are() -> None:
    for weights in ([1.0, 1.0], [0.25, 0.5]):
        corpus = Corpus.from_lists({"word": [["x"]]})
        corpus = corpus.with_column("c", SoftColumn.of(("A", "a"), [weights]))
        found = Template(column("c").lower).features(corpus)[0][0]
        assert found == [("c.lower=a", sum(weights))]


def test_a_model_refuses_another_template() -> None:
    def template(entry: str) -> Template:
        return Template(column("word").lexicon("l"), lexicons={"l": Lexicon([entry])})

    tagger = Tagger(features=template("Ann")).fit([["Ann", "b"]], [["X", "Y"]])
    own = dovetail.load(tagger.to_bytes(), features=template("Ann"))
    assert own.predict([["Ann"]]) == tagger.predict([["Ann"]])
    with pytest.raises(DataError, match="another template"):
        dovetail.load(tagger.to_bytes(), features=template("zzz")).predict([["Ann"]])


def test_reading_conjoins_expressions_with_names_and_roles_too() -> None:
    word = column("word")
    template = Template(word.window(-1, 0).named("near"), word.on("transitions"))
    both = template.with_columns("ner", conjoined=True)
    assert str(both).splitlines() == [
        '"near": word[-1..0]',
        "word @ transitions",
        "ner",
        '"near & ner": word[-1..0] & ner',
        "word & ner @ transitions",
    ]
    assert Template.parse(str(both)) == both
