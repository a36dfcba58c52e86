"""Settings of approximate inference."""

from __future__ import annotations

from dataclasses import dataclass

from dovetail.cores import count_cores
from dovetail.errors import DataError


@dataclass(frozen=True)
class Settings:
    """Settings of all methods; each reads its own.

    epsilon : share of the probability that ``sparse`` may drop at a token.
    beam : joint states that ``beam`` keeps at a token.
    damping : share of the old message in the new one, in ``loopy``; 0 is none.
    iterations, tolerance : ``loopy`` stops after so many sweeps, or when no message changes more.
    threads : how many at most; None is one a processor. Results do not depend on it.
    """

    epsilon: float = 1e-4
    beam: int | None = None
    damping: float = 0.5
    iterations: int = 100
    tolerance: float = 1e-6
    threads: int | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.epsilon < 1:
            raise DataError(f"epsilon is a share of probability below 1, not {self.epsilon}")
        if self.beam is not None and self.beam < 1:
            raise DataError(f"beam is a number of joint states, 1 or more, not {self.beam}")
        if not 0 <= self.damping < 1:
            raise DataError(f"damping is a share of the old message below 1, not {self.damping}")
        if self.iterations < 1:
            raise DataError(f"iterations must be 1 or more, not {self.iterations}")
        if not self.tolerance >= 0:
            raise DataError(f"tolerance must be 0 or more, not {self.tolerance}")
        if self.threads is not None and self.threads < 1:
            raise DataError(f"threads must be 1 or more, not {self.threads}")

    @property
    def n_threads(self) -> int:
        """How many threads to start."""
        return self.threads or count_cores()
