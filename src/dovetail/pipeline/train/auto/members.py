"""The members of a pool by ``auto``, each trained on all of the text and on all but each part."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from math import sqrt
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dovetail.chain.cross_validation import Job, train_on_parts
from dovetail.chain.groups import FeatureGroup
from dovetail.chain.tagger import Tagger
from dovetail.corpus import Corpus, Scheme, detect_scheme
from dovetail.corpus.labels import split_label
from dovetail.corpus.sequences import assign_folds, sequence_keys
from dovetail.errors import DataError
from dovetail.features import Dataset, Template, column
from dovetail.pipeline.decode.single import missing
from dovetail.pipeline.layers.annotator import LayerAnnotator
from dovetail.pipeline.layers.layer import Layer
from dovetail.pipeline.layers.log_tagger import LogTaggerLayer, with_logarithms
from dovetail.pipeline.layers.mapped import OUTSIDE, LabelMap, Mapped, types_of
from dovetail.pipeline.layers.mapped_spans import MappedSpans, can_map_spans
from dovetail.pipeline.layers.tagger import TaggerLayer
from dovetail.pipeline.train.auto.label_map import fit_label_map, types_agree
from dovetail.pipeline.train.auto.old_text import (
    AGREEMENT,
    pool_text,
    sample_text,
    translate_labels,
)
from dovetail.pipeline.train.held_out import HeldOut
from dovetail.pipeline.train.layerwise import LayerwiseTraining, TrainedOn

Ints = npt.NDArray[np.int64]

WINDOW = 1  # how far around a token probabilities of lower labels are read
PRIOR = sqrt(10)  # of their features: a tenth of the penalty
ROUGH = 1e-2  # tolerance where only choices and a few numbers depend on it
ALONE, READING, MAPPED, MAPPED_SPANS = "alone", "reading", "mapped", "mapped spans"
POOLED = "pooled"
AT_MOST_PARTS = 5  # that a tagger which also learns from old text is cross-fitted on
FEW = 20  # sequences up to which there are twice as many parts: each model should see most of them


@dataclass(frozen=True)
class Member:
    """A model of the last task, and its scores of parts of the training text that it was not
    trained on; none where the training was interrupted before these."""

    kind: str
    annotator: LayerAnnotator
    parts: Sequence[HeldOut]
    agrees: bool = False  # spans of a tagger below, some of whose types are known to be new ones
    learned_here: bool = False  # labels of a tagger below that was trained on the same text


def fit_members(
    training: LayerwiseTraining, layer: Layer, corpus: Corpus, label: str, members: list[Member]
) -> None:
    """Models from which the annotator is made that takes the place of a tagger, added one by one:
    what is there when the training is interrupted can be used."""
    if not isinstance(layer.annotator, TaggerLayer):
        raise DataError(f"'{layer.name}' is no Tagger, so it cannot be trained here")
    below = training.below(layer) or list(training.layers[: training.layers.index(layer)])
    names = [lower.name for lower in below]
    filled = _select_labelled(training.annotate(corpus, below), label)
    training.choose_features(layer, filled, label)
    training.choose_representation_value(layer, filled, label)
    settings = layer.annotator.settings
    if not isinstance(settings["features"], Template):
        raise DataError("auto needs features by a template, not by a function of your own")
    n_texts = len({*sequence_keys(filled)})
    if n_texts < 2:
        raise DataError(
            "auto needs at least two different sequences with labels to choose on; give more text"
        )
    folds = training.folds * (2 if n_texts <= FEW else 1)
    numbers = assign_folds(filled, min(folds, n_texts), training.seed)
    parts = [np.flatnonzero(numbers == part) for part in range(int(numbers.max()) + 1)]

    empty = filled
    for name in names:
        empty = empty.with_column(name, missing(filled))
    fitting = _Fitting(training, layer.name, filled, label, parts, settings["tolerance"], members)
    old = [label for lower in below for label in lower.labels]
    _check_same(training.same, old, filled.column(label).levels)
    alone = _without_lower(settings, names)
    fitting.fit_tagger(ALONE, alone, empty, ())
    scheme = detect_scheme(filled.lists(label))
    seen = members[0].annotator.labels_
    labels = with_types(seen, training.same.values(), scheme)
    unseen = [kind for kind in types_of(labels) if kind not in types_of(seen)]
    if unseen:
        training.notes.append(
            f"{layer.name}: the labelled text has no {' and no '.join(unseen)}; "
            "what is found of it, if anything, comes from the tasks below"
        )
    if names:
        fitting.fit_tagger(READING, _with_lower(settings, names), filled, names)
        maps = [
            fitting.fit_maps(lower, labels, learned_here=training.shares_text(lower, filled))
            for lower in below
        ]
        for lower, label_map in zip(below, maps, strict=True):
            text = training.text_of(lower)
            if text is not None:
                fitting.fit_pooled(alone, lower.name, text, label_map)


def _check_same(same: Mapping[str, str], old: Sequence[str], new: Sequence[str]) -> None:
    """Types below that mean others must be there, and what they mean must be types too."""
    known = [kind for kind in types_of(old) if kind != OUTSIDE]
    for kind, meant in same.items():
        if kind not in known:
            raise DataError(
                f"same names the type '{kind}', but the types of the tasks below are "
                f"{', '.join(known) or 'none'}"
            )
        if not isinstance(meant, str) or not meant:
            raise DataError(f"same says that '{kind}' means {meant!r}; give the name of a type")
        if meant in new and meant not in types_of(new):
            raise DataError(
                f"same says that '{kind}' means '{meant}', which is a label; give its type, such "
                f"as '{split_label(meant)[1]}'"
            )


def with_types(labels: Sequence[str], types: Iterable[str], scheme: Scheme) -> tuple[str, ...]:
    """Labels, and those of types that are known to be wanted though no text has shown them.

    >>> with_types(["O", "B-person"], ["person", "place"], "IOB2")
    ('O', 'B-person', 'B-place', 'I-place')
    """
    seen = types_of(labels)
    new = [kind for kind in dict.fromkeys(types) if kind not in seen]
    if scheme == "none":
        return (*labels, *new)
    letters = "BI"
    if scheme == "IOBES":
        letters = "BILU" if any(label[0] in "LU" for label in labels) else "BIES"
    return (*labels, *(f"{letter}-{kind}" for kind in new for letter in letters))


def _select_labelled(corpus: Corpus, label: str) -> Corpus:
    """The sequences in which some label is known: from others nothing is learnt here."""
    known = corpus.column(label).codes >= 0
    counts = np.diff(np.concatenate([[0], np.cumsum(known)])[corpus.bounds])
    return corpus if counts.all() else corpus.select(np.flatnonzero(counts))


class _IndexedText(NamedTuple):
    """Indexed text to train on, of which sequence of the new text each of its sequences is (-1 for
    others), and the new text as models read it; each group of its parts is left out by a model."""

    dataset: Dataset
    owners: Ints
    groups: Sequence[Sequence[int]]
    corpus: Corpus


@dataclass(frozen=True)
class _Fitting:
    """The training of members on the same parts of the same text."""

    training: LayerwiseTraining
    task: str
    corpus: Corpus
    label: str
    parts: Sequence[Any]
    tolerance: float
    members: list[Member]

    def fit_tagger(
        self, kind: str, settings: dict[str, Any], corpus: Corpus, names: Sequence[str]
    ) -> None:
        """A tagger that reads the logarithms of some columns.

        Models without a part do not begin with the weights of the whole: within a rough tolerance
        these still know what they have seen of that part.
        """
        text = Tagger(**settings).index(with_logarithms(corpus, names), label=self.label)

        def as_layer(tagger: Tagger) -> TaggerLayer:
            return LogTaggerLayer(tagger, names) if names else TaggerLayer(tagger)

        own = Tagger(**settings).fit(text, callback=self.training.callback(self.task))
        whole = as_layer(own)
        self.members.append(Member(kind, whole, ()))
        whole.check_finished()
        rough = Tagger(**{**settings, "tolerance": max(ROUGH, self.tolerance)})
        whole.reads_guesses({})  # prepares its template, for all models without a part
        each = [[part] for part in range(len(self.parts))]
        indexed = _IndexedText(text, np.arange(text.n_sequences), each, corpus)
        held_out = self._cross_fit(rough, indexed, whole, as_layer, self.task)
        self.members[-1] = Member(kind, whole, held_out)

    def fit_pooled(
        self, settings: dict[str, Any], name: str, old: TrainedOn, label_map: LabelMap
    ) -> None:
        """A tagger that sees nothing of the tasks below, from the new text and the labelled text of
        one of them, where its columns and labels suit.

        The map of labels is the one from all of the new text, a few numbers in all.
        """
        read = list(settings["features"].columns)
        if absent := [column for column in read if column not in old.corpus.names]:
            self._note_unused(name, f"it has no column '{absent[0]}'")
            return
        new = _with_columns(self.corpus, [*read, self.label])
        some = sample_text(old.corpus, new, read, self.training.seed)
        if not len(some):  # both tasks learn from one text
            return
        labels, agreement = translate_labels(some.lists(old.label), label_map)
        if agreement < AGREEMENT:
            self._note_unused(name, "its types hardly agree with the new ones")
            return
        pooled = pool_text(_with_columns(some, read).with_column(self.label, labels), new)
        tagger = Tagger(**{**settings, "tolerance": max(ROUGH, self.tolerance)})
        text = tagger.index(pooled.corpus, label=self.label)
        title = f"{self.task}, with the text of {name}"
        own = tagger.clone().fit(text, callback=self.training.callback(title))
        whole = TaggerLayer(own)
        whole.check_finished()
        n = min(AT_MOST_PARTS, len(self.parts))
        groups = [list(range(k, len(self.parts), n)) for k in range(n)]
        indexed = _IndexedText(text, pooled.owners, groups, new)
        held_out = self._cross_fit(tagger, indexed, whole, TaggerLayer, title)
        self.members.append(Member(POOLED, whole, held_out))

    def _note_unused(self, name: str, why: str) -> None:
        note = f"{self.task}: the labelled text of '{name}' is not learnt from: {why}"
        self.training.notes.append(note)

    def _cross_fit(
        self,
        tagger: Tagger,
        text: _IndexedText,
        whole: TaggerLayer,
        as_layer: Callable[[Tagger], TaggerLayer],
        title: str,
    ) -> list[HeldOut]:
        """The scores of each part by models of the text without it."""
        labels = tuple(whole.labels_)

        def score(job: Job, model: Tagger) -> list[tuple[int, HeldOut]]:
            layer = as_layer(model)
            layer.share_template(whole)
            found = []
            for number in text.groups[job.part]:
                part = self.parts[number]
                scores = layer.potentials(text.corpus.select(part), {}).extended(labels)
                held_out = HeldOut(self.corpus.select(part), self.label, scores)
                found.append((number, held_out))
            return found

        n = len(text.groups)
        titles = [f"{title}, without part {k + 1} of {n}" for k in range(n)]
        jobs = [Job(tagger, k, self.training.callback(titles[k])) for k in range(n)]
        left_out = [np.concatenate([self.parts[k] for k in group]) for group in text.groups]
        rests = [np.flatnonzero(~np.isin(text.owners, own)) for own in left_out]
        cluster = self.training.cluster
        found = train_on_parts(text.dataset, rests, jobs, score, cluster=cluster)
        return [one for _, one in sorted(chain.from_iterable(found), key=itemgetter(0))]

    def fit_maps(self, lower: Layer, labels: tuple[str, ...], *, learned_here: bool) -> LabelMap:
        """A lower tagger through a map of its labels, by tokens and, where labels tell where spans
        begin, by spans."""
        texts = [self.corpus.select(part) for part in self.parts]
        scheme = detect_scheme(self.corpus.lists(self.label))

        def fit(some: Sequence[Corpus]) -> LabelMap:
            columns = lower.name, self.label
            return fit_label_map(some, *columns, lower.labels, labels, scheme, self.training.same)

        whole = fit(texts)
        rest = [fit(texts[:k] + texts[k + 1 :]) for k in range(len(texts))]
        kinds = {MAPPED: Mapped, MAPPED_SPANS: MappedSpans}
        if not can_map_spans(whole):
            del kinds[MAPPED_SPANS]
        for kind, way in kinds.items():
            scores = [
                way(lower.name, own).potentials(text, {})
                for own, text in zip(rest, texts, strict=True)
            ]
            held_out = [
                HeldOut(text, self.label, own) for text, own in zip(texts, scores, strict=True)
            ]
            same = self.training.same
            agrees = kind == MAPPED_SPANS and types_agree(lower.labels, labels, same)
            agrees = agrees and not learned_here
            annotator = way(lower.name, whole)
            self.members.append(Member(kind, annotator, held_out, agrees, learned_here))
        return whole


def _with_columns(corpus: Corpus, names: Sequence[str]) -> Corpus:
    """Some columns alone."""
    return Corpus({name: corpus.column(name) for name in names}, corpus.bounds)


def _without_lower(settings: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    template = settings["features"]
    kept = [e for e in template.expressions if not _reads(e, names)]
    return {**settings, "features": _like(template, kept)}


def _with_lower(settings: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    template = settings["features"]
    kept = [e for e in template.expressions if not _reads(e, names)]
    soft = [column(name).window(WINDOW) for name in names]
    groups = [
        FeatureGroup(f"{row.name}=*".replace("[", "[[]"), prior=PRIOR)
        for expression in soft
        for row in expression.rows
    ]
    own = {"features": _like(template, [*kept, *soft])}
    return {**settings, **own, "groups": [*settings["groups"], *groups]}


def _reads(expression: Any, names: Sequence[str]) -> bool:
    return any(part.attribute.column in names for row in expression.rows for part in row.parts)


def _like(template: Template, expressions: Sequence[Any]) -> Template:
    return Template(*expressions, lexicons=template.lexicons, tables=template.tables)
