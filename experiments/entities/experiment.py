"""Names and nominals of entities above a tagger of names in news, as in Sutton and McCallum (2005).

Their corpus, ACE, is licensed; LitBank and GUM stand in for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

from dovetail import Corpus, Lexicon
from dovetail.compare import Split, fingerprint, random_splits
from dovetail.features.sets import newswire
from experiments.common.auxiliary_taggers import NewsTaggers, load_news_taggers
from experiments.common.data_sets import DataSets
from experiments.common.experiment import Experiment, Say
from experiments.common.transfer_study import TransferCase, TransferStudy, draws
from experiments.readers.gum import read_gum
from experiments.readers.litbank import read_litbank

DATA = ("litbank", "gum")
SHARE = 0.1  # of the documents that there are to train on
TYPES = ("person", "organisation", "place")
LEVELS = ("name", "nominal")


class SplitCorpus(NamedTuple):
    """A corpus, how it is divided, how many documents to train on, and the files it is from."""

    corpus: Corpus
    splits: list[Split]
    size: int
    files: list[Path]


def novels(folder: Path, n_draws: int, n_documents: int | None = None) -> SplitCorpus:
    """LitBank: a tenth of the books to train on, the others to test on."""
    archive = folder / "litbank.tar.gz"
    corpus = read_litbank(archive, n_documents)
    splits = random_splits(_count(corpus), n_draws, train_share=SHARE)
    return SplitCorpus(corpus, splits, len(splits[0].train), [archive])


def genres(folder: Path, n_draws: int, n_documents: int | None = None) -> SplitCorpus:
    """GUM: a tenth of the documents of the training part, tested on the test part."""
    train, test = read_gum(folder, n_documents)
    n, n_test = _count(train), _count(test)
    splits = draws(range(n), range(n, n + n_test), n_draws)
    files = sorted(folder.glob("gum_*.conllu.gz"))
    return SplitCorpus(Corpus.concatenate([train, test]), splits, max(2, round(SHARE * n)), files)


def _count(corpus: Corpus) -> int:
    """How many documents there are."""
    assert corpus.document_bounds is not None
    return len(corpus.document_bounds) - 1


def _case(
    read: Callable[[], SplitCorpus], below: NewsTaggers, lists: Mapping[str, Lexicon]
) -> TransferCase:
    given = read()
    corpus = given.corpus.with_column("pos", below.taggers["pos"].predict(given.corpus))
    features = newswire("word", lists)
    return TransferCase(
        corpus,
        given.splits,
        [given.size],
        {"ner": below.taggers["ner"]},
        features,
        features.with_columns("ner", conjoined=True),
        fingerprint(*given.files, below.fingerprint),
    )


@dataclass(frozen=True)
class EntityExperiment(Experiment):
    """Both corpora; ``n_documents`` takes so many of each part only."""

    n_documents: int | None = None

    def studies(self, threads: int | None, say: Say | None = None) -> dict[str, TransferStudy]:
        """LitBank and GUM."""
        data_sets = DataSets(self.data, self.n_sentences)
        below = load_news_taggers(data_sets, self.out, threads=threads, say=say)
        lists = data_sets.name_lists()
        settings = (self.n_draws, self.n_documents)
        readers = {
            "LitBank": partial(novels, self.data / "litbank", *settings),
            "GUM": partial(genres, self.data / "gum", *settings),
        }
        return {
            name: TransferStudy(name, partial(_case, read, below, lists))
            for name, read in readers.items()
        }
