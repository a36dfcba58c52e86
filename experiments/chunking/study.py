"""One corpus of chunks: every system on every fold, and which true chunks it finds."""

from __future__ import annotations

from collections.abc import Hashable
from functools import lru_cache
from typing import Any

import numpy as np

from dovetail import ASO, Corpus, __version__
from dovetail.compare import Cell, Plan, Split, fingerprint
from dovetail.evaluate import evaluate, match_spans
from experiments.chunking import systems as chunk_systems
from experiments.chunking.support_vectors import SUPPORT_VECTORS
from experiments.chunking.systems import ON_STRUCTURE, Models
from experiments.common.code_fingerprint import module_fingerprint
from experiments.common.scores import plain_scores
from experiments.readers.function_chunks import LABEL, ChunkCorpus

N_FOLDS = 8
REFERENCE = "CRF"
TABLE_3 = ("linear", *(f"ASO {n}" for n in range(1, chunk_systems.N_PARTS + 1)))
BELOW = ("linear", "SVM", "ASO")
GOLD = tuple(f"CRF + {name}, gold" for name in BELOW)
CROSSED = (
    "CRF + linear, crossed",
    "CRF + linear, soft",
    "CRF + linear, soft around",
    "CRF + ASO, crossed",
    "CRF + ASO, soft",
    "CRF + ASO, soft around",
)
UNLABELLED = (ON_STRUCTURE, f"CRF + {ON_STRUCTURE}, crossed", "CRF + structure")
SYSTEMS = (*TABLE_3, *chunk_systems.PRINTED, "SVM", REFERENCE, *GOLD, *CROSSED, *UNLABELLED)
QUICK = ("linear", "ASO 7", "CRF", "CRF + ASO, gold", "CRF + ASO, crossed")


def blocks(n: int, n_folds: int) -> list[Split]:
    """Each of so many blocks of neighbours to test on, the others to train on: neighbouring
    sentences are of one text."""
    parts = np.array_split(np.arange(n), n_folds)
    return [
        Split(tuple(np.concatenate(parts[:k] + parts[k + 1 :]).tolist()), tuple(part.tolist()))
        for k, part in enumerate(parts)
    ]


class ChunkStudy:
    """Systems on blocks of a corpus; ``n_folds`` are worked on, of eight. ``n_sentences`` takes so
    many only."""

    def __init__(
        self,
        name: str,
        data: ChunkCorpus,
        n_folds: int,
        systems: tuple[str, ...] = SYSTEMS,
        n_sentences: int | None = None,
    ) -> None:
        self.name, self.n_folds, self.systems = name, n_folds, systems
        self.corpus = data.labelled[:n_sentences]
        self.unlabelled = data.unlabelled[:n_sentences]
        self.files = data.files
        self.splits = blocks(len(self.corpus), N_FOLDS)
        self._models = lru_cache(maxsize=1)(self._made)
        self._structured = lru_cache(maxsize=1)(
            lambda: chunk_systems.structure(self.unlabelled).annotate(self.corpus)
        )

    @property
    def plan(self) -> Plan:
        """Systems x folds; the size is that of the smallest training part, in sentences."""
        return Plan(self.systems, self.n_folds, [min(len(s.train) for s in self.splits)])

    @property
    def fingerprint(self) -> str:
        """Of all that results depend on."""
        own = vars(chunk_systems)
        names = (
            "N_PARTS",
            "FOLDS",
            "C2",
            "TOLERANCE",
            "MASKED",
            "DIRECTIONS",
            "LINEAR",
            "AROUND",
            "PRINTED",
        )
        settings = [SUPPORT_VECTORS, *(own[key] for key in names)]
        parts = (self.name, repr(settings), str(len(self.corpus)), module_fingerprint(ASO))
        return fingerprint(__version__, *parts, *self.files)

    def _made(self, fold: int) -> Models:
        split = self.splits[fold]

        def division(corpus: Corpus) -> chunk_systems.Division:
            return corpus.select(split.train), corpus.select(split.test)

        return Models(division(self.corpus), lambda: division(self._structured()))

    def shares(self, cell: Cell) -> Hashable:
        """Models are those of a split and size."""
        return cell.split, cell.size

    def work(self, cell: Cell) -> dict[str, Any]:
        """Train one system and test it."""
        models = self._models(cell.split)
        gold = models.test.lists(LABEL)
        predicted = models.predict(cell.system)
        report = evaluate(gold, predicted)
        bits = np.packbits(match_spans(gold, predicted)).tobytes().hex()
        return {
            "overall": plain_scores(report.micro),
            "types": {name: plain_scores(counts) for name, counts in report.labels.items()},
            "found": bits,
            "n_true": report.micro.support,
            "n_train": cell.size,
            "n_test": len(models.test),
        }
