"""Indexed data: from lists and from CRFsuite's text, with errors that name their place."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from dovetail import Corpus, Dataset, Tagger, Template, _native, column
from dovetail.chain.train.fitting import Fitting
from dovetail.chain.train.objective import Objective
from dovetail.errors import DataError

TEXT = (
    "B-X\tw=a\tp=q\tlength:2.5\n"
    "I-X\tw=b\n"
    "\n"
    "O\n"
    "O\tcolon\\:name\tback\\\\slash\tboth\\\\\\:end:-3\n"
    "\n"
    "\n"
    "B-X\tw=a\tw=a\tcafé:1e-2\tp=q:1\n"
)
SEQUENCES: list[list[Any]] = [
    [{"w=a": 1.0, "p=q": 1.0, "length": 2.5}, ["w=b"]],
    [[], {"colon:name": 1.0, "back\\slash": 1.0, "both\\:end": -3.0}],
    [{"w=a": 2.0, "café": 0.01, "p=q": 1.0}],
]
LABELS = [["B-X", "I-X"], ["O", "O"], ["B-X"]]


def shown(data: Dataset) -> list[Any]:
    """What a training sees: sizes, labels, names, parameters, value and gradient."""
    problem = Fitting(Tagger(c2=1.0), data).problem
    w = np.random.default_rng(0).normal(size=problem.n_parameters)
    value, gradient = Objective(problem, 1.0, precision="double", threads=1)(w)
    sizes = [data.n_sequences, data.n_tokens, data.n_features, data.labels]
    parameters = [array.tolist() for array in problem.parameters()]
    return [*sizes, data.native.feature_names(), parameters, value, gradient.tolist()]


def written(path: Path, text: str | bytes) -> Path:
    content = text.encode() if isinstance(text, str) else text
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


def pieces(text: bytes, *cuts: int) -> Dataset:
    data = Dataset()
    reader = _native.CrfsuiteText(data.native)
    edges = [0, *sorted(cuts), len(text)]
    for a, b in pairwise(edges):
        reader.feed(text[a:b])
    reader.finish()
    return data


# CRFsuite's text


def same_training(one: Dataset, other: Dataset) -> None:
    first, second = shown(one), shown(other)
    assert first[:6] == second[:6]
    assert first[6] == pytest.approx(second[6], rel=1e-7)
    assert first[7] == pytest.approx(second[7], abs=1e-6)


@pytest.mark.parametrize("name", ["data.txt", "data.txt.gz"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("last", ["", "\n", "\n\n\n"])
def test_text_is_read_as_lists_are(tmp_path: Path, name: str, end: str, last: str) -> None:
    text = (TEXT.rstrip("\n") + last).replace("\n", end)
    data = Dataset.from_crfsuite_text(written(tmp_path / name, text))
    same_training(data, Dataset.from_lists(SEQUENCES, LABELS))
    assert repr(data) == "Dataset(3 sequences, 5 tokens, 10 features, 3 labels)"


def test_empty_text(tmp_path: Path) -> None:
    for text in ("", "\n", "\r\n\n"):
        data = Dataset.from_crfsuite_text(written(tmp_path / "empty", text))
        assert (data.n_sequences, data.n_tokens) == (0, 0)


WHOLE = shown(pieces(TEXT.encode()))


@pytest.mark.parametrize("place", range(len(TEXT.encode()) + 1))
def test_text_in_two_pieces(place: int) -> None:
    assert shown(pieces(TEXT.encode(), place)) == WHOLE


@given(st.lists(st.integers(0, 150), max_size=30), st.sampled_from(["\n", "\r\n"]))
@settings(deadline=None, max_examples=60)
def test_text_in_many_pieces(cuts: list[int], end: str) -> None:
    assert shown(pieces(TEXT.replace("\n", end).encode(), *cuts)) == WHOLE


def test_a_file_longer_than_a_block(tmp_path: Path) -> None:
    lines = [
        f"L{n % 3}\tw={n}\tname of some length {n % 7}" + "\n" * (n % 5 == 4) for n in range(40_000)
    ]
    path = written(tmp_path / "long.txt", "\n".join(lines))
    assert path.stat().st_size > 1 << 20
    data = Dataset.from_crfsuite_text(path)
    assert (data.n_sequences, data.n_tokens) == (8_000, 40_000)
    assert data.n_features == 40_000 + 7 + 2
    assert data.labels == ["L0", "L1", "L2"]


def escaped(name: str) -> str:
    return name.replace("\\", "\\\\").replace(":", "\\:")


names = st.text(st.characters(exclude_characters="\t\n\r", exclude_categories=["Cs"]), min_size=1)


@given(
    st.lists(
        st.lists(
            st.tuples(names, st.dictionaries(names, st.floats(-1e9, 1e9, width=32), max_size=4)),
            min_size=1,
            max_size=3,
        ),
        min_size=1,
        max_size=3,
    )
)
@settings(deadline=None, max_examples=100)
def test_any_names_and_values(sequences: list[list[tuple[str, dict[str, float]]]]) -> None:
    lines = [
        "".join(
            "\t".join([label, *(f"{escaped(f)}:{v!r}" for f, v in token.items())]) + "\n"
            for label, token in sequence
        )
        for sequence in sequences
    ]
    read = pieces("\n".join(lines).encode())
    listed = Dataset.from_lists(
        ([token for _, token in s] for s in sequences), ([y for y, _ in s] for s in sequences)
    )
    assert read.labels == listed.labels
    assert read.native.feature_names() == listed.native.feature_names()
    assert read.native.n_occurrences == listed.native.n_occurrences
    assert read.n_sequences == listed.n_sequences


WEIGHTED = "@weight:2.5\nX\ta\nY\tb\n\nY\tb\n\n@weight:0\tX\tb\nY\t@weight:3\n\n@weight:9\n\nX\ta"


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_weights_of_sequences(tmp_path: Path, end: str) -> None:
    path = written(tmp_path / "data.txt", WEIGHTED.replace("\n", end))
    listed = Dataset.from_lists(
        [[["a"], ["b"]], [["b"]], [["b"], {"@weight": 3.0}], [["a"]]],
        [["X", "Y"], ["Y"], ["X", "Y"], ["X"]],
        weights=[2.5, 1.0, 0.0, 1.0],
    )
    assert shown(Dataset.from_crfsuite_text(path)) == shown(listed)


@pytest.mark.parametrize("place", range(len(WEIGHTED)))
def test_weights_in_two_pieces(place: int) -> None:
    assert shown(pieces(WEIGHTED.encode(), place)) == shown(pieces(WEIGHTED.encode()))


def test_labels_that_look_like_a_weight() -> None:
    data = pieces(b"@\ta\n@weights:2\ta\n@mention\tb\n")
    assert data.labels == ["@", "@weights:2", "@mention"]
    assert not data.native.weighted


def test_nothing_between_two_tabs_is_no_feature() -> None:
    assert shown(pieces(b"X\ta\t\tb\t\nY\t\n")) == shown(pieces(b"X\ta\tb\nY\n"))


def test_several_texts_are_one(tmp_path: Path) -> None:
    first = written(tmp_path / "1.txt", "X\ta\nY\tb")
    second = written(tmp_path / "2.txt", "@weight:2\nZ\tc\n\n")
    both = Dataset.from_crfsuite_text(first, second)
    listed = Dataset.from_lists([[["a"], ["b"]], [["c"]]], [["X", "Y"], ["Z"]], weights=[1, 2])
    assert shown(both) == shown(listed)
    third = written(tmp_path / "3.txt", "X\ta\n\tb\n")
    with pytest.raises(DataError, match=f"^{third}, line 2: the line has no label"):
        Dataset.from_crfsuite_text(first, second, third)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "X\ta\n@weight\n",
            r"line 2: '' after @weight is not a colon and a number from 0 to 3.4e38",
        ),
        ("@weight:\n", r"line 1: ':' after @weight is not a colon and a number"),
        ("@weight:-1\n", r"line 1: ':-1' after @weight is not a colon and a number"),
        ("@weight:nan\n", r"line 1: ':nan' after @weight is not a colon and a number"),
        ("@weight:1e39\n", r"line 1: ':1e39' after @weight is not a colon and a number"),
        ("@weight:two\tX\ta\n", r"line 1: ':two' after @weight .* as in @weight:2.5"),
        ("@weight:2\t\ta\n", r"line 1: the line has no label"),
        ("X\ta\nY\tb:one\n", r"line 2: 'one' is not a finite feature value"),
        ("X\ta\n\nY\tb:\n", r"line 3: '' is not a finite feature value"),
        ("X\ta:nan\n", r"line 1: 'nan' is not a finite feature value"),
        ("X\ta:inf\n", r"line 1: 'inf' is not a finite feature value"),
        ("X\ta:1e39\n", r"line 1: '1e39' is not a finite feature value"),
        ("X\ta:1e999\n", r"line 1: '1e999' is not a finite feature value"),
        ("X\ta:1x\n", r"line 1: '1x' is not a finite feature value"),
        ("X\ta:b:2\n", r"line 1: 'b:2' is not a finite feature value.*write a colon .* as \\:"),
        ("X\ta\r\n\r\n\tb\r\n", r"line 3: the line has no label before its first tab"),
        ("X\tok\n" * 1000 + "\tb", r"line 1001: the line has no label"),
    ],
)
def test_errors_name_file_and_line(tmp_path: Path, text: str, message: str) -> None:
    for name in ("bad.txt", "bad.txt.gz"):
        path = written(tmp_path / name, text)
        with pytest.raises(DataError, match=f"^{path}, {message}"):
            Dataset.from_crfsuite_text(path)


def test_text_that_is_not_utf8(tmp_path: Path) -> None:
    for name in (
        b"\xff",
        b"caf\xe9",
        b"\xc0\xaf",
        b"\xed\xa0\x80",
        b"\xf4\x90\x80\x80",
        b"\xe2\x82",
        b"\x80",
    ):
        with pytest.raises(UnicodeDecodeError):
            name.decode()
        for text in (b"X\ta\n" + name + b"\tb\n", b"X\ta\nY\tb\t" + name + b":1\n"):
            path = written(tmp_path / "latin.txt", text)
            with pytest.raises(DataError, match=f"{path}, line 2: the line is not UTF-8"):
                Dataset.from_crfsuite_text(path)


@given(
    st.binary(min_size=1, max_size=6)
    | st.text(min_size=1, max_size=3).map(lambda s: s.encode(errors="surrogatepass"))
)
@settings(deadline=None, max_examples=300)
def test_names_are_checked_as_python_does(name: bytes) -> None:
    assume(not set(name) & set(b"\t\n\r:\\"))
    try:
        name.decode()
    except UnicodeDecodeError:
        with pytest.raises(_native.TextError):
            pieces(b"X\t" + name)
    else:
        assert name.decode() in pieces(b"X\t" + name).native.feature_names()


def test_text_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"cannot read .*missing"):
        Dataset.from_crfsuite_text(tmp_path / "missing")
    whole = gzip.compress(TEXT.encode() * 100)
    path = tmp_path / "cut.gz"
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DataError, match="not a whole gzip file"):
        Dataset.from_crfsuite_text(path)


# Lists


def test_lists_are_streamed() -> None:
    """One sequence is asked for at a time, its companions with it, and nothing is kept."""
    alive: list[int] = []

    class Token(list[str]):
        def __init__(self, *values: str) -> None:
            super().__init__(values)
            alive.append(1)

        def __del__(self) -> None:
            alive.pop()

    most = 0

    def sequences() -> Iterator[Iterator[Token]]:
        nonlocal most
        for n in range(50):
            most = max(most, len(alive))
            yield (Token(f"w={n + t}", "bias") for t in range(4))

    data = Dataset.from_lists(
        sequences(),
        (iter("XYXY") for _ in range(50)),
        weights=(1.0 + n for n in range(50)),
        allowed=([None, {"X", "Y"}, None, None] for _ in range(50)),
    )
    assert (data.n_sequences, data.n_tokens, data.labels) == (50, 200, ["X", "Y"])
    assert data.native.weighted
    assert most <= 4
    assert not alive


def test_sizes_and_what_is_known() -> None:
    data = Dataset.from_lists([[["a"], ["b"]], [], [["a"]]], [["X", None], [], ["Y"]])
    assert (data.n_sequences, data.n_tokens, data.n_features) == (3, 3, 4)
    assert not data.native.fully_labelled
    assert not data.native.weighted
    assert Dataset.from_lists([[["a"]]], [["X"]]).native.fully_labelled
    assert not Dataset.from_lists([[["a"]]]).native.fully_labelled


def broken() -> Iterator[list[str]]:
    yield ["new feature"]
    raise ZeroDivisionError


NEW = [["new feature"], ["another"]]


@pytest.mark.parametrize(
    ("sequence", "companions", "error"),
    [
        ([["new feature"], "word"], {"labels": ["X", "Y"]}, DataError),
        (NEW, {"labels": ["new label"]}, DataError),
        (NEW, {"labels": ["new label", 3]}, DataError),
        (NEW, {"labels": [{"new label", "other"}, set()]}, DataError),
        (NEW, {"labels": ["X", "Y", "new label"]}, DataError),
        (NEW, {"labels": ["X", "Y"], "weight": -1.0}, DataError),
        (NEW, {"labels": ["X", "Y"], "allowed": [None]}, DataError),
        (NEW, {"labels": ["X", "Y"], "allowed": ["new label", 3]}, DataError),
        ([{"new feature": 2.5}, {"a": float("nan")}], {"labels": ["X", "Y"]}, DataError),
        (broken(), {"labels": ["X", "Y"]}, ZeroDivisionError),
    ],
)
def test_after_an_error_the_data_is_as_before(sequence: Any, companions: Any, error: Any) -> None:
    data, same = Dataset(), Dataset()
    for each in (data, same):
        each.append([["a"], ["b"]], ["X", "Y"])
        each.append([["b"]], ["Y"])
    before = shown(data)
    with pytest.raises(error):
        data.append(sequence, **companions)
    assert shown(data) == before
    for each in (data, same):
        each.append([["b"], {"c": 0.5}], ["Y", "Z"], allowed=[None, {"Y", "Z"}], weight=2.0)
        each.append([["a"]], ["X"])
    assert shown(data) == shown(same)


def test_errors_name_the_sequence() -> None:
    data = Dataset.from_lists([[["a"]], [["b"]]], [["X"], ["Y"]])
    for weight, written in ((1e39, r"1e\+39"), (-2.5, "-2.5"), (float("nan"), "nan")):
        with pytest.raises(DataError, match=f"^sequence 3: has the weight {written}; give a num"):
            data.append([["a"]], ["X"], weight=weight)
    for value, written in ((1e39, r"1e\+39"), (-1e39, r"-1e\+39"), (float("inf"), "inf")):
        with pytest.raises(
            DataError, match=f"^sequence 3: token 2 has the value {written} for feature 'a'; give"
        ):
            data.append([["a"], {"a": value}], ["X", "Y"])
    with pytest.raises(DataError, match=r"^sequence 3: token 2 is a single string"):
        data.append([["a"], "b"], ["X", "Y"])
    with pytest.raises(DataError, match=r"^sequence 3: has 1 tokens but 2 labels"):
        data.append([["a"]], ["X", "Y"])
    with pytest.raises(DataError, match="there are more allowed than sequences: 1"):
        Dataset.from_lists([[["a"]]], [["X"]], allowed=[[None], [None]])


WORDS = [["a", "b", "c"], ["b"], ["c", "a"]]
TAGS = [["A", "B", "C"], ["B"], ["C", "A"]]
TEMPLATE = Template(column("word").lower.window(1), column("word").length & column("@place"))


def test_a_template_takes_corpora_and_tokens_part_by_part() -> None:
    corpus = Corpus.from_lists({"word": WORDS, "tag": TAGS})
    data = Dataset(TEMPLATE)
    for part in (corpus[:1], corpus[1:]):
        data.extend(part, part.lists("tag"))
    whole = Dataset.from_template(TEMPLATE, WORDS, iter(TAGS))
    assert repr(data) == repr(whole)
    assert data.native.feature_names() == whole.native.feature_names()
    taggers = [Tagger(c2=0.01).fit(d) for d in (data, whole)]
    taggers.append(Tagger(features=TEMPLATE, c2=0.01).fit(corpus))
    assert len({str(tagger.top_weights(5)) for tagger in taggers}) == 1


def test_a_tagger_trained_on_it_makes_the_features_itself() -> None:
    tagger = Tagger(c2=0.01).fit(Dataset.from_template(TEMPLATE, WORDS, TAGS))
    assert tagger.model_.template == TEMPLATE
    assert tagger.predict(WORDS) == TAGS
    assert tagger.predict(Corpus.from_lists({"word": WORDS})) == TAGS


def test_tokens_and_features_do_not_mix() -> None:
    with pytest.raises(DataError, match="with extend"):
        Dataset(TEMPLATE).append([["w=a"]], ["A"])
    with pytest.raises(DataError, match="no template"):
        Dataset().extend(WORDS, TAGS)


def test_what_runs_beside_the_tokens_fits_them() -> None:
    with pytest.raises(DataError, match="more labels than sequences: 3"):
        Dataset.from_template(TEMPLATE, WORDS, [*TAGS, ["A"]])
    with pytest.raises(DataError, match="more weights than sequences: 3"):
        Dataset.from_template(TEMPLATE, WORDS, TAGS, weights=[1, 1, 1, 1])
    with pytest.raises(DataError, match="sequence 3"):
        Dataset.from_template(TEMPLATE, WORDS, TAGS[:2])


@pytest.mark.parametrize("chosen", [[0, 1, 2, 3], [3, 1], [2, 2, 0], [1]])
def test_a_part_is_as_if_it_had_been_read_alone(chosen: list[int]) -> None:
    """Features and labels numbered by their first appearance there, with values, weights, sets of
    labels and what is allowed."""
    items: list[Any] = [*SEQUENCES, [["w=z"], ["w=a"]]]
    labels: list[Any] = [*LABELS, [{"O", "B-X"}, "Q"]]
    weights = [1.0, 2.5, 1.0, 0.5]
    allowed: list[Any] = [[None, None], [None, "O"], [None], [{"O", "B-X", "Q"}, None]]
    whole = Dataset.from_lists(items, labels, weights=weights, allowed=allowed)
    alone = Dataset.from_lists(
        [items[k] for k in chosen],
        [labels[k] for k in chosen],
        weights=[weights[k] for k in chosen],
        allowed=[allowed[k] for k in chosen],
    )
    assert shown(whole.select(chosen)) == shown(alone)
    assert whole.n_sequences == 4


def test_a_part_of_what_is_not_there_is_refused() -> None:
    data = Dataset.from_lists(SEQUENCES, LABELS)
    for wrong in (3, -1):
        with pytest.raises(DataError, match=f"no sequence {wrong}: there are 3"):
            data.select([0, wrong])


def test_indexed_data_can_be_tagged() -> None:
    """As if it were given as it was, features that the model does not know left out."""
    data = Dataset.from_lists(SEQUENCES, LABELS)
    tagger = Tagger(c2=0.1).fit(data.select([0, 2]))
    assert tagger.predict(data) == tagger.predict(SEQUENCES)
    np.testing.assert_array_equal(tagger.marginals(data), tagger.marginals(SEQUENCES))


def test_a_tagger_indexes_what_it_is_trained_on() -> None:
    corpus = Corpus.from_lists({"word": [["a", "b"], ["c"]], "x": [["A", "B"], ["A"]]})
    tagger = Tagger(c2=1.0)
    data = tagger.index(corpus)
    found = tagger.clone().fit(data)
    assert found.label_column_ == "x"
    assert found.reads_ == ("word",)
    assert found.predict(corpus) == tagger.clone().fit(corpus).predict(corpus)


@pytest.mark.parametrize(
    ("name", "numbers", "what"),
    [
        ("sequences", [0, 2, 4], "sequences"),
        ("sequences", [0, 4, 3], "sequences"),
        ("sequences", [1, 2, 3], "sequences"),
        ("sequences", [], "sequences"),
        ("gold", [0, -2], "labels"),
        ("gold", [0, -2, 2], "labels"),
        ("gold", [0, -3, 1], "labels"),
        ("allowed", [0], "labels"),
        ("allowed", [0, 0, 2], "labels"),
        ("weights", [1], "weights"),
        ("set_begin", [0, 3], "sets of labels"),
        ("set_label", [0, 2], "sets of labels"),
        ("tokens", [0, 1, 2, 4], "occurrences"),
        ("tokens", [0, 2, 1, 3], "occurrences"),
        ("ids", [0, 1, 3], "occurrences"),
        ("values", [1], "occurrences"),
        ("keys", [1, 0, 3], "names"),
        ("keys", [1, 2, 1], "names"),
        ("keys", [1, 2], "names"),
        ("name_offsets", [0, 1, 2, 4], "names"),
    ],
)
def test_a_damaged_copy_is_refused(name: str, numbers: list[int], what: str) -> None:
    data = Dataset()
    for token, label, weight in (("a", "X", 1.0), ("b", {"X", "Y"}, 2.0), ("c", "Y", 1.0)):
        data.append([[token]], [label], weight=weight)
    state = data.__getstate__()
    arrays, labels = state["native"]
    damaged = {**arrays, name: np.array(numbers, dtype=arrays[name].dtype)}
    again = Dataset.__new__(Dataset)
    again.__setstate__(state)
    assert shown(again) == shown(data)
    with pytest.raises(ValueError, match=f"^its {what} do not fit"):
        again.__setstate__({**state, "native": (damaged, labels)})
