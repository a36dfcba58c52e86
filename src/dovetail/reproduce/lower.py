"""The taggers below: parts of speech and entities, trained once and kept."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from dovetail import Tagger, Template, column, load
from dovetail.compare import fingerprint
from dovetail.corpus import Corpus
from dovetail.features import Lexicon
from dovetail.features.sets import entities, parts_of_speech
from dovetail.reproduce.sources import Sources

TOLERANCE = 1e-2  # of the optimum; more changes hardly a label
Say = Callable[[str], None]


def lower_taggers(
    sources: Sources, kept: Path, *, threads: int | None = None, say: Say | None = None
) -> dict[str, Tagger]:
    """The taggers ``pos`` and ``ner``, from the folder where they are kept, or trained now.

    Both are trained on their own corpora alone. The second reads the first's labels.
    """
    lists = sources.name_lists()
    pos = Tagger(features=parts_of_speech(), c2=0.5, tolerance=TOLERANCE, threads=threads)
    ner = Tagger(
        features=entity_features(lists),
        c2=1.0,
        tolerance=TOLERANCE,
        constraints="IOB2",
        threads=threads,
    )
    first = _kept(pos, "pos", kept, sources.parts_of_speech, threads, sources.n_sentences, say)

    def news() -> Corpus:
        corpus = sources.news()
        return corpus.with_column("pos", first.predict(corpus))

    return {"pos": first, "ner": _kept(ner, "ner", kept, news, threads, sources.n_sentences, say)}


def entity_features(lists: dict[str, Lexicon]) -> Template:
    """Ready-made features for entities, and lists of names around the token."""
    lower = {kind: lexicon.lower() for kind, lexicon in lists.items()}
    found = [column("word").lower.lexicon(kind).window(1) for kind in lower]
    return Template(*entities("word", "pos").expressions, *found, lexicons=lower)


def _kept(
    tagger: Tagger,
    name: str,
    folder: Path,
    data: Callable[[], Corpus],
    threads: int | None,
    n_sentences: int | None,
    say: Say | None,
) -> Tagger:
    settings = {key: value for key, value in tagger.settings.items() if key != "threads"}
    mark = fingerprint(
        *(f"{key} = {value}" for key, value in sorted(settings.items())), str(n_sentences)
    )[:12]
    path = folder / f"{name}-{mark}.dovetail"
    if path.exists():
        return load(path, threads=threads)
    if say is not None:
        say(f"training the tagger '{name}'")
    tagger.fit(data(), label=name)
    tagger.save(path)
    return tagger
