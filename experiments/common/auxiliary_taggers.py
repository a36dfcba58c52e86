"""Auxiliary taggers of parts of speech and of entities in news, trained once and kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from dovetail import Corpus, Lexicon, Tagger, Template, __version__, column, load
from dovetail.compare import fingerprint
from dovetail.features.sets import entities, parts_of_speech
from experiments.common.data_sets import DataSets
from experiments.common.experiment import Say

TOLERANCE = 1e-2  # of the optimum; more changes hardly a label


class CachedTagger(NamedTuple):
    """A trained tagger, and a fingerprint of all that it depends on."""

    tagger: Tagger
    fingerprint: str


@dataclass(frozen=True)
class NewsTaggers:
    """The trained taggers ``pos`` and ``ner``, and a fingerprint of all that they depend on."""

    taggers: dict[str, Tagger]
    fingerprint: str


def load_news_taggers(
    data_sets: DataSets, kept: Path, *, threads: int | None = None, say: Say | None = None
) -> NewsTaggers:
    """The taggers from the folder where they are kept, or trained now.

    Both are trained on their own corpora alone. The second reads the first's labels.
    """
    pos = Tagger(features=parts_of_speech(), c2=0.5, tolerance=TOLERANCE, threads=threads)
    ner = Tagger(
        features=entity_features(data_sets.name_lists()),
        c2=1.0,
        tolerance=TOLERANCE,
        constraints="IOB2",
        threads=threads,
    )
    size = str(data_sets.n_sentences)
    pos_tagger, pos_fingerprint = cached_tagger(
        "pos", pos, data_sets.parts_of_speech, kept, (data_sets.tagged_journal, size), say
    )

    def news() -> Corpus:
        corpus = data_sets.news()
        return corpus.with_column("pos", pos_tagger.predict(corpus))

    made_of = (data_sets.tagged_news, pos_fingerprint)
    ner_tagger, digest = cached_tagger("ner", ner, news, kept, made_of, say)
    return NewsTaggers({"pos": pos_tagger, "ner": ner_tagger}, digest)


def entity_features(lists: dict[str, Lexicon]) -> Template:
    """Ready-made features for entities, and lists of names around the token."""
    lower = {kind: lexicon.lower() for kind, lexicon in lists.items()}
    found = [column("word").lower.lexicon(kind).window(1) for kind in lower]
    return Template(*entities("word", "pos").expressions, *found, lexicons=lower)


def cached_tagger(
    name: str,
    tagger: Tagger,
    data: Callable[[], Corpus],
    folder: Path,
    made_of: Sequence[Path | str],
    say: Say | None = None,
) -> CachedTagger:
    """A tagger of that name from the folder where it is kept, or trained now on the data's column
    of that name; and a fingerprint of its settings and of what the data is made of."""
    digest = _fingerprint(tagger, made_of)
    path = folder / f"{name}-{digest}.dovetail"
    if path.exists():
        return CachedTagger(load(path, threads=tagger.threads), digest)
    if say is not None:
        say(f"training the tagger '{name}'")
    tagger.fit(data(), label=name)
    tagger.save(path)
    return CachedTagger(tagger, digest)


def _fingerprint(tagger: Tagger, made_of: Sequence[Path | str]) -> str:
    """That of the settings of a tagger, its name lists and its data."""
    settings = {key: value for key, value in tagger.get_params().items() if key != "threads"}
    lists = [repr(lexicon.spec()) for lexicon in settings["features"].lexicons.values()]
    named = [f"{key} = {value}" for key, value in sorted(settings.items())]
    return fingerprint(__version__, *named, *lists, *made_of)[:12]
