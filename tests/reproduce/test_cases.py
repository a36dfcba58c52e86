"""Cases of transfer, on made-up text in which names below tell what is sought above."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from dovetail import Corpus, Tagger, Template, column
from dovetail.compare import Cell, Progress
from dovetail.reproduce.cases import SYSTEMS, Case, CaseStudy, draws
from dovetail.reproduce.trials import Trial, run_trial

NAMES = [f"N{k}" for k in range(40)]
WORDS = ["by"] * 20 + ["with", "from", "the", "a", "of"] * 4


def sentences(n: int, seed: int, label: str, documents: bool = False) -> Corpus:
    """Random words; after "by" a name is sought."""
    drawn = np.random.default_rng(seed)
    words = [[str(drawn.choice(NAMES + WORDS)) for _ in range(9)] for _ in range(n)]
    pairs = [zip(["", *own], own, strict=False) for own in words]
    sought = [
        ["B-X" if w in NAMES and (label == "ner" or before == "by") else "O" for before, w in own]
        for own in pairs
    ]
    corpus = Corpus.from_lists({"word": words, label: sought})
    if not documents:
        return corpus
    return Corpus(corpus.columns, corpus.bounds, document_bounds=range(0, n + 1, 2))


def make_case(documents: bool = False) -> Case:
    token = Template(column("word").window(1))
    ner = Tagger(features=token, c2=0.1).fit(sentences(60, 1, "ner"), label="ner")
    corpus = sentences(60, 2, "label", documents)
    n = 30 if documents else 60
    pool, test = range(n // 2), range(n // 2, n)
    splits = draws(pool, test, 2)
    reading = token.reading("ner", conjoined=True)
    return Case(corpus, splits, [6, 12], {"ner": ner}, token, reading, "made up")


@dataclass(frozen=True)
class MadeUp(Trial):
    systems: tuple[str, ...] = SYSTEMS

    def studies(self, *_: object) -> dict[str, CaseStudy]:
        made = {"sentences": partial(make_case), "documents": partial(make_case, True)}
        return {name: CaseStudy(name, make, self.systems) for name, make in made.items()}


def test_all_systems_are_measured_and_transfer_helps() -> None:
    study = CaseStudy("made up", make_case)
    found = {system: study.work(Cell(system, 0, 12)) for system in SYSTEMS}
    assert {result["c2"] for result in found.values()} == {found["none"]["c2"]}
    assert [result["n_test"] for result in found.values()] == [30] * len(SYSTEMS)
    scores = {system: result["overall"]["f1"] for system, result in found.items()}
    assert scores["cascade"] > scores["none"]
    assert scores["auto"] > scores["none"]


def test_units_are_documents_where_there_are_any() -> None:
    case = make_case(documents=True)
    assert len(case.part([0, 3])) == 4
    assert case.part([3, 0]).lists("word")[2:] == case.corpus[6:8].lists("word")


def test_draws_share_their_test_part_and_differ() -> None:
    first, second = draws(range(10), range(10, 12), 2)
    assert first.test == second.test == (10, 11)
    assert sorted(first.train) == sorted(second.train) == list(range(10))
    assert first.train != second.train


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_results_are_kept_and_the_same_for_any_number_of_processes(tmp_path: Path) -> None:
    systems = ("none", "cascade", "joint")
    shown: list[Progress] = []
    trial = MadeUp(tmp_path / "one", tmp_path / "one", 2, systems=systems)
    results, notes = run_trial(trial, progress=lambda _, now: shown.append(now))
    assert notes == []
    assert {name: len(own) for name, own in results.items()} == dict.fromkeys(results, 3 * 2 * 2)
    assert [now.done for now in shown] == list(range(0, 24, 3))
    before = (tmp_path / "one" / "results.jsonl").read_bytes()
    assert run_trial(trial)[0] == results
    assert (tmp_path / "one" / "results.jsonl").read_bytes() == before
    other = MadeUp(tmp_path / "two", tmp_path / "two", 2, systems=systems)
    both, _ = run_trial(other, processes=2)
    for name, own in results.items():
        scores = [result["types"] for result in own]
        assert [result["types"] for result in both[name]] == scores
