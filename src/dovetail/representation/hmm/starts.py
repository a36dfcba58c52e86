"""Where EM begins: at random, at word classes, or at an earlier model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from dovetail.numeric import log1p, matmul
from dovetail.representation.bias.bias import CodeBias
from dovetail.representation.hmm.parameters import Counts, Parameters, estimate_parameters
from dovetail.representation.shards import ShardText
from dovetail.representation.text import Text
from dovetail.representation.vocabulary import Vocabulary
from dovetail.representation.word_classes import exchange_words

Start = Literal["classes", "random"]
OWN_SHARE = 0.9  # of a word's tokens that begin in the state of its class; the others are spread
PASSES = 5


def random_start(n_states: int, n_words: int, seed: int) -> Parameters:
    """Distributions drawn evenly from all there are."""
    draw = np.random.default_rng(seed)
    start, transitions, emissions = (
        -log1p(-draw.random(shape))  # exponentials: divided by their sum, an even distribution
        for shape in (n_states, (n_states, n_states), (n_words, n_states))
    )
    return Parameters(
        start / start.sum(),
        transitions / transitions.sum(axis=1, keepdims=True),
        emissions / emissions.sum(axis=0),
    )


def classes_start(
    text: Text | ShardText, n_states: int, seed: int, biases: Sequence[CodeBias] = ()
) -> Parameters:
    """A state for each exchange class: its words, and how classes follow one another.

    Most words stay in the state in which they begin, so that biases of the E-step come too late:
    classes are to have the same ``biases``.
    """
    classes, _ = exchange_words(text, n_states, seed, PASSES, biases)
    soft = np.full((n_states, n_states), (1 - OWN_SHARE) / max(n_states - 1, 1))
    np.fill_diagonal(soft, OWN_SHARE if n_states > 1 else 1.0)
    seen = np.zeros(text.n_words, np.int64)
    begins, transitions = np.zeros(n_states, np.int64), np.zeros(n_states**2, np.int64)
    for part in [text] if isinstance(text, Text) else text:
        seen += np.bincount(part.words, minlength=text.n_words)
        states = classes[part.words]
        bounds = part.bounds.astype(np.int64)
        firsts = bounds[:-1][np.diff(bounds) > 0]
        follows = np.ones(part.n_tokens, bool)
        follows[firsts] = False
        pairs = states[np.flatnonzero(follows) - 1] * np.int64(n_states) + states[follows]
        transitions += np.bincount(pairs, minlength=n_states**2)
        begins += np.bincount(states[firsts], minlength=n_states)
    between = transitions.reshape(n_states, n_states).astype(np.float64)
    counts = Counts(
        matmul(begins[None].astype(np.float64), soft)[0] + 1.0,
        matmul(matmul(soft.T, between), soft) + 1.0,
        seen[:, None] * soft[classes],
    )
    return estimate_parameters(counts, "em", 0.0, None)


def earlier_start(earlier: Parameters, names: Vocabulary, vocabulary: Vocabulary) -> Parameters:
    """An earlier model's parameters over another vocabulary: new words as their groups were."""
    if names.names == vocabulary.names:
        return earlier
    rows = earlier.emissions[[names.number(name) for name in vocabulary.names]]
    totals = rows.sum(axis=0)
    rows[:, totals == 0] = 1.0  # a state with none of these words: equal shares
    return Parameters(earlier.start, earlier.transitions, rows / rows.sum(axis=0))
