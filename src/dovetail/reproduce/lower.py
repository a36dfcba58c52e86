"""The taggers below: parts of speech and entities, trained once and kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
    size = str(sources.n_sentences)
    first, first_mark = kept_tagger(
        "pos", pos, sources.parts_of_speech, kept, (sources.tagged_journal, size), say
    )

    def news() -> Corpus:
        corpus = sources.news()
        return corpus.with_column("pos", first.predict(corpus))

    made_of = (sources.tagged_news, first_mark)
    second, mark = kept_tagger("ner", ner, news, kept, made_of, say)
    return Lower({"pos": first, "ner": second}, mark)


def entity_features(lists: dict[str, Lexicon]) -> Template:
    """Ready-made features for entities, and lists of names around the token."""
    lower = {kind: lexicon.lower() for kind, lexicon in lists.items()}
    found = [column("word").lower.lexicon(kind).window(1) for kind in lower]
    return Template(*entities("word", "pos").expressions, *found, lexicons=lower)


def kept_tagger(
    name: str,
    tagger: Tagger,
    data: Callable[[], Corpus],
    folder: Path,
    made_of: Sequence[Path | str],
    say: Say | None = None,
) -> tuple[Tagger, str]:
    """A tagger of that name from the folder where it is kept, or trained now on the data's column
    of that name; and a mark of its settings and of what the data is made of."""
    mark = _mark(tagger, made_of)
    path = folder / f"{name}-{mark}.dovetail"
    if path.exists():
        return load(path, threads=tagger.threads), mark
    if say is not None:
        say(f"training the tagger '{name}'")
    tagger.fit(data(), label=name)
    tagger.save(path)
    return tagger, mark


def _mark(tagger: Tagger, made_of: Sequence[Path | str]) -> str:
    """Of the settings of a tagger, its name lists and its data."""
    settings = {key: value for key, value in tagger.get_params().items() if key != "threads"}
    lists = [repr(lexicon.spec()) for lexicon in settings["features"].lexicons.values()]
    told = [f"{key} = {value}" for key, value in sorted(settings.items())]
    return fingerprint(__version__, *told, *lists, *made_of)[:12]
