"""The order of sequences in an epoch, stated plainly: splitmix64 and Fisher-Yates."""

from __future__ import annotations

_WORD = 2**64


def shuffled(n: int, seed: int) -> list[int]:
    """The numbers below n in the order that a seed gives."""
    order = list(range(n))
    state = seed
    for i in range(n, 1, -1):
        state = (state + 0x9E3779B97F4A7C15) % _WORD
        z = state
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % _WORD
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB % _WORD
        j = (z ^ (z >> 31)) * i // _WORD
        order[i - 1], order[j] = order[j], order[i - 1]
    return order
