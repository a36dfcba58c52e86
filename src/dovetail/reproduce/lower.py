"""The taggers below: parts of speech and entities, trained once and kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from dovetail import Tagger, Template, __version__, column, load
from dovetail.compare import fingerprint
from dovetail.corpus import Corpus
from dovetail.features import Lexicon
from dovetail.features.sets import entities, parts_of_speech
from dovetail.reproduce.sources import Sources

TOLERANCE = 1e-2  # of the optimum; more changes hardly a label
Say = Callable[[str], None]


@dataclass(frozen=True)
class Lower:
    """The trained taggers ``pos`` and ``ner``, and a mark of all that they depend on."""

    taggers: dict[str, Tagger]
    mark: str


def lower_taggers(
    sources: Sources, kept: Path, *, threads: int | None = None, say: Say | None = None
) -> Lower:
    """The taggers from the folder where they are kept, or trained now.

    Both are trained on their own corpora alone. The second reads the first's labels.
    """
    pos = Tagger(features=parts_of_speech(), c2=0.5, tolerance=TOLERANCE, threads=threads)
    ner = Tagger(
        features=entity_features(sources.name_lists()),
        c2=1.0,
        tolerance=TOLERANCE,
        constraints="IOB2",
        threads=threads,
    )
    first_mark = _mark(pos, sources.tagged_journal, str(sources.n_sentences))
    first = _kept(pos, "pos", kept / f"pos-{first_mark}.dovetail", sources.parts_of_speech, say)

    def news() -> Corpus:
        corpus = sources.news()
        return corpus.with_column("pos", first.predict(corpus))

    mark = _mark(ner, sources.tagged_news, first_mark)
    second = _kept(ner, "ner", kept / f"ner-{mark}.dovetail", news, say)
    return Lower({"pos": first, "ner": second}, mark)


def entity_features(lists: dict[str, Lexicon]) -> Template:
    """Ready-made features for entities, and lists of names around the token."""
    lower = {kind: lexicon.lower() for kind, lexicon in lists.items()}
    found = [column("word").lower.lexicon(kind).window(1) for kind in lower]
    return Template(*entities("word", "pos").expressions, *found, lexicons=lower)


def _mark(tagger: Tagger, data: Path, other: str) -> str:
    """Of the settings of a tagger, its name lists and its data."""
    settings = {key: value for key, value in tagger.settings.items() if key != "threads"}
    lists = [repr(lexicon.spec()) for lexicon in settings["features"].lexicons.values()]
    told = [f"{key} = {value}" for key, value in sorted(settings.items())]
    return fingerprint(__version__, *told, *lists, data, other)[:12]


def _kept(
    tagger: Tagger, name: str, path: Path, data: Callable[[], Corpus], say: Say | None
) -> Tagger:
    if path.exists():
        return load(path, threads=tagger.settings["threads"])
    if say is not None:
        say(f"training the tagger '{name}'")
    tagger.fit(data(), label=name)
    tagger.save(path)
    return tagger
