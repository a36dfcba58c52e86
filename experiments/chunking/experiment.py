"""Chunks with auxiliary tasks and feature nets, after He and others (2009).

Chinese Treebank 5 is licensed; three public treebanks stand in for it.
"""

from __future__ import annotations

from dataclasses import dataclass

from experiments.chunking.study import N_FOLDS, QUICK, SYSTEMS, ChunkStudy
from experiments.common.experiment import Experiment, Say
from experiments.readers.function_chunks import CORPORA

QUICK_SENTENCES = 1200


@dataclass(frozen=True)
class ChunkExperiment(Experiment):
    """Three corpora, ``n_draws`` of eight folds; with ``quick`` a few systems on little text of
    one. ``corpora`` and ``systems`` name some alone."""

    corpora: tuple[str, ...] = ()
    systems: tuple[str, ...] = ()

    def studies(
        self,
        threads: int | None,  # noqa: ARG002 - nothing is trained beforehand
        say: Say | None = None,  # noqa: ARG002
    ) -> dict[str, ChunkStudy]:
        """A study for each corpus."""
        names = self.corpora or (list(CORPORA)[:1] if self.quick else list(CORPORA))
        systems = self.systems or (QUICK if self.quick else SYSTEMS)
        size = self.n_sentences or (QUICK_SENTENCES if self.quick else None)
        folds = min(self.n_draws, N_FOLDS)
        return {
            name: ChunkStudy(name, CORPORA[name](self.data), folds, systems, size) for name in names
        }
