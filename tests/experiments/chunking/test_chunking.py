"""Chunks: data in blocks, systems, what is told; some real data."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from dovetail import Corpus
from dovetail.compare import Cell
from experiments.chunking.experiment import ChunkExperiment
from experiments.chunking.report import ChunkReport
from experiments.chunking.study import SYSTEMS, UNLABELLED, ChunkStudy, blocks
from experiments.chunking.systems import PRINTED
from experiments.common.runner import run_experiment
from experiments.readers.function_chunks import CORPORA, LABEL, ChunkCorpus

TESTED = ("linear", "ASO 2", "printed 5", "CRF", "CRF + ASO, gold", "CRF + linear, crossed",
          "CRF + linear, soft", "CRF + ASO, soft")  # fmt: skip


def tiny(n: int = 40) -> ChunkCorpus:
    """Sentences of a subject, a verb and an object, some with a time."""
    rng = np.random.default_rng(0)
    words, tags, chunks = [], [], []
    for _ in range(n):
        subject, verb, other = (f"{kind}{rng.integers(6)}" for kind in ("n", "v", "n"))
        words.append(["the", subject, verb, "a", other, "."])
        tags.append(["D", "N", "V", "D", "N", "."])
        chunks.append(["B-SBJ", "I-SBJ", "O", "B-OBJ", "I-OBJ", "O"])
        if rng.random() < 0.5:
            words[-1][-1:] = ["today", "."]
            tags[-1][-1:] = ["A", "."]
            chunks[-1][-1:] = ["B-TMP", "O"]
    corpus = Corpus.from_lists({"word": words, "pos": tags, LABEL: chunks})
    return ChunkCorpus(corpus, corpus.without_column(LABEL), ())


def test_blocks_are_neighbours_and_test_every_sentence_once() -> None:
    found = blocks(20, 8)
    assert [unit for split in found for unit in split.test] == list(range(20))
    for split in found:
        assert list(split.test) == list(range(split.test[0], split.test[-1] + 1))
        assert sorted(split.train + split.test) == list(range(20))


def test_every_system_is_trained_tested_and_told(tmp_path: Path) -> None:
    study = ChunkStudy("Sinica", tiny(), 2, TESTED)
    results = []
    for cell in study.plan.cells:
        found = study.work(cell)
        assert found["overall"]["f1"] > 0.9
        place = {"system": cell.system, "split": cell.split, "size": cell.size, "seconds": 1.0}
        results.append({**place, **found})
    findings = ChunkReport({"Sinica": results}, tmp_path)
    rates = findings.coverage("Sinica")
    assert set(rates) == {"CRF", "CRF, linear"}
    assert rates["CRF, linear"] >= rates["CRF"] > 0.9
    console = Console(width=200, record=True)
    console.print(findings.for_terminal())
    shown = console.export_text()
    assert "93.04" in shown  # a published figure
    assert "Sinica: printed 5 scores the same as linear" in shown
    assert re.search(r"CRF \+ ASO, soft scores .* CRF \+ linear, soft.*; precision .*, rec", shown)
    paths = findings.write()
    assert [path.name for path in paths] == ["chunking.json", "sinica.html"]
    told = json.loads(paths[0].read_text())
    assert told["corpora"]["Sinica"]["summary"]["n_splits"] == 2


def test_columns_from_elsewhere_and_structure_are_systems_too() -> None:
    pytest.importorskip("sklearn")
    study = ChunkStudy("Penn", tiny(), 1)
    assert study.plan.systems == SYSTEMS
    around = ("CRF + ASO, soft around", "CRF + linear, soft around")
    for system in ("SVM", "CRF + SVM, crossed", *around, *UNLABELLED, *PRINTED):
        assert study.work(Cell(system, 0, study.plan.sizes[0]))["overall"]["f1"] > 0.9


@pytest.mark.parametrize("name", CORPORA)
def test_the_corpora_have_words_tags_and_chunks(name: str, shared_data: Path) -> None:
    found = CORPORA[name](shared_data)
    types = {label.partition("-")[2] for label in found.labelled.column(LABEL).levels}
    assert types == {"", "SBJ", "OBJ", "TMP", "LOC"}
    assert found.unlabelled.names == ("word", "pos")
    assert found.labelled.n_tokens > 90_000


def test_an_experiment_goes_on_where_it_stopped(shared_data: Path, tmp_path: Path) -> None:
    experiment = ChunkExperiment(shared_data, tmp_path, 1, quick=True, n_sentences=64)
    first, _ = run_experiment(experiment)
    again, _ = run_experiment(experiment)
    assert again == first
    assert len((tmp_path / "results.jsonl").read_text().splitlines()) == 5
