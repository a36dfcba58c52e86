"""Cases of composition: a tagger of news below, weak or strong, and little or more text above it,
of the same domain or of another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from dovetail import Corpus, Tagger, Template, column
from dovetail.compare import fingerprint
from dovetail.corpus import read_conll
from dovetail.features.sets import entities, parts_of_speech
from experiments.common.auxiliary_taggers import TOLERANCE, CachedTagger, cached_tagger
from experiments.common.data_sets import DataSets
from experiments.common.experiment import Experiment, Say
from experiments.common.transfer_study import (
    LABEL,
    WEIGHED,
    TransferCase,
    TransferStudy,
    draws,
)
from experiments.readers.crossner import crossner_files, read_crossner

DATA = ("crossner", "seminars")
SYSTEMS = ("none", "cascade", "soft", "lattice", "joint", WEIGHED)
STRENGTHS = (100, 1_000, 14_000)  # sentences that the tagger below is trained on
UPPER = ("chunks", "politics", "ai", "mails")
QUICK, QUICK_STRENGTHS = UPPER[:3], STRENGTHS[:2]
SIZES = (20, 100)
TESTED = 400  # sentences, and a quarter as many mails
RESERVED = 4_000  # first sentences of the newspaper, for the tagger below


def case_names(quick: bool = False) -> tuple[str, ...]:
    """What is above taggers of which strength."""
    names, strengths = (QUICK, QUICK_STRENGTHS) if quick else (UPPER, STRENGTHS)
    return tuple(f"{name} above {strength}" for strength in strengths for name in names)


@dataclass(frozen=True)
class JointExperiment(Experiment):
    """All cases, or with ``quick`` those of short texts without the strongest tagger; their names
    begin with the domain, and end with the strength below. ``cases`` names some alone."""

    cases: tuple[str, ...] = ()

    def studies(self, threads: int | None, say: Say | None = None) -> dict[str, TransferStudy]:
        """The cases by name."""
        data_sets = DataSets(self.data)
        made: dict[str, Callable[[], TransferCase]] = {}
        wanted = self.cases or case_names(self.quick)
        for strength in STRENGTHS:
            if not any(name.endswith(f" {strength}") for name in wanted):
                continue
            below = partial(self._tagger, data_sets, strength, threads, say)
            pos, ner = below("pos"), below("ner")
            upper = {
                "chunks": partial(_chunks, data_sets, pos, self.n_draws),
                "politics": partial(_crossner, self.data, "politics", ner, self.n_draws),
                "ai": partial(_crossner, self.data, "ai", ner, self.n_draws),
                "mails": partial(_mails, data_sets, ner, self.n_draws),
            }
            made |= {f"{name} above {strength}": make for name, make in upper.items()}
        return {name: TransferStudy(name, made[name], SYSTEMS) for name in wanted}

    def _tagger(
        self, data_sets: DataSets, n: int, threads: int | None, say: Say | None, name: str
    ) -> CachedTagger:
        tagger = Tagger(
            features=parts_of_speech() if name == "pos" else entities("word"),
            c2=0.5,
            tolerance=TOLERANCE,
            constraints=None if name == "pos" else "IOB2",
            threads=threads,
        )

        def read() -> Corpus:
            if name == "ner":
                return data_sets.news()[:n]
            return data_sets.parts_of_speech()[: min(n, RESERVED)]

        source = data_sets.tagged_journal if name == "pos" else data_sets.tagged_news
        return cached_tagger(name, tagger, read, self.out, [source, str(n)], say)


def _reading(features: Template, below: str) -> Template:
    """The features, the label below at the token, what the token is in conjunction with it, and
    transitions given it: eq. 7 of Sutton and McCallum."""
    word, lower = column("word"), column(below)
    pairs = [lower & word, lower & word.shape, lower & word.suffix(3)]
    return Template(
        *features.expressions,
        lower,
        *pairs,
        lower.on("transitions"),
        lexicons=features.lexicons,
    )


def _case(
    corpus: Corpus, n_train: int, below: str, tagger: CachedTagger, n_draws: int, *files: Path
) -> TransferCase:
    corpus = Corpus({n: corpus.column(n) for n in ("word", LABEL)}, corpus.bounds)
    features = entities("word")
    return TransferCase(
        corpus,
        draws(range(n_train), range(n_train, len(corpus)), n_draws),
        SIZES,
        {below: tagger.tagger},
        features,
        _reading(features, below),
        fingerprint(*files, tagger.fingerprint),
    )


def _chunks(data_sets: DataSets, below: CachedTagger, n_draws: int) -> TransferCase:
    """Chunks of the newspaper whose parts of speech are below: no other domain."""
    path = data_sets.tagged_journal
    corpus = read_conll(path, columns=["word", "pos", LABEL])
    train, test = corpus[RESERVED:-TESTED], corpus[-TESTED:]
    whole = Corpus.concatenate([train, test])
    return _case(whole, len(train), "pos", below, n_draws, path)


def _crossner(folder: Path, domain: str, below: CachedTagger, n_draws: int) -> TransferCase:
    """Entities of a domain: politics is near to news, artificial intelligence is not."""
    parts = read_crossner(folder / "crossner" / domain)
    train = Corpus.concatenate(parts[:2])
    whole = Corpus.concatenate([train, parts[2][:TESTED]])
    files = crossner_files(folder / "crossner" / domain)
    return _case(whole, len(train), "ner", below, n_draws, *files)


def _mails(data_sets: DataSets, below: CachedTagger, n_draws: int) -> TransferCase:
    """Fields of announcements, each mail a sequence."""
    corpus = data_sets.mails()
    mails = Corpus(
        {"word": corpus.column("word"), LABEL: corpus.column(corpus.names[-1])}, corpus.bounds
    )
    n = len(mails) - TESTED // 4
    return _case(mails, n, "ner", below, n_draws, data_sets.folder / "seminars" / "README.md")
