"""Chunks by function (subjects, objects, times, places) in three treebanks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from dovetail import Corpus
from dovetail.corpus import read_conll

DATA = ("sinica-treebank", "zh-function-chunks", "treebank-sample", "conll2000")
LABEL = "chunk"


@dataclass(frozen=True)
class ChunkCorpus:
    """A labelled corpus, and text without labels: words and parts of speech alone."""

    labelled: Corpus
    unlabelled: Corpus
    files: tuple[Path, ...]


def _words_and_tags(corpus: Corpus) -> Corpus:
    return Corpus({name: corpus.column(name) for name in ("word", "pos")}, corpus.bounds)


def _read(path: Path, columns: Sequence[str]) -> Corpus:
    corpus = read_conll(path, columns=list(columns))
    return Corpus({n: corpus.column(n) for n in ("word", "pos", LABEL)}, corpus.bounds)


@cache
def sinica(folder: Path) -> ChunkCorpus:
    """The sample of the Sinica Treebank; unlabelled is its own text."""
    path = folder / "sinica-treebank" / "sinica_function_chunks.tsv.gz"
    corpus = _read(path, ("word", "simplified", "pos", LABEL))
    return ChunkCorpus(corpus, _words_and_tags(corpus), (path,))


@cache
def gsd(folder: Path) -> ChunkCorpus:
    """The Chinese GSD treebank, all three parts; unlabelled is its own text."""
    paths = [folder / "zh-function-chunks" / f"gsd_{p}.tsv.gz" for p in ("train", "dev", "test")]
    parts = [_read(path, ("word", "upos", "pos", LABEL)) for path in paths]
    corpus = Corpus.concatenate(parts)
    return ChunkCorpus(corpus, _words_and_tags(corpus), tuple(paths))


@cache
def journal(folder: Path) -> ChunkCorpus:
    """The sample of the Penn Treebank; unlabelled is other text of the Wall Street Journal."""
    path = folder / "treebank-sample" / "wsj_function_chunks.tsv.gz"
    other = folder / "conll2000" / "train.txt.gz"
    corpus = _read(path, ("word", "pos", LABEL))
    text = Corpus.concatenate(
        [_words_and_tags(corpus), _words_and_tags(_read(other, ("word", "pos", LABEL)))]
    )
    return ChunkCorpus(corpus, text, (path, other))


CORPORA: dict[str, Callable[[Path], ChunkCorpus]] = {
    "Sinica": sinica,
    "GSD": gsd,
    "Penn": journal,
}
