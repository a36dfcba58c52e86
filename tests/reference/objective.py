"""The training objective by enumeration: parameters by name, value and gradient as dicts.

f(w) = sum_i weight_i (log Z_i - log Z_i(what is known of the labels)) + c2 |w|^2
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Literal, NamedTuple

import numpy as np

from reference.chain import Chain, Floats, Mask
from reference.model_columns import END, START, Token

Known = str | Collection[str] | None


class Name(NamedTuple):
    """A parameter: feature None is a plain transition, previous None a weight on a label."""

    feature: str | None
    previous: str | None
    label: str


class Group(NamedTuple):
    pattern: str
    prior: float
    on: Literal["labels", "transitions", "both"]


@dataclass
class Example:
    """One sequence with what is known of its labels."""

    tokens: Sequence[Token]
    known: Sequence[Known]
    allowed: Sequence[Known] | None = None
    weight: float = 1.0

    def features(self, t: int) -> list[tuple[str, float]]:
        token = self.tokens[t]
        pairs = list(token.items() if isinstance(token, Mapping) else ((f, 1.0) for f in token))
        pairs += [(START, 1.0)] * (t == 0) + [(END, 1.0)] * (t == len(self.tokens) - 1)
        return pairs


@dataclass
class ReferenceObjective:
    """What a training with these settings should minimise."""

    examples: Sequence[Example]
    labels: Sequence[str]
    c2: float = 1.0
    min_count: int = 1
    all_pairs: bool = False
    all_transitions: bool = False
    boundaries: bool = True
    groups: Sequence[Group] = ()
    label_weights: Mapping[str, float] = field(default_factory=dict)
    legal: Mask | None = None
    start: Mask | None = None
    end: Mask | None = None

    def group_of(self, feature: str) -> Group:
        if not self.boundaries and feature in (START, END):
            return Group(feature, 1.0, "labels")
        found = (group for group in self.groups if fnmatchcase(feature, group.pattern))
        return next(found, Group("*", 1.0, "labels"))

    def parameters(self) -> set[Name]:
        """The weights that such a training has."""
        tokens = [(e, t) for e in self.examples for t in range(len(e.tokens))]
        counts = Counter(f for e, t in tokens for f, _ in e.features(t))
        kept = {f for f, n in counts.items() if n >= self.min_count}
        if not self.boundaries:
            kept -= {START, END}
        on_labels = {f for f in kept if self.group_of(f).on != "transitions"}
        on_moves = {f for f in kept if self.group_of(f).on != "labels"}
        out: set[Name] = set()
        if self.all_pairs:
            out |= {Name(f, None, y) for f in on_labels for y in self.labels}
            out |= {Name(f, x, y) for f in on_moves for x in self.labels for y in self.labels}
        if self.all_transitions:
            out |= {Name(None, x, y) for x in self.labels for y in self.labels}
        for e, t in tokens:
            now = _members(e.known[t])
            before = _members(e.known[t - 1]) if t else []
            out |= {Name(None, x, y) for x in before for y in now}
            for f, _ in e.features(t):
                if f in on_labels:
                    out |= {Name(f, None, y) for y in now}
                if f in on_moves:
                    out |= {Name(f, x, y) for x in before for y in now}
        return {p for p in out if p.previous is None or self._is_legal(p.previous, p.label)}

    def __call__(self, w: Mapping[Name, float]) -> tuple[float, dict[Name, float]]:
        """Value and gradient; infinite where what is known is impossible."""
        value = self.c2 * sum(x * x for x in w.values())
        gradient = {name: 2 * self.c2 * x for name, x in w.items()}
        for example in self.examples:
            if not example.tokens:
                continue
            everything = self._limited(self.chain(example, w, margin=True), example)
            agreeing = self._limited(self.chain(example, w), example).constrained(
                allowed=self._mask(example.known)
            )
            if not agreeing.possible:
                return np.inf, gradient
            value += example.weight * (everything.log_z - agreeing.log_z)
            for chain, sign in ((everything, 1.0), (agreeing, -1.0)):
                self._add_counts(gradient, example, chain, sign * example.weight)
        return value, gradient

    def chain(self, example: Example, w: Mapping[Name, float], *, margin: bool = False) -> Chain:
        """Scores of one sequence; ``margin``: with the handicap that label weights give."""
        number = {y: j for j, y in enumerate(self.labels)}
        n, length = len(self.labels), len(example.tokens)
        score, transition = np.zeros((length, n)), np.zeros((length, n, n))
        for name, x in w.items():
            if name.feature is None and name.previous is not None:
                transition[:, number[name.previous], number[name.label]] += x
        for t in range(length):
            for f, v in example.features(t):
                v *= self.group_of(f).prior
                for name, x in w.items():
                    if name.feature != f:
                        continue
                    if name.previous is None:
                        score[t, number[name.label]] += v * x
                    else:
                        transition[t, number[name.previous], number[name.label]] += v * x
            known = _members(example.known[t])
            if margin and len(known) == 1:
                extra = float(np.float32(np.log(self.label_weights.get(known[0], 1.0))))
                score[t] += [0.0 if y == known[0] else extra for y in self.labels]
        return Chain(score, transition)

    def _add_counts(
        self, gradient: dict[Name, float], example: Example, chain: Chain, factor: float
    ) -> None:
        on_labels, on_moves = chain.marginals(), chain.transition_marginals()
        for j, y in enumerate(self.labels):
            for t in range(len(example.tokens)):
                for f, v in example.features(t):
                    v *= factor * self.group_of(f).prior
                    _add(gradient, Name(f, None, y), v * on_labels[t, j])
                    for i, x in enumerate(self.labels if t else ()):
                        _add(gradient, Name(f, x, y), v * on_moves[t - 1, i, j])
            for i, x in enumerate(self.labels):
                _add(gradient, Name(None, x, y), factor * float(on_moves[:, i, j].sum()))

    def _limited(self, chain: Chain, example: Example) -> Chain:
        allowed = None if example.allowed is None else self._mask(example.allowed)
        return chain.constrained(self.legal, self.start, self.end, allowed)

    def _mask(self, known: Iterable[Known]) -> Mask:
        rows = [[k is None or y in _members(k) for y in self.labels] for k in known]
        return np.array(rows, dtype=bool)

    def _is_legal(self, before: str, after: str) -> bool:
        i, j = self.labels.index(before), self.labels.index(after)
        return self.legal is None or bool(self.legal[i, j])


def _members(known: Known) -> list[str]:
    return [] if known is None else [known] if isinstance(known, str) else list(known)


def _add(gradient: dict[Name, float], name: Name, amount: float) -> None:
    if name in gradient:
        gradient[name] += amount


def log_z_in_logs(score: Floats, transition: Floats) -> float:
    """log Z of a long chain by the plain recursion; scores [T, L], transitions [L, L]."""
    alpha = score[0]
    for row in score[1:]:
        alpha = row + np.logaddexp.reduce(alpha[:, None] + transition, axis=0)
    return float(np.logaddexp.reduce(alpha))
