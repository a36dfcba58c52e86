"""Why a token got its label: what each feature and each neighbour added."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dovetail import _native
from dovetail.chain.model import ANY_LABEL, ChainModel
from dovetail.chain.weights import WeightTable, weight_table
from dovetail.corpus.labels import split_label
from dovetail.errors import DataError
from dovetail.features.sets.capitals import readable_name


class Contribution(NamedTuple):
    """What a feature, or a transition to a neighbour's label, adds to a label's score over its
    rival's. Of several models that decide together, ``weight`` is not known and is the margin."""

    source: str
    weight: float
    margin: float


class TokenExplanation(NamedTuple):
    """The label of one token, its rival, and what spoke for and against it.

    ``contributions`` are sorted by the size of ``margin``: weight for the label minus weight for
    the rival. ``word`` is None where only features of the token are known.
    """

    label: str
    probability: float
    rival: str
    rival_probability: float
    contributions: list[Contribution]
    word: str | None = None


class Explanation(NamedTuple):
    """Explanations of all tokens of a sequence, or of those from number ``first`` on; prints as a
    readable listing."""

    tokens: list[TokenExplanation]
    first: int = 1

    def only(self, token: int) -> Explanation:
        """What is said of one token, counted from 0."""
        return Explanation([self.tokens[token]], self.first + token)

    def to_dict(self) -> list[dict[str, Any]]:
        """Plain data, for JSON."""
        return [
            {**token._asdict(), "contributions": [c._asdict() for c in token.contributions]}
            for token in self.tokens
        ]

    def __str__(self) -> str:
        lines = []
        for number, token in enumerate(self.tokens, start=self.first):
            word = "" if token.word is None else f"{token.word}  "
            lines.append(
                f"{number}. {word}{token.label} {token.probability:.3f}"
                f" rather than {token.rival} {token.rival_probability:.3f}"
            )
            lines += [
                f"   {c.margin:+8.3f}  {readable_name(c.source)}" for c in token.contributions
            ]
        return "\n".join(lines)


def words_of(sequence: Any, has_template: bool) -> list[str | None]:
    """The words of a sequence of a corpus, or of tokens; None for each token that is given by its
    features."""
    if hasattr(sequence, "to_corpus"):
        return list(sequence[sequence.names[0]])
    return [_word_of(token, has_template) for token in sequence]


def _word_of(token: Any, has_template: bool) -> str | None:
    if has_template and isinstance(token, tuple | list) and token:
        token = token[0]  # of several columns the first
    return token if has_template and isinstance(token, str) else None


def explain(
    model: ChainModel,
    batch: _native.Batch,
    top: int,
    threads: int,
    *,
    words: Sequence[str | None],
    why_not: str | None = None,
) -> Explanation:
    """Explain the best labels of one encoded sequence, against their strongest rivals or against
    one label, or type of span, that was expected."""
    expected = codes_of(model.labels, why_not, of_spans=model.facts["scheme"] != "none")
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
        rival = find_rival(marginals[t], int(code), expected)
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
                words[t],
            )
        )
    return Explanation(tokens)


def codes_of(labels: Sequence[str], why_not: str | None, *, of_spans: bool) -> set[int]:
    """The labels that are this one, or write spans of this type."""
    if why_not is None:
        return set()
    codes = {y for y, label in enumerate(labels) if label == why_not}
    if not codes and of_spans:
        codes = {y for y, label in enumerate(labels) if split_label(label)[1] == why_not}
    if not codes:
        raise DataError(f"the model has no label '{why_not}'; it has {', '.join(labels)}")
    return codes


def find_rival(probabilities: npt.NDArray[np.float64], code: int, expected: set[int]) -> int:
    """The most probable other label; of those that were expected, unless one of them is shown."""
    ranked = [int(y) for y in np.argsort(-probabilities, kind="stable") if y != code]
    if expected and code not in expected:
        ranked = [y for y in ranked if y in expected]
    return ranked[0] if ranked else code


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
