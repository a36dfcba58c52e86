"""Why joint decoding decides otherwise than the cascade."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

from dovetail.chain.contributions import contributions
from dovetail.corpus import Corpus
from dovetail.pipeline.annotators import TaggerLayer
from dovetail.pipeline.layers import Layer
from dovetail.pipeline.pool import Pool
from dovetail.pipeline.recalibration import Recalibrated

if TYPE_CHECKING:
    from dovetail.pipeline.pipeline import Pipeline


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
    worth: defaultdict[tuple[int, str, str], float] = defaultdict(float)
    for layer in pipeline.layers:
        for sign, answer in ((1, joint), (-1, cascade)):
            for token, found in enumerate(_contributions(layer, answer)):
                for source, score in found.items():
                    worth[token, layer.name, source] += sign * layer.weight * score
    reasons = [Reason(*key, gain) for key, gain in worth.items() if abs(gain) > 1e-9]
    reasons.sort(key=lambda reason: -abs(reason.gain))
    changes.sort()
    return PipelineExplanation(changes, reasons[:top], sum(r.gain for r in reasons))


def _contributions(layer: Layer, answer: Corpus) -> list[dict[str, float]]:
    """What each source adds to the score of a layer's labels at each token."""
    annotator = layer.annotator
    labels = [str(y) for y in answer.lists(layer.name)[0]]
    if isinstance(annotator, TaggerLayer):
        model, batch = annotator.tagger._encoded(answer)
        return contributions(model, batch, [model.labels.index(y) for y in labels])
    if isinstance(annotator, Pool):
        out: list[defaultdict[str, float]] = [defaultdict(float) for _ in labels]
        for member, weight in zip(annotator.members, annotator.weights, strict=True):
            for token, own in enumerate(_contributions(Layer(layer.name, member), answer)):
                for source, score in own.items():
                    out[token][source] += weight * score
        return [dict(own) for own in out]
    if isinstance(annotator, Recalibrated):
        found = _contributions(Layer(layer.name, annotator.annotator), answer)
        fix = annotator.correction
        codes = [fix.labels.index(y) for y in labels]
        for t, y in enumerate(codes):
            moved = float(fix.moves[codes[t - 1], y]) if t else 0.0
            found[t]["recalibration"] = float(fix.bias[y]) + moved
        return found
    made = annotator.potentials(answer, {})
    numbers = [made.labels.index(y) for y in labels]
    scores = [{"score": float(made.node[t, y])} for t, y in enumerate(numbers)]
    for t in range(1, len(numbers)):
        move = made.move[t] if made.move.ndim == 3 else made.move
        scores[t][f"after {labels[t - 1]}"] = float(move[numbers[t - 1], numbers[t]])
    return scores
