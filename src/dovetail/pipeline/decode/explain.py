"""Why joint decoding decides otherwise than the cascade."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dovetail.chain.contributions import contributions, differing
from dovetail.corpus import Corpus
from dovetail.pipeline.decode.single import Codes, known_labels
from dovetail.pipeline.layers.layer import Layer
from dovetail.pipeline.layers.pool import Pool
from dovetail.pipeline.layers.recalibrated import Recalibrated
from dovetail.pipeline.layers.tagger import TaggerLayer

if TYPE_CHECKING:
    from dovetail.pipeline.pipeline import Pipeline

Gains = defaultdict[tuple[int, str], float]


class Change(NamedTuple):
    """A label that the cascade gives, and the one that joint decoding gives instead."""

    token: int  # from 0
    word: str
    layer: str
    cascade: str
    joint: str


class Reason(NamedTuple):
    """A feature, or a move between labels, that is worth more (or less) in the joint answer."""

    token: int
    layer: str
    source: str
    gain: float


class PipelineExplanation(NamedTuple):
    """All changes of one sequence, and what speaks for and against them.

    ``gain`` is the score of the joint answer minus that of the cascade's, under the joint model;
    the gains of all reasons add up to it. Where decoding is exact, and no feature looks at a lower
    label elsewhere than at its token or the one before, it is never below 0.
    """

    changes: list[Change]
    reasons: list[Reason]
    gain: float

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return {
            "changes": [change._asdict() for change in self.changes],
            "reasons": [reason._asdict() for reason in self.reasons],
            "gain": self.gain,
        }

    def __str__(self) -> str:
        if not self.changes:
            return "joint decoding and the cascade agree"
        lines = [
            f"{c.token + 1}. {c.word}: {c.layer} {c.joint} rather than {c.cascade}"
            for c in self.changes
        ]
        lines.append(f"because, {self.gain:+.3f} in all:")
        lines += [
            f"   {r.gain:+8.3f}  {r.layer}, token {r.token + 1}: {r.source}" for r in self.reasons
        ]
        return "\n".join(lines)


def explain(pipeline: Pipeline, corpus: Corpus, top: int) -> PipelineExplanation:
    """Compare the two answers for the one sequence of a corpus."""
    cascade = pipeline.annotate(corpus, decode="cascade")
    joint = pipeline.annotate(corpus, decode="joint")
    words = corpus.lists(corpus.names[0])[0]
    changes = [
        Change(token, str(words[token]), name, str(before), str(after))
        for name in pipeline.names
        for token, (before, after) in enumerate(
            zip(cascade.lists(name)[0], joint.lists(name)[0], strict=True)
        )
        if before != after
    ]
    if not changes:
        return PipelineExplanation([], [], 0.0)
    reasons = [
        Reason(token, layer.name, source, layer.weight * gain)
        for layer in pipeline.layers
        for (token, source), gain in _gains(layer, joint, cascade).items()
        if abs(layer.weight * gain) > 1e-9
    ]
    reasons.sort(key=lambda reason: -abs(reason.gain))
    changes.sort()
    return PipelineExplanation(changes, reasons[:top], sum(r.gain for r in reasons))


def _gains(layer: Layer, joint: Corpus, cascade: Corpus) -> Gains:
    """What each source adds to a layer's score at a token in one answer more than in the other,
    where that can differ."""
    annotator = layer.annotator
    out: Gains = defaultdict(float)
    if isinstance(annotator, TaggerLayer):
        tagger = annotator.tagger
        batches = [(tagger.model_, tagger.encode(answer)) for answer in (joint, cascade)]
        codes = [known_labels(layer, answer).codes for answer in (joint, cascade)]
        changed = _changed(*codes) | differing(*(batch for _, batch in batches))
        for sign, (model, batch), own in zip((1, -1), batches, codes, strict=True):
            for token, found in contributions(model, batch, own, np.flatnonzero(changed)):
                for source, score in found.items():
                    out[token, source] += sign * score
    elif isinstance(annotator, Pool):
        for member, weight in zip(annotator.members, annotator.weights, strict=True):
            for key, gain in _gains(Layer(layer.name, member), joint, cascade).items():
                out[key] += weight * gain
    elif isinstance(annotator, Recalibrated):
        out = _gains(Layer(layer.name, annotator.annotator), joint, cascade)
        fix = annotator.correction
        codes = [known_labels(layer, answer).codes for answer in (joint, cascade)]
        for token in np.flatnonzero(_changed(*codes)).tolist():
            for sign, own in zip((1, -1), codes, strict=True):
                moved = float(fix.moves[own[token - 1], own[token]]) if token else 0.0
                out[token, "recalibration"] += sign * (float(fix.bias[own[token]]) + moved)
    else:
        for sign, answer in ((1, joint), (-1, cascade)):
            own = known_labels(layer, answer).codes
            made = annotator.potentials(answer, {}).ordered(layer.labels)
            for token, label in enumerate(own.tolist()):
                out[token, "score"] += sign * float(made.node[token, label])
                if token:
                    before = int(own[token - 1])
                    move = made.move[token] if made.move.ndim == 3 else made.move
                    out[token, f"after {layer.labels[before]}"] += sign * float(move[before, label])
    return out


def _changed(joint: Codes, cascade: Codes) -> npt.NDArray[np.bool_]:
    """Where two labellings differ, at a token or at the one before."""
    out: npt.NDArray[np.bool_] = joint != cascade
    out[1:] |= out[:-1].copy()
    return out
