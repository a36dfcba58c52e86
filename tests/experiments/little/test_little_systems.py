"""Systems on a case with little text, made up: names below tell what is sought above."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dovetail import Corpus, DataError, Tagger
from dovetail.compare import Cell
from experiments.little import systems as little_systems
from experiments.little.case import LittleCase, OldTagger, halves, plain, retyped, some
from experiments.little.findings import CALIBRATED
from experiments.little.study import LittleStudy, suits
from experiments.little.systems import SYSTEMS, missing_packages

NAMES = [f"Name{k}" for k in range(40)]
WORDS = ["by"] * 20 + ["with", "from", "the", "a", "of"] * 4
SAME = {"PER": "person"}


def sentences(n: int, seed: int, type: str, old: bool = False) -> Corpus:
    """Random words; names are sought, in the new task only after "by"."""
    drawn = np.random.default_rng(seed)
    words = [[str(drawn.choice(NAMES + WORDS)) for _ in range(9)] for _ in range(n)]
    pairs = [zip(["", *own], own, strict=False) for own in words]
    labels = [
        [f"B-{type}" if w in NAMES and (old or before == "by") else "O" for before, w in own]
        for own in pairs
    ]
    return Corpus.from_lists({"word": words, "label": labels})


def made_up() -> LittleCase:
    text = sentences(80, 1, "PER", old=True)
    tagger = Tagger(c2=0.1, threads=1).fit(text, label="label")
    old = OldTagger("ner", tagger, "made up", lambda: text)
    parts = sentences(60, 2, "person"), sentences(50, 3, "person")
    return LittleCase("made up", lambda: parts, "data", old, SAME, n_tested=30)


CASE = made_up()
HERE = [name for name in SYSTEMS if name not in missing_packages(SYSTEMS)]


@pytest.mark.parametrize("system", HERE)
def test_every_system_is_measured(system: str) -> None:
    if system.startswith("tutorial"):
        pytest.importorskip("pycrfsuite")
    found = LittleStudy(CASE, system, 2, [50]).work(Cell(system, 0, 50))
    assert (found["n_train"], found["n_test"]) == (50, 30)
    assert found["overall"]["f1"] > 0.3
    assert ("calibration_error" in found) == (system in CALIBRATED)
    assert found["types"].keys() == {"person"}


def test_a_case_without_an_old_tagger_is_for_some_systems_only() -> None:
    alone = replace(CASE, old=None, same={})
    assert [system for system in SYSTEMS if suits(system, alone)] == [
        "none",
        "auto",
        "auto+words",
        "tutorial",
        "spacy",
    ]
    assert LittleStudy(alone, "auto", 1, [20]).work(Cell("auto", 0, 20))["n_train"] == 20
    with pytest.raises(DataError, match="no old tagger for made up"):
        little_systems.old_alone(alone, alone.pool)
    unlike = replace(CASE, same={})
    assert suits("tutorial+old", unlike)
    assert not suits("old", unlike)
    assert CASE.old is not None
    assert suits("auto+text", unlike)
    assert not suits("pooled", unlike)
    assert not any(
        suits(system, replace(CASE, old=replace(CASE.old, text=None)))
        for system in ("pooled", "auto+text")
    )


def test_text_without_a_span_can_be_learnt_from() -> None:
    bare = Corpus.from_lists(
        {"word": [["by", str(k)] for k in range(10)], "label": [["O", "O"]] * 10}
    )
    case = replace(CASE, read=lambda: (bare, CASE.test))
    for system in ("none", "auto", "tutorial", "pooled"):
        if system == "tutorial":
            pytest.importorskip("pycrfsuite")
        found = LittleStudy(case, system, 1, [10]).work(Cell(system, 0, 10))
        assert 0 <= found["overall"]["f1"] <= 1


def test_draws_are_the_same_for_all_and_nest() -> None:
    small, large = CASE.drawn(1, 10), CASE.drawn(1, 20)
    assert (len(small), len(large)) == (10, 20)
    known = {tuple(words) for words in large.lists("word")}
    assert all(tuple(words) in known for words in small.lists("word"))
    assert CASE.drawn(0, 10) != small
    assert CASE.drawn(1, 10) == small


def test_some_draws_and_sizes_are_enough() -> None:
    sizes = [10, 50, 300]

    def cells(system: str) -> set[tuple[int, int]]:
        study = LittleStudy(replace(CASE, largest=100), system, 5, sizes)
        return {(cell.split, cell.size) for cell in study.plan.cells}

    assert cells("none") == {(draw, size) for draw in range(5) for size in (10, 50)}
    assert cells("pooled") == {(draw, size) for draw in range(3) for size in (10, 50)}
    assert cells("spacy") == {(0, 50), (1, 50)}
    assert cells("old") == {(0, 10)}


def test_results_are_kept_until_what_they_depend_on_changes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("pycrfsuite")

    def fingerprints(case: LittleCase) -> dict[str, str]:
        systems = ("none", "auto", "tutorial", "old", "pooled")
        return {name: LittleStudy(case, name, 1, [10]).fingerprint for name in systems}

    def changed(before: dict[str, str], after: dict[str, str]) -> set[str]:
        return {name for name in before if before[name] != after[name]}

    first = fingerprints(CASE)
    assert len({*first.values()}) == len(first)
    assert changed(first, fingerprints(CASE)) == set()
    assert changed(first, fingerprints(replace(CASE, data_fingerprint="other data"))) == {*first}
    assert CASE.old is not None
    other = replace(CASE, old=replace(CASE.old, fingerprint="other"))
    assert changed(first, fingerprints(other)) == {"auto", "old", "pooled"}
    assert changed(first, fingerprints(replace(CASE, same={}))) == {"old", "pooled"}
    monkeypatch.setattr(little_systems, "code_fingerprint", lambda *_: "another")
    assert changed(first, fingerprints(CASE)) == {"auto"}
    monkeypatch.setattr(little_systems, "tagger_fingerprint", lambda: "another")
    assert changed(first, fingerprints(CASE)) == {"none", "auto", "pooled"}


def test_parts_are_plain_and_fixed() -> None:
    corpus = Corpus.from_lists({"word": [["a"], [], ["b"]], "label": [["O"], [], ["B-X"]]})
    documents = Corpus(corpus.columns, corpus.bounds, document_bounds=[0, 2, 3])
    bare = plain(documents)
    assert bare.document_bounds is None
    assert bare.lists("word") == [["a"], ["b"]]
    assert some(bare, 5) is bare
    text = sentences(20, 0, "X")
    assert some(text, 5) == some(text, 5)
    first, second = halves(text)
    assert (len(first), len(second)) == (10, 10)


def test_types_are_read_as_others() -> None:
    assert retyped([["B-A", "I-A", "B-B", "O"]], {"A": "x", "B": "x"}) == [
        ["B-x", "I-x", "B-x", "O"]
    ]
