"""Chunks as text, as JSON and as pages to look at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Group
from rich.table import Table
from rich.text import Text

from dovetail.compare import Result, Summary, summarize, write_report
from dovetail.compare.formatting import describe_difference, format_difference
from experiments.chunking import published_results as published
from experiments.chunking.study import REFERENCE
from experiments.chunking.systems import ON_STRUCTURE, PRINTED
from experiments.common.files import write_json
from experiments.common.tables import dense_table, percent2

DATA = {
    "Sinica": "Sinica Treebank sample; the unlabelled text is its own, test folds included",
    "GSD": "UD Chinese GSD, chunks by rule; the unlabelled text is its own, test folds included",
    "Penn": "Penn Treebank sample, English; the unlabelled text is CoNLL-2000 and its own",
}
STAND_IN = "a public stand-in for Chinese Treebank 5, on which the published figures were made"
HOW = "folds are blocks of neighbouring sentences; features of Table 1; CRF with c2 = 0.5"
GROUPS = ("linear", "SVM", "ASO 7")
TRAINED = {
    "gold": "the paper's protocol",
    "crossed": "cross-fitted",
    "soft": "soft, cross-fitted",
    "soft around": "soft, and by itself",
}


class ChunkReport:
    """All that is told of chunks."""

    def __init__(self, results: Mapping[str, Sequence[Result]], out: Path) -> None:
        self.results, self.out = results, out
        self.summaries = {
            name: summarize(own, reference=REFERENCE, unit="sentences")
            for name, own in results.items()
        }

    def coverage(self, corpus: str) -> dict[str, float]:
        """The information coverage rate of the CRF alone, and together with others (Table 5)."""
        found: dict[str, dict[int, tuple[Any, int]]] = {}
        for result in self.results[corpus]:
            bits = np.unpackbits(np.frombuffer(bytes.fromhex(result["found"]), np.uint8))
            true = (bits[: result["n_true"]].astype(bool), result["n_true"])
            found.setdefault(result["system"], {})[result["split"]] = true
        out = {}
        for name in (None, *GROUPS):
            if name is not None and name not in found:
                continue
            right = total = 0
            for split, (own, n) in found[REFERENCE].items():
                both = own if name is None else own | found[name][split][0]
                right, total = right + int(both.sum()), total + n
            title = REFERENCE if name is None else f"{REFERENCE}, {name}"
            out[title] = right / max(1, total)
        return out

    def sentences(self) -> list[str]:
        """What the numbers say of the paper's claims."""
        out = []
        for corpus, summary in self.summaries.items():
            for system, against in self._claims(summary):
                out.append(f"{corpus}: {self._difference(corpus, system, against)}")
            reductions = self.error_reductions(corpus)
            if reductions:
                told = ", ".join(f"{name} {100 * r:.1f} %" for name, r in reductions.items())
                paper = f"{published.ERROR_REDUCTION} % for CRF + ASO, gold"
                out.append(f"{corpus}: error of the CRF taken away (published: {paper}): {told}")
        return out

    def error_reductions(self, corpus: str) -> dict[str, float]:
        """The share of the CRF's error (1 - F1) that each combination takes away."""
        summary = self.summaries[corpus]
        alone = summary.f1(REFERENCE, summary.full_size)
        assert alone is not None
        found = {}
        for system in summary.systems:
            own = summary.f1(system, summary.full_size)
            if system.startswith(f"{REFERENCE} +") and own is not None:
                found[system] = (own.mean - alone.mean) / max(1 - alone.mean, 1e-9)
        return found

    def _claims(self, summary: Summary) -> Iterator[tuple[str, str]]:
        for system in summary.systems:
            if system in ("ASO 7", ON_STRUCTURE, *PRINTED) and "linear" in summary.systems:
                yield system, "linear"
            elif system.startswith(f"{REFERENCE} + ASO"):
                yield system, REFERENCE
                control = system.replace("ASO", "linear")
                if control in summary.systems:
                    yield system, control

    def _difference(self, corpus: str, system: str, against: str) -> str:
        summary = summarize(self.results[corpus], reference=against, unit="sentences")
        found = summary.difference(system, against, summary.full_size)
        assert found is not None
        here, there = (summary.score(name, summary.full_size) for name in (system, against))
        assert here is not None
        assert there is not None
        precision = format_difference(here.precision.mean - there.precision.mean)
        recall = format_difference(here.recall.mean - there.recall.mean)
        return f"{describe_difference(found)}; precision {precision}, recall {recall}"

    def to_dict(self) -> dict[str, Any]:
        """All numbers as plain values."""
        return {
            "published": {
                "table 3": published.AUXILIARY,
                "table 4": published.COMBINED,
                "table 5": published.COVERAGE,
            },
            "corpora": {
                name: {
                    "what": f"{DATA[name]}; {STAND_IN}; {HOW}",
                    "coverage": self.coverage(name),
                    "error_reductions": self.error_reductions(name),
                    "summary": summary.to_dict(),
                }
                for name, summary in self.summaries.items()
            },
            "findings": self.sentences(),
        }

    def write(self) -> list[Path]:
        """Write JSON and pages into the output folder; their paths."""
        paths = [self.out / "chunking.json"]
        write_json(paths[0], self.to_dict())
        for name, summary in self.summaries.items():
            paths.append(self.out / f"{name.lower()}.html")
            rates = self.coverage(name).items()
            facts = {
                "data": DATA[name],
                "stands for": STAND_IN,
                "how": HOW,
                "coverage": "; ".join(f"{group}: {percent2(rate)}" for group, rate in rates),
            }
            write_report(paths[-1], summary, title=f"Chunks in {name}", facts=facts)
        return paths

    def for_terminal(self) -> Group:
        """Tables, and what they say; print it with a rich console."""
        parts: list[Any] = []
        for name, summary in self.summaries.items():
            folds = f"{summary.n_splits} of 8 folds, {summary.full_size} sentences to train on"
            parts += [Text(f"{name}, {STAND_IN}", "bold"), Text(f"{DATA[name]}; {folds}")]
            parts += [_scores(summary), Text(), _coverage(self.coverage(name)), Text()]
        return Group(*parts, *(Text(f"- {sentence}") for sentence in self.sentences()))


def _scores(summary: Summary) -> Table:
    """Tables 3 and 4, and the extensions; published figures beside ours."""
    told = published.AUXILIARY | published.COMBINED
    table = dense_table("system", "P", "R", "F1", "published P", "R", "F1", "seconds")
    for system in summary.systems:
        score = summary.score(system, summary.full_size)
        assert score is not None
        own = [percent2(value.mean) for value in (score.precision, score.recall, score.f1)]
        figures = [f"{value:.2f}" for value in told.get(system, ())] or ["", "", ""]
        name, _, training = system.partition(", ")
        title = f"{name}, {TRAINED[training]}" if training else system
        table.add_row(title, *own, *figures, f"{score.seconds:.0f}")
    return table


def _coverage(found: Mapping[str, float]) -> Table:
    """Table 5."""
    table = dense_table("coverage of", "ICR", "published")
    for group, rate in found.items():
        table.add_row(group, percent2(rate), f"{published.COVERAGE[group]:.2f}")
    return table
