"""What the studio asks while somebody labels: suggestions, what is next, questions, progress.

A thread trains a new model after every change and then looks at what comes next; another one
chooses pools above old taggers, which takes longer. Nothing that is asked waits for either.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from threading import RLock
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

from dovetail.studio.annotation import EMPTY, Annotation, Document, Suggestion
from dovetail.studio.learning.background import Worker
from dovetail.studio.learning.choose import (
    MEASURES,
    Next,
    Strategy,
    choose_next,
    copy_groups,
    random_rank,
    texts_with_copies,
    without_copies,
)
from dovetail.studio.learning.learner import Learner
from dovetail.studio.learning.model import Model, Readings
from dovetail.studio.learning.progress import Trial, random_sample, report
from dovetail.studio.learning.questions import Question, questions_of
from dovetail.studio.learning.suspicious import Doubt, find_doubts
from dovetail.studio.learning.text import WORD

if TYPE_CHECKING:
    from dovetail.pipeline.composition import Part

TRAIN, OPEN, LOOK, COPIES = range(4)  # urgencies
LOOKED_AT = 1000  # open documents that are compared, of which there may be any number
AT_ONCE = 100  # of them
ASKED = 10  # documents that are looked at for a question
Listener = Callable[[Mapping[str, Any]], None]


class Suggested(NamedTuple):
    """What models of a version suggested in a document, beside what was decided there."""

    version: int
    decided: Mapping[str, Annotation]
    found: dict[str, tuple[Suggestion, ...]]


class Read(NamedTuple):
    """What models of a version made of a document, by layer."""

    document: int
    version: int
    readings: dict[str, Readings]


class Learning:
    """The models of all layers for one annotator.

    ``labels`` are the types of each layer, ``document`` gives a document by its number, ``ids``
    are all of them in order; the rest as for `Learner`. All methods may be called from any thread.
    """

    def __init__(
        self,
        labels: Mapping[str, Sequence[str]],
        document: Callable[[int], Document],
        ids: Sequence[int],
        *,
        old: Mapping[str, Part] | None = None,
        same: Mapping[str, str] | None = None,
        columns: Sequence[str] = (WORD,),
        threads: int | None = None,
        seed: int = 0,
    ) -> None:
        self._document = document
        self._ids = list(ids)
        self._settings: dict[str, Any] = {
            "old": old,
            "same": same,
            "columns": columns,
            "threads": threads,
            "seed": seed,
        }
        self._seed = seed
        self._lock = RLock()
        self._listener: Listener | None = None
        self._worker = Worker("suggestions", self._tell_failure)
        self._chooser = Worker("choice", self._tell_failure)
        self._annotations: dict[str, dict[int, Annotation]] = {}
        self._scores: dict[int, float] = {}
        self._strategy: Strategy = "least confidence"
        self._groups: dict[int, int] = {}
        self._first: dict[int, int] = {}  # of the near-copies of a document
        self.version = 0
        self._open: int | None = None
        self._set_labels(labels)

    def _set_labels(self, labels: Mapping[str, Sequence[str]]) -> None:
        self._learners = {
            name: Learner(own, task=name, **self._settings) for name, own in labels.items()
        }
        self._models = {name: Model(None, one.old) for name, one in self._learners.items()}
        self._cache: dict[int, Suggested] = {}
        self._last: Read | None = None
        self._scores = {}

    # Work in the background

    def start(self, listener: Listener) -> None:
        """Begin to learn; ``listener`` is called from the threads at work."""
        self._listener = listener
        self._worker.start()
        self._chooser.start()
        self._submit_training()
        self._chooser.submit("copies", COPIES, self._find_copies)

    def stop(self, timeout: float | None = None) -> bool:
        """Begin nothing else, and wait for what is at work; whether it ended in time."""
        return all([self._chooser.stop(timeout), self._worker.stop(timeout)])

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until nothing is left to learn or to look at."""
        return all(worker.wait(timeout) for worker in (self._worker, self._chooser, self._worker))

    def changed(self, annotations: Mapping[int, Mapping[str, Annotation]]) -> None:
        """Take annotations of documents, by layer, in place of what was known of these."""
        with self._lock:
            for number, layers in annotations.items():
                for name, annotation in layers.items():
                    self._annotations.setdefault(name, {})[number] = annotation
        self._submit_training()

    def relabelled(self, labels: Mapping[str, Sequence[str]]) -> None:
        """Learn other labels, from nothing."""
        with self._lock:
            self._set_labels(labels)
        self._submit_training()

    def extended(self, ids: Sequence[int]) -> None:
        """There are other documents now."""
        with self._lock:
            self._ids = list(ids)
        self._chooser.submit("copies", COPIES, self._find_copies)
        self._submit_look()

    def opened(self, number: int) -> None:
        """A document was opened: it is looked at before all others."""
        self._open = number
        self._worker.submit("open", OPEN, self._look_at_open)

    def _submit_training(self) -> None:
        self._worker.submit("train", TRAIN, self._train)

    def _train(self) -> None:
        start = perf_counter()
        self._tell(training=True)
        with self._lock:
            learners = dict(self._learners)
            known = {name: dict(self._annotations.get(name, {})) for name in learners}
        models = {}
        for name, learner in learners.items():
            documents = {k: self._document(k) for k in known[name]}
            models[name] = learner.fit(documents, known[name])
        with self._lock:
            if learners != self._learners:
                return  # the labels have changed meanwhile, and another training waits
            self._models = models
            self.version += 1
        self._look_at_open()
        self._tell(training=False, seconds=perf_counter() - start)
        self._submit_look()
        for name in learners:
            self._chooser.submit(name, TRAIN, lambda name=name: self._choose(name))  # type: ignore[misc]

    def _choose(self, name: str) -> None:
        with self._lock:
            learner = self._learners.get(name)
            known = dict(self._annotations.get(name, {}))
        if learner is None or not learner.old.layers:
            return
        documents = {k: self._document(k) for k in known}
        if not learner.is_due(documents, known):
            return
        choice = learner.choose(documents, known)
        if choice is None:
            return

        def adopt() -> None:
            learner.adopt(choice)
            self._submit_training()

        self._worker.submit(f"adopt {name}", TRAIN, adopt)

    def _find_copies(self) -> None:
        groups = copy_groups([self._document(k) for k in self._ids])
        texts = texts_with_copies(self._ids, groups, self._seed)
        with self._lock:
            self._groups = groups
            self._first = {k: text[0] for text in texts for k in text}

    def _submit_look(self) -> None:
        """Compare open documents, some at a time, so that a training need not wait."""
        with self._lock:
            rest = sorted(self._open_ids(), key=lambda k: random_rank(k, self._seed))[:LOOKED_AT]
        self._look_later(rest, {})

    def _look_later(self, rest: Sequence[int], found: dict[int, float]) -> None:
        def look() -> None:
            found.update(self._measure(rest[:AT_ONCE]))
            if len(rest) > AT_ONCE:
                self._look_later(rest[AT_ONCE:], found)
            else:
                with self._lock:
                    self._scores = found

        self._worker.submit("look", LOOK, look)

    def _measure(self, ids: Sequence[int]) -> dict[int, float]:
        measure = MEASURES.get(self._strategy)
        with self._lock:
            models = [model for model in self._models.values() if model.annotator is not None]
        if measure is None or not models or not ids:
            return {}
        documents = [self._document(k) for k in ids]
        each = sum(measure(model.read(documents)) for model in models)
        return dict(zip(ids, each.tolist(), strict=True))  # type: ignore[union-attr]

    def _look_at_open(self) -> None:
        number = self._open
        if number is not None:
            self.suggest(number)

    @property
    def message(self) -> str:
        """Why a layer has no model yet, or nothing."""
        return next((one.message for one in self._learners.values() if one.message), "")

    def _tell(self, **news: Any) -> None:
        if self._listener is not None:
            news = {"seconds": None, "message": self.message, **news}
            self._listener({"version": self.version, **news})

    def _tell_failure(self, error: Exception) -> None:
        self._tell(training=False, message=f"the model could not be trained: {error}")

    # What is asked

    def suggest(self, number: int) -> dict[str, tuple[Suggestion, ...]]:
        """What the newest models suggest in a document beside what is decided, by layer."""
        with self._lock:
            version, models = self.version, dict(self._models)
            annotations = {name: self._annotations.get(name, {}).get(number) for name in models}
            decided = {name: one or EMPTY for name, one in annotations.items()}
            known = self._cache.get(number)
            last = self._last
        if known is not None and known.version == version and known.decided == decided:
            return known.found
        if last is not None and (last.document, last.version) == (number, version):
            readings = last.readings  # only something else is decided now
        else:
            document = self._document(number)
            readings = {name: model.read([document]) for name, model in models.items()}
        found = {name: one.given([decided[name]]).suggestions(0) for name, one in readings.items()}
        with self._lock:
            self._last = Read(number, version, readings)
            self._cache = {k: v for k, v in self._cache.items() if v.version == version}
            self._cache[number] = Suggested(version, decided, found)
        return found

    def next(
        self, after: int | None = None, strategy: Strategy = "least confidence"
    ) -> Next | None:
        """The document to label next, other than ``after`` where there is another; None if all are
        done."""
        with self._lock:
            if strategy != self._strategy:
                self._strategy, self._scores = strategy, {}
                self._submit_look()
            open_ids, scores = self._open_ids(), dict(self._scores)
            groups, first = dict(self._groups), dict(self._first)
        left = set(open_ids)
        asked = [k for k in self._ids if k not in left]
        if strategy == "order" and after is not None:
            open_ids = [k for k in open_ids if k > after] or open_ids
        else:
            open_ids = [k for k in open_ids if k != after] or open_ids
        fresh = without_copies(open_ids, groups, asked) or open_ids
        return choose_next(fresh, scores, strategy, len(asked), first=first, seed=self._seed)

    def question(self, layer: str, skip: Collection[tuple[int, int, int]] = ()) -> Question | None:
        """The question about a single span of which most is to be learnt, but for those that are
        skipped (document, start, end)."""
        with self._lock:
            model = self._models[layer]
            known = dict(self._annotations.get(layer, {}))
            scores = dict(self._scores)
            candidates = [k for k in self._ids if not known.get(k, EMPTY).done]
        if model.annotator is None:
            return None
        candidates.sort(key=lambda k: (-scores.get(k, 0.0), random_rank(k, self._seed)))
        for first in range(0, min(len(candidates), LOOKED_AT), ASKED):
            numbers = candidates[first : first + ASKED]
            readings = model.read([self._document(k) for k in numbers])
            found = [
                one
                for j, k in enumerate(numbers)
                for one in questions_of(readings, j, known.get(k, EMPTY))
                if (k, one.start, one.end) not in skip
            ]
            if found:
                return max(found, key=lambda one: (one.entropy, -one.document, -one.start))
        return None

    def progress(
        self,
        layer: str,
        suggested: Mapping[int, tuple[int, Sequence[Suggestion]]],
        seconds: Mapping[int, float] | None = None,
    ) -> dict[str, Any]:
        """How far a layer is, as the page shows it. ``suggested`` has for each document how many
        were done when it was first shown and what was suggested then; ``seconds`` how long finished
        documents took."""
        with self._lock:
            known = {k: one for k, one in self._annotations.get(layer, {}).items() if one.done}
            groups, learner = dict(self._groups), self._learners[layer]
        texts = texts_with_copies(self._ids, groups, self._seed)
        sample = random_sample(texts, {*known}, self._seed)
        seen = [one for one in sample if all(k in suggested for k in one)]
        trials = [
            Trial(
                k,
                suggested[k][0],
                tuple(suggested[k][1]),
                frozenset((s.start, s.end, s.label) for s in known[k].spans),
                len(self._document(k).tokens),
            )
            for k in [min(one, key=lambda k: suggested[k][0]) for one in seen]
        ]
        out = report(trials, len(known), seconds or {}, seed=self._seed)
        out["gain"] = _gain(learner)
        out["model"] = {"version": self.version, "message": learner.message}
        return out

    def suspicious(self, layer: str) -> list[Doubt]:
        """Labels of finished documents that may be wrong; takes some trainings."""
        with self._lock:
            known = dict(self._annotations.get(layer, {}))
        documents = [self._document(k) for k, one in sorted(known.items()) if one.done]
        columns, threads = self._settings["columns"], self._settings["threads"]
        return find_doubts(documents, known, columns, seed=self._seed, threads=threads)

    def _open_ids(self) -> list[int]:
        each = [self._annotations.get(name, {}) for name in self._learners]
        return [k for k in self._ids if not all(own.get(k, EMPTY).done for own in each)]


def _gain(learner: Learner) -> dict[str, str] | None:
    """What the old taggers bring, by the cross-validation that chose how to use them."""
    choice = learner.choice
    if choice is None or "no transfer" not in choice.scores:
        return None
    alone, taken = choice.scores["no transfer"], choice.scores[choice.taken]
    sentence = (
        f"With the old taggers F1 is {100 * taken:.1f}, without them {100 * alone:.1f} "
        f"(cross-validated, when {choice.sequences:,} sequences were done)."
    )
    return {"sentence": sentence}
