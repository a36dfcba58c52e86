"""Simulated labelling: what an annotator who never errs would pay, by ways of being helped.

Costs are counted as the page would: the key that says that a document is done takes what is left of
its suggestions; a span that is added takes the place of those that it overlaps, whether that mends
an edge, a label or both; what is wrong and has nothing in its place is deleted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from dovetail.corpus import Corpus, spans
from dovetail.studio.annotation import (
    EMPTY,
    Annotation,
    Change,
    Document,
    Span,
    Suggestion,
    edit,
)
from dovetail.studio.learning.choose import (
    EVERY,
    MEASURES,
    Strategy,
    copy_groups,
    random_rank,
    without_copies,
)
from dovetail.studio.learning.learner import Learner
from dovetail.studio.learning.model import Model
from dovetail.studio.learning.partial import NOTHING
from dovetail.studio.learning.questions import Region, unsure_regions

if TYPE_CHECKING:
    from dovetail.pipeline.composition import Part

Triple = tuple[int, int, str]
GROWTH = 0.2  # of the documents so far are labelled before the next training, or one
CANDIDATES = 1500  # open documents of which the next are chosen
AROUND = 2  # tokens on either side of a question, read to answer it


class Cost(NamedTuple):
    """What somebody has done.

    ``actions`` are spans added or deleted and documents finished; ``singly`` are the same if each
    right suggestion has to be accepted by itself. ``keys`` are those pressed, ``read`` tokens read,
    ``asked`` tokens of questions without those around, ``spans`` those that are now known.
    """

    documents: int = 0
    actions: int = 0
    singly: int = 0
    keys: int = 0
    read: int = 0
    asked: int = 0
    spans: int = 0

    def plus(self, other: Cost) -> Cost:
        """Both together."""
        return Cost(*(a + b for a, b in zip(self, other, strict=True)))


@dataclass(frozen=True)
class Method:
    """A way of being helped: with suggestions or by hand, documents by a strategy, whole ones or
    questions about single places, with old taggers or without."""

    name: str
    suggestions: bool = True
    strategy: Strategy = "random"
    questions: bool = False
    old: bool = False


METHODS: Mapping[str, Method] = {
    method.name: method
    for method in (
        Method("by hand", suggestions=False),
        Method("suggestions"),
        Method("choice", strategy="least confidence"),
        Method("questions", strategy="least confidence", questions=True),
        Method("old taggers", strategy="least confidence", old=True),
    )
}


class Point(NamedTuple):
    """How far one is after some labelling: what it has cost, and the score on the test text."""

    cost: Cost
    f1: float


class Gold(NamedTuple):
    """Documents with their right spans."""

    documents: dict[int, Document]
    annotations: dict[int, Annotation]

    @classmethod
    def of(cls, corpus: Corpus, label: str, word: str = "word") -> Gold:
        """Each sequence of a corpus as a document."""
        documents, annotations = {}, {}
        rows = zip(corpus.lists(word), corpus.lists(label), strict=True)
        for number, (words, labels) in enumerate(rows):
            tokens = tuple(one or "_" for one in words)
            ends = list(accumulate(len(token) + 1 for token in tokens))
            offsets = tuple(
                (end - len(t) - 1, end - 1) for t, end in zip(tokens, ends, strict=True)
            )
            text = " ".join(tokens)
            where = ((0, len(tokens)), ((0, len(text)),))
            documents[number] = Document(number, str(number), text, tokens, offsets, *where)
            known = tuple(Span(*span) for span in spans(labels))
            annotations[number] = Annotation(known, done=True)
        return cls(documents, annotations)

    @property
    def labels(self) -> list[str]:
        """The types of spans, in order."""
        return sorted({span.label for one in self.annotations.values() for span in one.spans})


@dataclass
class Simulation:
    """An annotator at work on documents, one of whose labels are asked for after another.

    ``old`` are the old taggers, ``same`` says what their types mean, ``seed`` draws the documents.
    """

    gold: Gold
    test: Gold
    labels: Sequence[str]
    old: Mapping[str, Part] = field(default_factory=dict)
    same: Mapping[str, str] = field(default_factory=dict)
    seed: int = 0
    threads: int | None = None

    def run(self, method: Method, stop: Callable[[Point], bool]) -> Iterator[Point]:
        """Points of the way until ``stop`` or until every document is labelled."""
        learner = Learner(
            self.labels,
            old=self.old if method.old else {},
            same=self.same if method.old else {},
            threads=self.threads,
            seed=self.seed,
        )
        order = sorted(self.gold.documents, key=lambda k: random_rank(k, self.seed))
        groups = copy_groups(list(self.gold.documents.values()))
        order = without_copies(order, groups, ())
        known: dict[int, Annotation] = {}
        cost = Cost()
        model = learner.fit(self.gold.documents, known)
        while True:
            for k, said, paid in self._round(method, model, known, order):
                known[k] = said
                cost = cost.plus(paid)
            if learner.is_due(self.gold.documents, known):
                choice = learner.choose(self.gold.documents, known)
                if choice is not None:
                    learner.adopt(choice)
            model = learner.fit(self.gold.documents, known)
            point = Point(cost, f1_on(model, self.test))
            yield point
            if stop(point) or len(known) == len(order):
                return

    def _round(
        self, method: Method, model: Model, known: Mapping[int, Annotation], order: Sequence[int]
    ) -> Iterator[tuple[int, Annotation, Cost]]:
        """Documents that are labelled before the next training, what is then known of them, and
        what that costs."""
        if not known:
            yield order[0], *self._whole(order[0], model, method)
        elif method.questions:
            yield from self._questions(method.strategy, model, known, order)
        else:
            for k in self._chosen(method.strategy, model, known, order):
                yield k, *self._whole(k, model, method)

    def _chosen(
        self,
        strategy: Strategy,
        model: Model,
        known: Mapping[int, Annotation],
        order: Sequence[int],
    ) -> Sequence[int]:
        """The documents that are labelled next, every fifth of them drawn at random."""
        left = [k for k in order if k not in known]
        n = _step(len(known))
        if strategy not in MEASURES:
            return left[:n]
        drawn = left[: sum((len(known) + j) % EVERY == 0 for j in range(n))]
        rest = [k for k in left if k not in drawn][:CANDIDATES]
        scores = MEASURES[strategy](model.read([self.gold.documents[k] for k in rest]))
        best = sorted(range(len(rest)), key=lambda j: (-scores[j], rest[j]))
        return [*drawn, *(rest[j] for j in best[: n - len(drawn)])]

    def _whole(self, k: int, model: Model, method: Method) -> tuple[Annotation, Cost]:
        """A document is put right from its beginning to its end. After each action what is
        suggested in the rest agrees with all that is decided."""
        document, right = self.gold.documents[k], self.gold.annotations[k]
        n = len(document.tokens)
        cost = Cost(1, 1, 1, 1, n, n, len(right.spans))
        if not method.suggestions:
            return right, cost.plus(editing_cost((), _triples(right.spans)))
        found = model.read([document])
        decided, touched = EMPTY, 0
        while True:
            kept = _triples(decided.spans)
            suggested = _triples(found.given([decided]).suggestions(0))
            shown = [one for one in suggested if not any(_overlap(one, other) for other in kept)]
            wrong = first_mistake(shown, _triples(right.spans), kept)
            if wrong is None:
                return right, cost.plus(Cost(singly=len(right.spans) - touched))
            cost = cost.plus(editing_cost(*wrong))
            if wrong.right:
                touched += 1
                decided = edit(decided, Change(add=tuple(Span(*one) for one in wrong.right)))
            else:
                decided = edit(decided, Change(reject=tuple(Span(*one) for one in wrong.suggested)))

    def _questions(
        self,
        strategy: Strategy,
        model: Model,
        known: Mapping[int, Annotation],
        order: Sequence[int],
    ) -> Iterator[tuple[int, Annotation, Cost]]:
        """All places where the model is unsure in the documents that it is least sure of."""
        rest = [k for k in order if k not in known][:CANDIDATES]
        found = model.read([self.gold.documents[k] for k in rest])
        scores = MEASURES[strategy](found)
        best = sorted(range(len(rest)), key=lambda j: (-scores[j], rest[j]))
        chosen = [rest[j] for j in best[: _step(len(known))]]
        found = model.read([self.gold.documents[k] for k in chosen])
        for j, document in enumerate(found.documents):
            regions = unsure_regions(document, found.of_document(j), found.suggestions(j), EMPTY)
            yield chosen[j], *self._answers(document, regions)

    def _answers(self, document: Document, regions: Sequence[Region]) -> tuple[Annotation, Cost]:
        """What is known of a document when these places have been asked for."""
        right = self.gold.annotations[document.id].spans
        told: set[Span] = set()
        outside: list[Span] = []
        seen: set[int] = set()
        cost = Cost(documents=1)
        for region in regions:
            here = [s for s in right if s.start < region.end and region.start < s.end]
            outside += gaps(region, here)
            first = min([region.start, *(s.start for s in here)])
            end = max([region.end, *(s.end for s in here)])
            a, b = document.sequences[document.sequence_of(region.start)]
            seen.update(range(max(first - AROUND, a), min(end + AROUND, b)))
            suggested = [(s.start, s.end, s.label) for s in region.suggestions]
            new = [s for s in here if s not in told]
            told.update(here)
            paid = editing_cost(suggested, _triples(new))
            answered = Cost(actions=1, singly=1, keys=1, asked=end - first, spans=len(new))
            cost = cost.plus(answered).plus(paid)
        said = Annotation(tuple(sorted(told)), tuple(sorted(outside)))
        return said, cost.plus(Cost(read=len(seen)))


def _step(known: int) -> int:
    """How many documents are labelled between trainings."""
    return max(1, round(GROWTH * known))


def gaps(region: Region, known: Sequence[Span]) -> list[Span]:
    """The tokens of a region in which there is nothing, as rejected spans.

    >>> [(one.start, one.end) for one in gaps(Region(0, 5, (), 0.0), [Span(1, 3, "PER")])]
    [(0, 1), (3, 5)]
    """
    out = []
    place = region.start
    for span in sorted(known):
        if place < span.start:
            out.append(Span(place, span.start, NOTHING))
        place = max(place, span.end)
    if place < region.end:
        out.append(Span(place, region.end, NOTHING))
    return out


class Mistake(NamedTuple):
    """Suggested spans that are wrong, and the right one that takes their place, if there is one."""

    suggested: tuple[Triple, ...]
    right: tuple[Triple, ...]


def first_mistake(
    shown: Sequence[Triple], right: Sequence[Triple], decided: Sequence[Triple]
) -> Mistake | None:
    """What is wrong in a document where somebody who reads it first has to do something.

    >>> first_mistake([(0, 2, "PER"), (5, 6, "LOC")], [(0, 3, "PER")], [])
    Mistake(suggested=((0, 2, 'PER'),), right=((0, 3, 'PER'),))
    >>> first_mistake([(5, 6, "LOC")], [(0, 3, "PER")], [(0, 3, "PER")])
    Mistake(suggested=((5, 6, 'LOC'),), right=())
    """
    missing = sorted({*right} - {*shown} - {*decided})
    wrong = sorted({*shown} - {*right})
    spurious = [one for one in wrong if not any(_overlap(one, other) for other in missing)]
    if missing and (not spurious or missing[0] < spurious[0]):
        replaced = tuple(one for one in wrong if _overlap(one, missing[0]))
        return Mistake(replaced, (missing[0],))
    return Mistake((spurious[0],), ()) if spurious else None


def _overlap(one: Triple, other: Triple) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def editing_cost(suggested: Sequence[Triple], right: Sequence[Triple]) -> Cost:
    """What it takes to make right spans of suggested ones, beside the key that ends it.

    A span costs an action, and as many keys as it has tokens and one for its label; where only
    edges are wrong, a key a token, and where only the label is, one; each after one to get there.

    >>> editing_cost([(0, 2, "PER"), (5, 6, "LOC")], [(0, 3, "PER"), (8, 9, "ORG")])[1:4]
    (3, 3, 6)
    """
    kept = {*suggested} & {*right}
    wrong = [one for one in suggested if one not in kept]
    actions = keys = 0
    for start, end, label in right:
        if (start, end, label) in kept:
            continue
        ways = [end - start + 1]
        for a, b, kind in wrong:
            if a < end and start < b:
                moved = abs(a - start) + abs(b - end)
                ways.append(1 + moved + (kind != label))
        actions += 1
        keys += min(ways)
    new = [one for one in right if one not in kept]
    spurious = [one for one in wrong if not any(one[0] < b and a < one[1] for a, b, _ in new)]
    actions += len(spurious)
    keys += 2 * len(spurious)
    return Cost(actions=actions, singly=actions + len(kept), keys=keys)


def f1_on(model: Model, test: Gold) -> float:
    """The F1 of spans on the documents of a test text."""
    documents = list(test.documents.values())
    right = found = total = 0
    readings = model.read(documents)
    for k, document in enumerate(documents):
        own = {*_triples(test.annotations[document.id].spans)}
        shown = {*_triples(readings.best_spans(k))}
        right += len(own & shown)
        found += len(shown)
        total += len(own)
    return 2 * right / (found + total) if found + total else 0.0


def full_score(gold: Gold, test: Gold, labels: Sequence[str], threads: int | None = None) -> float:
    """The score of a model that all documents have trained, without old taggers."""
    learner = Learner(labels, threads=threads)
    return f1_on(learner.fit(gold.documents, gold.annotations), test)


def cost_to_reach(points: Sequence[Point], target: float) -> dict[str, float] | None:
    """What it costs until a score is first reached, between two points in proportion; None where it
    never is."""
    before = Point(Cost(), 0.0)
    for point in points:
        if point.f1 >= target:
            share = (target - before.f1) / (point.f1 - before.f1)
            names = Cost._fields
            pairs = zip(names, before.cost, point.cost, strict=True)
            return {name: a + share * (b - a) for name, a, b in pairs}
        before = point
    return None


def _triples(given: Sequence[Span | Suggestion]) -> list[Triple]:
    return [(span.start, span.end, span.label) for span in given]
