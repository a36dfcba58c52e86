"""What little labelled text gives, by ways of learning from it.

none          our tagger with nothing set, from the new text alone
auto          a pipeline above the old tagger, decode="auto"; told which types are the same where
              their names do not say so
auto+text     the same, given the old text too
auto+words    auto with ready-made word classes (`brown-en`, learned from other text)
tutorial      the features and settings of sklearn-crfsuite's tutorial, by python-crfsuite
tutorial+old  the same, with the old tagger's labels as features
old           the old tagger as it is, its types read as the new ones of the same names
pooled        our tagger from the old text, types read likewise, and the new, each sequence as ten
spacy         spaCy's entity recogniser from scratch
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from time import perf_counter
from typing import Any, NamedTuple

from dovetail import Corpus, DataError, Pipeline, Tagger
from dovetail.corpus import spans
from dovetail.pipeline import names_agree
from dovetail.representation import Representation, ready_made
from experiments.common.code_fingerprint import code_fingerprint, tagger_fingerprint
from experiments.little import crfsuite_tutorial, spacy_entities
from experiments.little.case import LABEL, WORD, LittleCase, OldTagger, plain, retyped, some

TASK = "task"
WORDS = "brown"
LOOKUPS = "spacy-lookups-data"  # has the word classes
WEIGHT = 10.0  # of a new sequence, where an old one has 1
N_OLD = 3000  # old sequences, chosen at random
AUTO = ("pipeline/**/*.py", "evaluate/ratio.py")  # code that auto hangs on beside a tagger's
TABLES = ("representation/packages.py", "representation/word_table.py")


PredictedSpan = tuple[int, int, str, float]  # start, end, label, probability


class Answer(NamedTuple):
    """Labels of the test part, how long training took, and spans with their probabilities where a
    system has any."""

    labels: Sequence[Sequence[str | None]]
    seconds: float
    spans: Sequence[Sequence[PredictedSpan]] | None = None


class System(NamedTuple):
    """How a system is trained and asked, and what its results depend on beside the data."""

    answer: Callable[[LittleCase, Corpus], Answer]
    fingerprint: Callable[[], str]


def none(case: LittleCase, train: Corpus) -> Answer:
    """Our tagger with nothing set."""
    start = perf_counter()
    tagger = Tagger(threads=1).fit(train, label=LABEL)
    seconds = perf_counter() - start
    found = tagger.tag(case.test)
    return Answer(tagger.predict(case.test), seconds, [one.spans for one in found])


def auto(case: LittleCase, train: Corpus) -> Answer:
    """A pipeline above the old tagger, or of the task alone."""
    return _by_auto(case, train, {})


def auto_with_text(case: LittleCase, train: Corpus) -> Answer:
    """The same with the old tagger's text."""
    return _by_auto(case, train, {_old(case).name: plain(_old_text(case))})


def auto_with_words(case: LittleCase, train: Corpus) -> Answer:
    """Auto with classes that others learned from far more text, for the new tagger alone."""
    return _by_auto(case, train, {}, {WORDS: ready_made("brown-en")})


def _by_auto(
    case: LittleCase,
    train: Corpus,
    old_text: Mapping[str, Corpus],
    representations: Mapping[str, Representation] | None = None,
) -> Answer:
    same = _same_types(case, train)
    start = perf_counter()
    own = representations or {}
    pipeline = Pipeline({**own, **case.below, TASK: Tagger(threads=1)}, decode="auto", threads=1)
    pipeline.fit({TASK: train}, labels={TASK: LABEL}, same=same, old_text=old_text)
    seconds = perf_counter() - start
    text = case.test.without_column(LABEL)
    labels = pipeline.predict(text, decode="auto")[TASK]
    found = pipeline.tag(text, decode="auto")
    return Answer(labels, seconds, [one.layers[TASK].spans for one in found])


def by_tutorial(case: LittleCase, train: Corpus) -> Answer:
    """The tutorial's tagger."""
    start = perf_counter()
    tagger = crfsuite_tutorial.TutorialTagger().fit(_words(train), _labels(train))
    seconds = perf_counter() - start
    return Answer(tagger.predict(_words(case.test)), seconds)


