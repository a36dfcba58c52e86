"""How a result was computed, and how far it may be from the exact one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Gap(NamedTuple):
    """How far an approximate result is from the exact one.

    ``log_z`` is the largest difference of log Z over the sequences (of the best labels' scores, if
    labels were asked for), ``probability`` the largest difference of a label's probability,
    ``labels`` the share of labels that differ. What does not apply is None.
    """

    log_z: float
    probability: float | None
    labels: float


@dataclass(frozen=True)
class Report:
    """How a result was computed.

    Attributes
    ----------
    method
        ``exact``, ``sparse``, ``beam`` or ``loopy``.
    n_states
        Joint states that a token can have.
    kept_mass, least_kept_mass
        Of the probability that ``sparse`` and ``beam`` kept: the product over all tokens, and the
        least at a token.
    states_kept
        Joint states kept at a token, on average.
    iterations, converged, change
        Of ``loopy``: sweeps, whether every sequence converged, and the largest change in the last
        sweep.
    gap
        The distance to the exact result, where it was asked for.

    Examples
    --------
    >>> print(Report("loopy", 3645, iterations=12, converged=True, change=4e-7))
    loopy: 3,645 joint states a token, converged after 12 iterations (last change 4e-07)
    """

    method: str
    n_states: int
    kept_mass: float | None = None
    least_kept_mass: float | None = None
    states_kept: float | None = None
    iterations: int | None = None
    converged: bool | None = None
    change: float | None = None
    gap: Gap | None = None

    def __str__(self) -> str:
        parts = []
        if self.states_kept is None:
            parts.append(f"{self.n_states:,} joint states a token")
        else:
            parts.append(
                f"{self.states_kept:.1f} of {self.n_states:,} joint states kept at a token"
            )
        if self.kept_mass is not None:
            parts.append(
                f"{self.kept_mass:.6g} of the mass ({self.least_kept_mass:.6g} at the worst token)"
            )
        if self.iterations is not None:
            settled = "converged" if self.converged else "not converged"
            parts.append(
                f"{settled} after {self.iterations} iterations (last change {self.change:.2g})"
            )
        if self.gap is not None:
            of_labels = self.gap.probability is None
            gap = f"{'scores' if of_labels else 'log Z'} off by {self.gap.log_z:.2g}"
            if not of_labels:
                gap += f", probabilities by {self.gap.probability:.2g}"
            parts.append(f"{gap}, {self.gap.labels:.2%} of the labels differ")
        return f"{self.method}: " + ", ".join(parts)
