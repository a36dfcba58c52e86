"""Labels that break their scheme, and labels that look like typing errors."""

from __future__ import annotations

from pathlib import Path

import pytest

from dovetail.corpus import read, spans
from dovetail.corpus.label_checks import find_doubtful_labels, find_malformed, make_legal

COMMON = {"O": 900, "B-LOC": 40, "I-LOC": 20, "B-ORG": 40, "I-ORG": 30, "B-PERSON": 9}


@pytest.mark.parametrize(
    ("label", "meant"),
    [
        ("o", "O"),
        ("0", "O"),
        ("I_ORG", "I-ORG"),
        ("b-LOC", "B-LOC"),
        ("B-LCO", "B-LOC"),
        ("I-loc", "I-LOC"),
        ("B-PERSO", "B-PERSON"),
        ("B-PESON", "B-PERSON"),
        ("B-PERRSON", "B-PERSON"),
        ("B-PERZON", "B-PERSON"),
        ("LOC", None),
    ],
)
def test_labels_that_are_nearly_right(label: str, meant: str | None) -> None:
    [doubt] = find_doubtful_labels({**COMMON, label: 1})
    assert (doubt.label, doubt.meant) == (label, meant)
    assert f"the label '{label}' (once)" in str(doubt)
    assert not find_doubtful_labels(COMMON)


@pytest.mark.parametrize(
    "counts",
    [
        {"NN": 50, "NNS": 20, "NNP": 20, "NNPS": 1, "VBD": 9, "VBN": 1, "O": 1},  # tags
        {"B-title.j": 20, "I-title.j": 30, "O": 9, "B-title.m": 1},
        {**COMMON, "B-LCO": 7},
        {**COMMON, "B-MISC": 1},
        {"StreetName": 90, "StreetNamePostType": 1, "PlaceName": 50},
        {},
    ],
)
def test_labels_that_are_rare_or_alike_but_right(counts: dict[str, int]) -> None:
    assert not find_doubtful_labels(counts)


def test_plain_labels_that_are_close() -> None:
    [doubt] = find_doubtful_labels({"StreetName": 90, "PlaceName": 50, "StreetNmae": 1})
    assert doubt.meant == "StreetName"


@pytest.mark.parametrize(
    ("good", "bad", "repaired", "scheme", "message"),
    [
        (["B-X", "I-X"], ["O", "I-X"], ["O", "B-X"], "IOB2", "I-X after O"),
        (["I-X", "B-X"], ["O", "B-X"], ["O", "I-X"], "IOB1", "B-X after O"),
        (["B-X", "E-X", "S-X"], ["B-X", "O"], ["S-X", "O"], "IOBES", "O after B-X"),
        (["S-X", "B-X", "E-X"], ["O", "B-X"], ["O", "S-X"], "IOBES", "B-X after O"),
    ],
)
def test_a_sequence_that_breaks_the_scheme_is_repaired(
    good: list[str], bad: list[str], repaired: list[str], scheme: str, message: str
) -> None:
    legal = make_legal([good, good, bad, good])
    assert legal.sequences == [good, good, repaired, good]
    assert (legal.scheme, legal.repaired) == (scheme, 1)
    assert (legal.first.sequence, str(legal.first)) == (3, message)
    assert spans(bad) == spans(repaired)


def test_where_a_scheme_is_broken() -> None:
    found = find_malformed([["O", "I-X"], ["B-X"], ["O", None, "I-X"], ["I-X"]], "IOB2")
    assert list(found) == [(1, 2, "I-X", "O"), (4, 1, "I-X", None)]


def test_what_is_legal_plain_or_unknown_stays() -> None:
    for lists in (
        [["DT", "NN"]],
        [["B-X", "o", "I-X"]],
        [["B-X", "I-X"], ["O"]],
        [["I-X", "B-X"]],
        [["S-X", "O"], ["B-X", "E-X"]],
        [["O"]],
        [],
    ):
        assert make_legal(lists).sequences == lists
        assert make_legal(lists).first is None
    unknown = [["B-X", "I-X"], ["O", None], [{"O", "B-X"}, "I-X"]]
    assert make_legal(unknown).sequences == unknown


def test_real_labels_as_they_come(shared_data: Path) -> None:
    corpus = read(shared_data / "conll2003" / "eng.train.gz", format="conll")
    given = corpus.lists("label")
    legal = make_legal(given)
    assert (legal.scheme, legal.repaired) == ("IOB1", 2)
    assert list(map(spans, given)) == list(map(spans, legal.sequences))
