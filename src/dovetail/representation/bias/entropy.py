"""States that tell the labels of the source."""

from __future__ import annotations

from dataclasses import dataclass

from dovetail.representation.bias.bias import (
    Bias,
    ByCode,
    CodeBias,
    conditional_entropy,
    joint_log_conditional,
    log_conditional,
)
from dovetail.representation.bias.property import Domains, Offer, Property
from dovetail.representation.text import Floats


@dataclass(frozen=True)
class Entropy(Property):
    """States should tell the labels of the source: the entropy H(label | state)."""

    column: str
    weight: float = 0.3

    offer = Offer("entropy", "Weight of a bias to states that tell the labels.", by_labels=True)

    @property
    def label_columns(self) -> tuple[str, ...]:
        return (self.column,)

    def bias(self, domains: Domains) -> Bias:
        codes, n = domains.codes(self.column, target=False)
        labelled = int((codes >= 0).sum())
        if domains.scaling == "paper":
            return PrintedEntropyBias([codes], [n], domains.n_states, self.weight, 1.0)
        scale = 1.0 / labelled if domains.scaling == "mean" else 1.0
        return EntropyBias([codes], [n], domains.n_states, self.weight, scale)


class EntropyBias(Bias):
    """H(label | state): each labelled token costs -log P(its label | state)."""

    name = "entropy"

    def costs(self, by_code: ByCode) -> list[Floats]:
        return [-self.scale * log_conditional(by_code[0])]

    @property
    def class_biases(self) -> list[CodeBias]:
        return [CodeBias(self.codes[0], self.sizes[0], self.weight)]

    def measure(self, by_code: ByCode) -> float:
        return conditional_entropy(by_code[0])


class PrintedEntropyBias(EntropyBias):
    """Eq. 6 as it is printed: a labelled token costs -P(its label, state) log P(its label | state),
    both as the last E-step expected them. So what is frequent weighs more than its share."""

    def costs(self, by_code: ByCode) -> list[Floats]:
        return [-joint_log_conditional(by_code[0])]
