"""Why joint decoding decides otherwise than the cascade."""

from __future__ import annotations

from typing import Any, NamedTuple

from dovetail.corpus import Corpus
from dovetail.features.sets.capitals import readable_name
from dovetail.pipeline.decode.decoder import Decoder


class Change(NamedTuple):
    """A label that the cascade gives, and the one that joint decoding gives instead."""

    token: int  # from 0
    word: str
    layer: str
    cascade: str
    joint: str


class Reason(NamedTuple):
    """A feature, or a transition of labels, that is worth more (or less) in the joint answer."""

    token: int
    layer: str
    source: str
    gain: float
    word: str


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
            f"   {r.gain:+8.3f}  {r.layer}, {r.token + 1}. {r.word}: {readable_name(r.source)}"
            for r in self.reasons
        ]
        return "\n".join(lines)


def explain_changes(decoder: Decoder, corpus: Corpus, top: int) -> PipelineExplanation:
    """Compare the two answers for the one sequence of a corpus."""
    cascade = decoder.annotate(corpus, "cascade", {})
    joint = decoder.annotate(corpus, "joint", {})
    words = corpus.lists(corpus.names[0])[0]
    changes = [
        Change(token, str(words[token]), name, str(before), str(after))
        for name in (layer.name for layer in decoder.layers)
        for token, (before, after) in enumerate(
            zip(cascade.lists(name)[0], joint.lists(name)[0], strict=True)
        )
        if before != after
    ]
    if not changes:
        return PipelineExplanation([], [], 0.0)
    reasons = [
        Reason(token, layer.name, source, layer.weight * gain, str(words[token]))
        for layer in decoder.layers
        for (token, source), gain in layer.annotator.gains(layer.name, joint, cascade).items()
        if abs(layer.weight * gain) > 1e-9
    ]
    reasons.sort(key=lambda reason: -abs(reason.gain))
    changes.sort()
    return PipelineExplanation(changes, reasons[:top], sum(r.gain for r in reasons))
