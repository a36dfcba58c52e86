"""A representation from a file of any kind."""

from __future__ import annotations

from typing import Any

from dovetail.chain.model_file import open_model
from dovetail.errors import ModelFileError
from dovetail.representation import consistency, layered, word_classes, word_table, word_vectors
from dovetail.representation.annotation import Representation
from dovetail.representation.biased import BiasedHMM
from dovetail.representation.file import Source
from dovetail.representation.hmm import HMM
from dovetail.representation.hmm_file import kind_of

KINDS: dict[str, Any] = {
    kind_of(HMM): HMM,
    kind_of(BiasedHMM): BiasedHMM,
    consistency.KIND: consistency.Consistency,
    layered.KIND: layered.LayeredHMM,
    word_classes.KIND: word_classes.WordClasses,
    word_table.KIND: word_table.WordTable,
    word_vectors.KIND: word_vectors.WordVectors,
}


def load(source: Source) -> Representation:
    """The representation in a file, or in bytes, whatever kind it is.

    >>> from dovetail.corpus import Corpus
    >>> text = Corpus.from_lists({"word": [["a", "cat"], ["the", "cat"]]})
    >>> classes = word_classes.WordClasses(2, min_count=1).fit(text)
    >>> load(classes.to_bytes()).class_of("the") == classes.class_of("the")
    True
    """
    file = open_model(source, verify=False)
    kind = file.facts.get("kind", "tagger")
    if kind not in KINDS:
        raise ModelFileError(f"{file.source} holds a {kind}, not a representation")
    found: Representation = KINDS[kind].load(source)
    return found
