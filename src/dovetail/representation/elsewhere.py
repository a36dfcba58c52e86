"""What is said of the same words elsewhere: in the same document, and in the rest of a corpus.

Opinions on tokens are given as weights of types, [tokens x types]. For each token those on other
tokens are averaged, never its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Opinions:
    """Opinions on the tokens of a corpus.

    ``words`` and ``documents`` are the number of each token's word and of its document; spans, from
    ``starts`` to ``ends``, are what a first pass takes for entities.
    """

    words: Ints
    documents: Ints
    weights: Floats
    starts: Ints
    ends: Ints

    def of_tokens(self) -> tuple[Floats, Floats]:
        """Means over the same word elsewhere in the document, and in other documents."""
        given = _Given(self.words, self.documents, self.weights)
        return given.means(self.words, self.documents, np.arange(len(self.words)))

    def of_entities(self) -> tuple[Floats, Floats]:
        """The same over entities that are the same string of words as the token's own entity; a
        token outside any entity counts as a string of one word."""
        _, of_span, of_token = self._strings()
        given = _Given(of_span, self.documents[self.starts], self._span_weights())
        return given.means(of_token, self.documents, self._spans_of_tokens())

    def of_supersets(self) -> tuple[Floats, Floats]:
        """The same over longer entities that have the token's own entity within."""
        strings, _, of_token = self._strings()
        found = [
            (strings[part], span)
            for span, words in enumerate(self._span_words())
            for part in set(_parts(words))
            if part in strings
        ]
        spans = np.array([span for _, span in found], np.int64)
        given = _Given(
            np.array([number for number, _ in found], np.int64),
            self.documents[self.starts[spans]],
            self._span_weights()[spans],
        )
        return given.means(of_token, self.documents, np.full(len(of_token), -1))

    def _span_words(self) -> list[tuple[int, ...]]:
        words = self.words.tolist()
        ends = self.ends.tolist()
        return [tuple(words[a:b]) for a, b in zip(self.starts.tolist(), ends, strict=True)]

    def _span_weights(self) -> Floats:
        """The mean opinion on the tokens of each span."""
        sums = np.concatenate([np.zeros((1, self.weights.shape[1])), self.weights.cumsum(axis=0)])
        lengths = (self.ends - self.starts)[:, None]
        means: Floats = (sums[self.ends] - sums[self.starts]) / np.maximum(lengths, 1)
        return means

    def _spans_of_tokens(self) -> Ints:
        """The span that each token is in, or -1."""
        inside = np.full(len(self.words), -1, np.int64)
        lengths = self.ends - self.starts
        numbers = np.repeat(np.arange(len(self.starts)), lengths)
        first = np.concatenate([[0], np.cumsum(lengths)[:-1]]).astype(np.int64)
        inside[np.arange(len(numbers)) - np.repeat(first - self.starts, lengths)] = numbers
        return inside

    def _strings(self) -> tuple[dict[tuple[int, ...], int], Ints, Ints]:
        """Numbers of strings of words; those of all spans, and of each token's own string."""
        strings: dict[tuple[int, ...], int] = {}
        spans = [strings.setdefault(words, len(strings)) for words in self._span_words()]
        used, place = np.unique(self.words, return_inverse=True)
        single = [strings.setdefault((word,), len(strings)) for word in used.tolist()]
        of_span = np.array(spans, np.int64)
        inside = self._spans_of_tokens()
        of_token = np.array(single, np.int64)[place]
        of_token[inside >= 0] = of_span[inside[inside >= 0]]
        return strings, of_span, of_token


@dataclass(frozen=True)
class _Given:
    """Opinions by what they are about and by the document that they are given in."""

    keys: Ints
    documents: Ints
    weights: Floats

    def means(self, keys: Ints, documents: Ints, own: Ints) -> tuple[Floats, Floats]:
        """Means for each of some tokens over opinions on its key: in its document, but for its
        ``own`` one (-1 for none), and in other documents; 0 where there are none."""
        n = 1 + max(int(keys.max(initial=0)), int(self.keys.max(initial=0)))
        with_counts = np.concatenate([self.weights, np.ones((len(self.weights), 1))], axis=1)
        everywhere = np.zeros((n, with_counts.shape[1]))
        np.add.at(everywhere, self.keys, with_counts)
        pairs, place = np.unique(self.documents * n + self.keys, return_inverse=True)
        here = np.zeros((len(pairs) + 1, with_counts.shape[1]))  # the last: never spoken of
        np.add.at(here, place, with_counts)
        asked = documents * n + keys
        found = np.searchsorted(pairs, asked)
        known = np.append(pairs, -1)[found] == asked
        inside = here[np.where(known, found, len(pairs))]
        outside = everywhere[keys] - inside
        nothing = np.zeros((1, with_counts.shape[1]))
        inside = inside - np.concatenate([with_counts, nothing])[own]
        return _mean(inside), _mean(outside)


def _mean(sums: Floats) -> Floats:
    counts = sums[:, -1:]
    means: Floats = np.where(counts > 0.5, sums[:, :-1] / np.maximum(counts, 1), 0.0)
    return np.maximum(means, 0.0)


def _parts(words: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Shorter strings of neighbours within a string."""
    for length in range(1, len(words)):
        for first in range(len(words) - length + 1):
            yield words[first : first + length]
