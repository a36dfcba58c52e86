"""The model of one layer, trained again after every change of its annotations.

Without old taggers it is a tagger on the words. Above old taggers it is what ``auto`` makes: a pool
of models, some of which read the old ones, with weights that are chosen by cross-validation. That
takes a dozen trainings, so the choice is made again only when the finished text has grown by a
quarter; in between, the taggers of the pool are trained again on all that is known, partial labels
too, and its weights stay.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dovetail.chain.tagger import Tagger
from dovetail.corpus import Corpus
from dovetail.corpus.sequences import sequence_keys
from dovetail.features.sets import default
from dovetail.pipeline.layers.annotator import LayerAnnotator
from dovetail.pipeline.layers.layer import make_layers
from dovetail.pipeline.layers.log_tagger import LogTaggerLayer
from dovetail.pipeline.layers.mapped import Mapped
from dovetail.pipeline.layers.pool import Pool
from dovetail.pipeline.layers.recalibrated import Recalibrated
from dovetail.pipeline.layers.tagger import TaggerLayer
from dovetail.pipeline.pipeline import Pipeline
from dovetail.pipeline.train.auto.label_map import fit_label_map
from dovetail.studio.annotation import Annotation, Document
from dovetail.studio.learning.model import Model, Old
from dovetail.studio.learning.partial import Alternative, known_labels, label_names
from dovetail.studio.learning.refit import RefitTagger, Told
from dovetail.studio.learning.text import WORD, corpus_of

if TYPE_CHECKING:
    from dovetail.pipeline.composition import Part

GROWTH = 1.25  # of the finished sequences, after which a choice is made again
FIRST = 4  # finished sequences before the first choice
FINISH_FIRST = "finish a document first: spans alone do not tell what is none"


@dataclass(frozen=True)
class Choice:
    """A pool that ``auto`` has chosen, for which types, on how many finished sequences.

    ``scores`` are cross-validated ones of the pools that were compared, ``taken`` is the chosen.
    """

    annotator: Recalibrated
    types: tuple[str, ...]
    sequences: int
    scores: Mapping[str, float]
    taken: str


class Learner:
    """A model of one layer that follows its annotations.

    ``labels`` are the types of spans, ``columns`` what documents have that may be read, ``old``
    trained taggers of other tasks by name, of which ``same`` says what types mean which labels.
    """

    def __init__(
        self,
        labels: Sequence[str],
        *,
        task: str = "label",
        columns: Sequence[str] = (WORD,),
        old: Mapping[str, Part] | None = None,
        same: Mapping[str, str] | None = None,
        threads: int | None = None,
        seed: int = 0,
    ) -> None:
        self.labels = tuple(labels)
        self.task = task
        self.columns = tuple(columns)
        self.same = dict(same or {})
        self.threads = threads
        self.seed = seed
        layers = tuple(make_layers(dict(old), None)) if old else ()
        self.old = Old(layers, self.columns, threads)
        self.choice: Choice | None = None
        self.message = ""
        """Why nothing is learnt yet, or nothing."""
        self._members: list[RefitTagger] = []
        self._entered: dict[int, Annotation] = {}
        self._open: set[int] = set()  # documents of which some sequence has alternatives
        self._types: tuple[str, ...] = ()
        self._is_new = True  # the choice of a pool

    # Training

    def fit(
        self, documents: Mapping[int, Document], annotations: Mapping[int, Annotation]
    ) -> Model:
        """A model of all that is known; cheap where little has changed."""
        types = self._types_in(annotations)
        self.message = self._obstacle(types, annotations)
        if self.message:
            return Model(self._mapped(), self.old)
        if types != self._types or self._is_new:
            self._begin(types)
        told = {k: one for k, one in annotations.items() if k in documents}
        gone = [k for k in self._entered if k not in told]
        changed = [k for k, one in told.items() if k in self._open or self._entered.get(k) != one]
        self._put(gone, [documents[k] for k in changed], told)
        for member in self._members:
            member.fit()
        return Model(self._annotator(), self.old)

    def _types_in(self, annotations: Mapping[int, Annotation]) -> tuple[str, ...]:
        seen = {span.label for one in annotations.values() for span in one.spans}
        return tuple(label for label in self.labels if label in seen)

    def _obstacle(self, types: Sequence[str], annotations: Mapping[int, Annotation]) -> str:
        if not types:
            return "nothing is labelled yet"
        if not any(one.done for one in annotations.values()):
            return FINISH_FIRST
        return ""

    def _begin(self, types: tuple[str, ...]) -> None:
        """Forget what was entered: the types are others, or the taggers."""
        self._types, self._entered, self._open = types, {}, set()
        self._is_new = False
        if self.choice is not None and self.choice.types == types:
            layers = [one for one in _members_of(self.choice) if isinstance(one, TaggerLayer)]
            self._members = [_as_refit(layer) for layer in layers]
        else:
            self._members = []
        if not self._members:
            plain = Tagger(features=default(self.columns, spans=True), threads=self.threads)
            self._members = [RefitTagger(plain.get_params(deep=False))]

    def _put(
        self, gone: Sequence[int], changed: Sequence[Document], told: Mapping[int, Annotation]
    ) -> None:
        entered: dict[int, Told] = {k: Told(_nothing(), []) for k in gone}
        for k in gone:
            del self._entered[k]
            self._open.discard(k)
        text = self.old.read(changed) if changed else None
        place = 0
        for document in changed:
            assert text is not None
            known = known_labels(document, told[document.id], self._types)
            own = text.select(range(place, place + len(known)))
            place += len(known)
            entered[document.id] = Told(own, known)
            self._entered[document.id] = told[document.id]
            (self._open.add if _is_open(known) else self._open.discard)(document.id)
        for member in self._members:
            member.put(entered, {"label": self.task, "columns": [*self.columns, self.task]})

    # What it makes of the trained taggers

    def _annotator(self) -> LayerAnnotator:
        layers = [member.as_layer() for member in self._members]
        new = {label for layer in layers for label in layer.labels_}
        choice = self.choice
        if choice is None or choice.types != self._types or not new <= {*choice.annotator.labels_}:
            return layers[0]  # until there is a choice that knows all labels
        refitted = iter(layers)
        chosen = choice.annotator
        members = [
            next(refitted) if isinstance(one, TaggerLayer) else one for one in _members_of(choice)
        ]
        pool = _pool_of(chosen)
        own = Pool(members, pool.weights, pool.labels_)
        return Recalibrated(own, chosen.correction, chosen.span_threshold)

    def _mapped(self) -> LayerAnnotator | None:
        """The old taggers as they are, where the names of types say what they mean."""
        if not self.old.layers or not self.labels:
            return None
        names = label_names(self.labels)
        members = [
            Mapped(
                layer.name,
                fit_label_map(
                    [], layer.name, self.task, layer.labels, names, "IOB2", self._same_of(layer)
                ),
            )
            for layer in self.old.layers
        ]
        return members[0] if len(members) == 1 else Pool(members)

    def _same_of(self, layer: Any) -> dict[str, str]:
        types = {label.partition("-")[2] for label in layer.labels}
        return {a: b for a, b in self.same.items() if a in types and b in self.labels}

    # The choice of a pool

    def is_due(self, documents: Mapping[int, Document], done: Mapping[int, Annotation]) -> bool:
        """Whether a pool should be chosen anew: there are old taggers, and the finished text has
        grown by a quarter since, or has other types."""
        if not self.old.layers:
            return False
        count = sum(len(documents[k].bounds) - 1 for k, one in done.items() if one.done)
        types = self._types_in({k: one for k, one in done.items() if one.done})
        if count < FIRST or not types:
            return False
        last = self.choice
        return last is None or last.types != types or count >= GROWTH * last.sequences

    def choose(
        self, documents: Mapping[int, Document], annotations: Mapping[int, Annotation]
    ) -> Choice | None:
        """A pool by ``auto`` on the finished documents; it changes nothing here, so that it can be
        made beside other trainings. None where there is too little text."""
        done = {k: one for k, one in sorted(annotations.items()) if one.done}
        types = self._types_in(done)
        texts = [documents[k] for k in done]
        rows = [
            alternatives[0]
            for document in texts
            for alternatives in known_labels(document, done[document.id], types)
        ]
        corpus = corpus_of(texts, self.columns).with_column(self.task, rows)  # type: ignore[arg-type]
        if not types or len({*sequence_keys(corpus)}) < 2:
            return None
        parts: dict[str, Any] = {layer.name: layer.annotator for layer in self.old.layers}
        tagger = Tagger(
            features=default(self.columns, spans=True),
            constraints="IOB2",
            tolerance=1e-2,
            threads=self.threads,
        )
        pipeline = Pipeline({**parts, self.task: tagger}, decode="auto", threads=self.threads)
        known = {label.partition("-")[2] for one in self.old.layers for label in one.labels}
        same = {a: b for a, b in self.same.items() if a in known and b in types}
        pipeline.fit({self.task: corpus}, labels={self.task: self.task}, same=same, seed=self.seed)
        facts = pipeline.training_[self.task]
        annotator = pipeline.layers[-1].annotator
        assert isinstance(annotator, Recalibrated)
        return Choice(annotator, types, len(corpus), facts["candidates"], facts["selected"])

    def adopt(self, choice: Choice) -> None:
        """Use a pool from the next training on."""
        self.choice = choice
        self._is_new = True


def _members_of(choice: Choice) -> Sequence[LayerAnnotator]:
    return _pool_of(choice.annotator).members


def _pool_of(annotator: Recalibrated) -> Pool:
    pool = annotator.annotator
    assert isinstance(pool, Pool)
    return pool


def _as_refit(layer: TaggerLayer) -> RefitTagger:
    logs = layer.columns if isinstance(layer, LogTaggerLayer) else ()
    settings = layer.tagger.get_params(deep=False)
    settings["features"] = layer.tagger.template_
    return RefitTagger(settings, logs, start=layer.tagger)


def _is_open(known: Sequence[Sequence[Alternative]]) -> bool:
    return any(len(rows) > 1 for rows in known)


def _nothing() -> Corpus:
    return Corpus({}, [0])