def by_tutorial_and_old(case: LittleCase, train: Corpus) -> Answer:
    """The tutorial's tagger with the old one's labels."""
    old = _old(case).tagger
    start = perf_counter()
    tagger = crfsuite_tutorial.TutorialTagger()
    tagger.fit(_words(train), _labels(train), old.predict(_words(train)))
    seconds = perf_counter() - start
    return Answer(tagger.predict(_words(case.test), old.predict(_words(case.test))), seconds)


def old_alone(case: LittleCase, _: Corpus) -> Answer:
    """The old tagger as it is."""
    said = _old(case).tagger.predict(_words(case.test))
    return Answer(retyped(said, case.same), 0.0)


def pooled(case: LittleCase, train: Corpus) -> Answer:
    """Old and new text as one."""
    given = some(plain(_old_text(case)), N_OLD)
    given = given.with_column(LABEL, retyped(given.lists(LABEL), case.same))
    weights = [1.0] * len(given) + [WEIGHT] * len(train)
    start = perf_counter()
    tagger = Tagger(threads=1)
    tagger.fit(Corpus.concatenate([given, train]), label=LABEL, weights=weights)
    return Answer(tagger.predict(case.test), perf_counter() - start)


def by_spacy(case: LittleCase, train: Corpus) -> Answer:
    """spaCy's entity recogniser."""
    start = perf_counter()
    recogniser = spacy_entities.trained(_words(train), _labels(train))
    seconds = perf_counter() - start
    return Answer(spacy_entities.predicted(recogniser, _words(case.test)), seconds)


SYSTEMS: Mapping[str, System] = {
    "none": System(none, lambda: tagger_fingerprint()),
    "auto": System(auto, lambda: tagger_fingerprint() + code_fingerprint(*AUTO)),
    "auto+text": System(auto_with_text, lambda: tagger_fingerprint() + code_fingerprint(*AUTO)),
    "auto+words": System(
        auto_with_words,
        lambda: tagger_fingerprint() + code_fingerprint(*AUTO, *TABLES) + package_version(LOOKUPS),
    ),
    "tutorial": System(by_tutorial, crfsuite_tutorial.tutorial_fingerprint),
    "tutorial+old": System(by_tutorial_and_old, crfsuite_tutorial.tutorial_fingerprint),
    "old": System(old_alone, str),
    "pooled": System(pooled, lambda: tagger_fingerprint() + repr((WEIGHT, N_OLD))),
    "spacy": System(by_spacy, spacy_entities.spacy_fingerprint),
}


def missing_packages(systems: Iterable[str]) -> dict[str, str]:
    """Systems that cannot be had here, and the extra that has what they need."""
    out = {}
    if "spacy" in systems and not spacy_entities.has_spacy():
        out["spacy"] = "spacy"
    if "auto+words" in systems and not package_version(LOOKUPS):
        out["auto+words"] = "words"
    return out


def package_version(name: str) -> str:
    """That of a package; empty where it is not installed."""
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def _old(case: LittleCase) -> OldTagger:
    if case.old is None:
        raise DataError(f"there is no old tagger for {case.name}")
    return case.old


def _old_text(case: LittleCase) -> Corpus:
    text = _old(case).text
    if text is None:
        raise DataError(f"the text of the old tagger is not at hand for {case.name}")
    return text()


def _same_types(case: LittleCase, train: Corpus) -> dict[str, str]:
    """What one has to know of the old types: those that mean new ones which their names do not
    tell, or not alone, or which the text does not show."""
    present = {span.label for labels in train.lists(LABEL) for span in spans(labels)}

    def is_open(old: str, new: str) -> bool:
        return [kind for kind in present if names_agree(old, kind)] != [new]

    return {a: b for a, b in case.same.items() if is_open(a, b)}


def _words(corpus: Corpus) -> list[list[str]]:
    return [[word or "" for word in own] for own in corpus.lists(WORD)]


def _labels(corpus: Corpus) -> list[Any]:
    return corpus.lists(LABEL)
