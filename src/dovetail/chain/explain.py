"""Why a token got its label: what each feature and each neighbour added."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dovetail import _native
from dovetail.chain.model import ANY_LABEL, ChainModel
from dovetail.chain.weights import WeightTable, weight_table


class Contribution(NamedTuple):
    """What a feature, or a transition to a neighbour's label, adds to a label's score over its
    rival's."""

    source: str
    weight: float
    margin: float


class TokenExplanation(NamedTuple):
    """The label of one token, its strongest rival, and what spoke for and against it.

    ``contributions`` are sorted by the size of ``margin``: weight for the label minus weight for
    the rival.
    """

    label: str
    probability: float
    rival: str
    rival_probability: float
    contributions: list[Contribution]


class Explanation(NamedTuple):
    """Explanations of all tokens of a sequence; prints as a readable listing."""

    tokens: list[TokenExplanation]

    def to_dict(self) -> list[dict[str, Any]]:
        """Plain data, for JSON."""
        return [
            {**token._asdict(), "contributions": [c._asdict() for c in token.contributions]}
            for token in self.tokens
        ]

    def __str__(self) -> str:
        lines = []
        for number, token in enumerate(self.tokens, start=1):
            lines.append(
                f"{number}. {token.label} {token.probability:.3f}"
                f" rather than {token.rival} {token.rival_probability:.3f}"
            )
            lines += [f"   {c.margin:+8.3f}  {c.source}" for c in token.contributions]
        return "\n".join(lines)


def explain(model: ChainModel, batch: _native.Batch, top: int, threads: int) -> Explanation:
    """Explain the best labels of one encoded sequence."""
    if not batch.n_tokens:
        return Explanation([])
    limits = (model.constraints, ANY_LABEL)
    codes = model.native.viterbi(batch, *limits, threads)[0]
    marginals = model.native.posteriors(batch, *limits, threads)[0]
    table = weight_table(model)
    transitions = model.native.transitions()
    bounds, ids, values = batch.occurrences()
    wanted = np.flatnonzero(np.isin(table.feature, np.unique(ids)))
    order = wanted[np.argsort(table.feature[wanted], kind="stable")]
    tokens = []
    for t, code in enumerate(codes):
        ranked = np.argsort(-marginals[t], kind="stable")
        rival = int(next((y for y in ranked if y != code), code))
        before = int(codes[t - 1]) if t else -1
        found: dict[str, tuple[float, float]] = {}
        for k in range(int(bounds[t]), int(bounds[t + 1])):
            feature = int(ids[k])
            own, other = (_weight_of(table, order, feature, before, y) for y in (int(code), rival))
            name = model.names[feature]
            have = found.get(name, (0.0, 0.0))
            found[name] = (have[0] + own * values[k], have[1] + other * values[k])
        if t:
            found[f"after {model.labels[before]}"] = (
                transitions[before, code],
                transitions[before, rival],
            )
        if t + 1 < len(codes):
            after = int(codes[t + 1])
            own, other = float(transitions[code, after]), float(transitions[rival, after])
            for k in range(int(bounds[t + 1]), int(bounds[t + 2])):
                own += values[k] * _weight_of_transition(
                    table, order, int(ids[k]), int(code), after
                )
                other += values[k] * _weight_of_transition(table, order, int(ids[k]), rival, after)
            found[f"before {model.labels[after]}"] = (own, other)
        contributions = [Contribution(k, float(a), float(a - b)) for k, (a, b) in found.items()]
        contributions.sort(key=lambda c: -abs(c.margin))
        tokens.append(
            TokenExplanation(
                model.labels[code],
                float(marginals[t, code]),
                model.labels[rival],
                float(marginals[t, rival]),
                contributions[:top],
            )
        )
    return Explanation(tokens)


def _weight_of(table: WeightTable, order: Any, feature: int, before: int, label: int) -> float:
    """Weight of a feature for a label, a transition from the label before included."""
    on_transition = (
        _weight_of_transition(table, order, feature, before, label) if before >= 0 else 0.0
    )
    return _weight_of_transition(table, order, feature, -1, label) + on_transition


def _weight_of_transition(
    table: WeightTable, order: Any, feature: int, before: int, label: int
) -> float:
    """Weight of a feature on a transition; on the label itself where ``before`` is -1."""
    first, last = np.searchsorted(table.feature[order], [feature, feature + 1])
    entries = order[first:last]
    hit = (table.previous[entries] == before) & (table.label[entries] == label)
    return float(table.weight[entries][hit].sum())
