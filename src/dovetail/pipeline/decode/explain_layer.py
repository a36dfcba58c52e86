"""Why a layer that is no single tagger, such as a pool, gave its labels."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from dovetail.chain.explain import (
    Contribution,
    Explanation,
    TokenExplanation,
    codes_of,
    find_rival,
)
from dovetail.corpus import Corpus, detect_scheme
from dovetail.pipeline.layers.layer import Layer


def explain_annotator(
    layer: Layer,
    corpus: Corpus,
    labels: Sequence[str],
    *,
    words: Sequence[str | None],
    top: int,
    why_not: str | None,
    threads: int | None,
) -> Explanation:
    """Explain these labels of one sequence by what speaks for each and against its rival, all
    other labels being as they are; the corpus has all columns that the layer reads."""
    if not labels:
        return Explanation([])
    known = list(layer.labels)
    expected = codes_of(known, why_not, of_spans=detect_scheme([known]) != "none")
    marginals = layer.annotator.marginals(corpus, threads)
    own = corpus.with_column(layer.name, [list(labels)])
    tokens = []
    for token, label in enumerate(labels):
        code = known.index(label)
        rival = find_rival(marginals[token], code, expected)
        other = corpus.with_column(
            layer.name, [[*labels[:token], known[rival], *labels[token + 1 :]]]
        )
        margins: defaultdict[str, float] = defaultdict(float)
        for (place, source), gain in layer.annotator.gains(layer.name, own, other).items():
            if place == token:
                margins[source] += gain
            elif place == token + 1:
                margins[f"before {labels[place]}"] += gain
        ranked = sorted(margins.items(), key=lambda item: -abs(item[1]))
        tokens.append(
            TokenExplanation(
                label,
                float(marginals[token, code]),
                known[rival],
                float(marginals[token, rival]),
                [Contribution(source, gain, gain) for source, gain in ranked[:top] if gain],
                words[token],
            )
        )
    return Explanation(tokens)
