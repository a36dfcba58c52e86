"""Hidden Markov models whose states are used alike in two domains in each context, not only as a
whole: for each class of words, or after each state (bigrams of states).

An E-step knows costs of single tokens. That of a bigram is what it costs on average, given what the
states before and after are, as the last model has it. Multipliers are those of `Distance`: they
follow the logarithm of how much more often a state is used in one domain than in the other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from dovetail import Corpus
from dovetail.compare import measures
from dovetail.representation import HMM, BiasedHMM, TokenCost, WordClasses

Context = Literal["class", "bigram"]
CONTEXTS: tuple[Context, ...] = get_args(Context)
Floats = npt.NDArray[np.float64]
STEPS, ROUNDS = 5, 3  # how often multipliers move, and the rounds of EM between
DAMPING = 0.5
SMOOTHING = 1.0  # of counts, before their logarithms are taken


def learn_alike(
    context: Context, weight: float, states: int, source: Corpus, target: Corpus, **settings: Any
) -> HMM:
    """A model of both domains; ``weight`` bounds the multipliers, in nats a token. With a weight of
    0 it is trained as long without any."""
    hmm = HMM(states, **settings).fit([source, target])
    texts = _words(source, target)
    classes = _learn_classes(states, texts, settings)
    multipliers = np.zeros((states, states))
    for _ in range(STEPS):
        own, contexts = _at_tokens(context, hmm, classes, texts)
        first, second = _use_in_context(context, own, contexts, texts)
        ratio = np.log(first / second)
        if multipliers.shape != ratio.shape:
            multipliers = np.zeros_like(ratio)
        multipliers = np.clip(multipliers + DAMPING * ratio, -weight, weight)
        costs = [
            sign * share * _costs(context, multipliers, at, given, text)
            for sign, share, at, given, text in zip(
                (1.0, -1.0), _balance(texts), own, contexts, texts, strict=True
            )
        ]
        cost = TokenCost(_by_length(costs))
        biased = BiasedHMM(states, [cost], **{**settings, "rounds": ROUNDS})
        hmm = biased.fit(texts[0], texts[1], warm_start=hmm)
    return hmm


def context_distances(
    hmm: HMM, states: int, source: Corpus, target: Corpus, **settings: Any
) -> dict[str, float]:
    """How differently a model's states are used in two texts, from 0 to 2: within a class of words,
    in the mean of the classes by how often the target has them; and as bigrams."""
    texts = _words(source, target)
    classes = _learn_classes(states, texts, settings)
    out = {}
    for context in CONTEXTS:
        own, contexts = _at_tokens(context, hmm, classes, texts)
        first, second = _use_in_context(context, own, contexts, texts)
        apart = np.abs(first - second).sum(axis=1)
        if context == "class":
            apart = apart * contexts[1].sum(axis=0) / contexts[1].sum()
        out[f"distance, {context}"] = float(apart.sum())
    return out


def _learn_classes(states: int, texts: list[Corpus], settings: Mapping[str, Any]) -> WordClasses:
    """The classes of words that are contexts."""
    return WordClasses(states, seed=settings.get("seed", 0)).fit(texts)


def _words(*texts: Corpus) -> list[Corpus]:
    return [Corpus({"word": own.column("word")}, own.bounds) for own in texts]


def _at_tokens(
    context: Context, hmm: HMM, classes: WordClasses, texts: list[Corpus]
) -> tuple[list[Floats], list[Floats]]:
    """What states, and what contexts, the tokens of texts have, [tokens x states] each."""
    own = [measures.level_weights(hmm.annotate(text).column(hmm.name_)) for text in texts]
    if context == "bigram":
        return own, own
    return own, [
        measures.level_weights(classes.annotate(text).column(classes.name_)) for text in texts
    ]


def _use_in_context(
    context: Context, own: list[Floats], contexts: list[Floats], texts: list[Corpus]
) -> list[Floats]:
    """The use of states in each of two texts."""
    return [
        _shares(_use(context, at, given, text), context)
        for at, given, text in zip(own, contexts, texts, strict=True)
    ]


def _by_length(costs: list[Floats]) -> Callable[[Corpus, int], Floats]:
    """The costs of a text, which is told from the other by its length."""
    found = {len(cost): cost for cost in costs}
    return lambda corpus, _: found[corpus.n_tokens]


def _balance(texts: list[Corpus]) -> tuple[float, float]:
    """What a token of either domain costs: together those of both cost the same."""
    s, t = (text.n_tokens for text in texts)
    return t / (s + t), s / (s + t)


def _use(context: Context, own: Floats, given: Floats, text: Corpus) -> Floats:
    """How often states are expected in each context, [contexts x states]."""
    if context == "class":
        return np.asarray(given.T @ own)
    inside = np.setdiff1d(np.arange(1, len(own)), text.bounds[1:-1])
    return np.asarray(own[inside - 1].T @ own[inside])


def _shares(used: Floats, context: Context) -> Floats:
    """P(state | class), or P(state, state before)."""
    smooth = used + SMOOTHING
    total = smooth.sum(axis=1, keepdims=True) if context == "class" else smooth.sum()
    return np.asarray(smooth / total)


def _costs(
    context: Context, multipliers: Floats, own: Floats, given: Floats, text: Corpus
) -> Floats:
    """What each state costs at each token, [tokens x states]."""
    if context == "class":
        return np.asarray(given @ multipliers)
    out = np.zeros_like(own)
    inside = np.setdiff1d(np.arange(1, len(own)), text.bounds[1:-1])
    out[inside] += own[inside - 1] @ multipliers
    out[inside - 1] += own[inside] @ multipliers.T
    return out / 2
