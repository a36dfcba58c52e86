"""What a client may ask for."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Bytes of a request's body, tokens in it, seconds until its answer, requests that wait at a
    time, and the number of best labellings."""

    body: int = 4_000_000
    tokens: int = 100_000
    seconds: float = 30.0
    queue: int = 256
    n_best: int = 100
