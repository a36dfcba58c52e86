"""The use of a pipeline: labels of all layers for any data, by any way of decoding."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any, cast

from dovetail.base.potentials import Potentials
from dovetail.chain.explain import words_of
from dovetail.chain.tagged_text import CutTexts, cut_texts
from dovetail.chain.tagger import Tagger
from dovetail.corpus import Corpus, Unit
from dovetail.errors import DataError
from dovetail.grid.grid import METHODS
from dovetail.pipeline.choices import DECODINGS, Decode, check_choice
from dovetail.pipeline.composition import Composition
from dovetail.pipeline.decode.decoder import Decoder
from dovetail.pipeline.decode.explain import PipelineExplanation, explain_changes
from dovetail.pipeline.decode.explain_layer import explain_annotator
from dovetail.pipeline.decode.inputs import as_corpus, input_columns, split_corpus
from dovetail.pipeline.decode.joint import JointScores, annotate_in_order
from dovetail.pipeline.decode.tagged_text import LayeredText, layered_texts
from dovetail.pipeline.decode.tagging import (
    PipelineTagging,
    find_marginals,
    find_n_best,
    tag_corpus,
)
from dovetail.pipeline.layers.known import Known, known_labels
from dovetail.pipeline.layers.layer import layer_named
from dovetail.pipeline.representations import (
    add_representations,
    find_added_columns,
    find_corpus_readers,
    remove_columns,
)

if TYPE_CHECKING:
    from dovetail.chain.explain import Explanation
    from dovetail.grid import Report


class LayeredLabeller(Composition):
    """Trained layers that label data, and how they are decoded."""

    lattice: int | None
    inference: str
    epsilon: float
    threads: int | None

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("inference", self.inference, METHODS)
        if self.lattice is not None and self.lattice < 1:
            raise DataError(f"lattice is {self.lattice}; give a number of labellings of at least 1")
        if not 0 <= self.epsilon < 1:
            raise DataError(f"epsilon is a share of probability below 1, not {self.epsilon}")

    @property
    def decode(self) -> Decode:
        """How the columns between the layers are treated."""
        return self._decode

    @decode.setter
    def decode(self, value: Decode) -> None:
        check_choice("decoding", value, DECODINGS)
        self._decode = value

    def predict(
        self, data: Any, *, known: Iterable[str] = (), decode: Decode | None = None
    ) -> dict[str, list[list[str]]]:
        """Labels of every layer, for a corpus or for lists of tokens.

        ``known`` names layers whose labels the corpus has; what is missing there is found.
        """
        out: dict[str, list[list[str]]] = {name: [] for name in self.names}
        for part in self.annotate_parts(data, known=known, decode=decode):
            for name in out:
                out[name] += cast("list[list[str]]", part.lists(name))
        return out

    def annotate(
        self, data: Any, *, known: Iterable[str] = (), decode: Decode | None = None
    ) -> Corpus:
        """The corpus with a column of labels for every layer."""
        return Corpus.concatenate(self.annotate_parts(data, known=known, decode=decode))

    def annotate_parts(
        self, data: Any, *, known: Iterable[str] = (), decode: Decode | None = None
    ) -> Iterator[Corpus]:
        """The same in parts, as they are decoded."""
        how, corpus = self._how(decode), self.corpus_of(data)
        for part, given in self.split(corpus, known):
            labelled = self._decoder.annotate(part, how, given)
            yield remove_columns(labelled, find_added_columns(corpus, self.representations))

    def tag(
        self, data: Any, *, known: Iterable[str] = (), decode: Decode | None = None
    ) -> list[PipelineTagging]:
        """Labels of every layer with their confidences: of tokens, of spans, of the whole."""
        how, split = self._how(decode), self.split(data, known)
        return [one for part, given in split for one in tag_corpus(self._decoder, part, how, given)]

    def tag_texts(
        self, texts: Iterable[str], *, unit: Unit | None = None, decode: Decode | None = None
    ) -> list[LayeredText]:
        """What each layer finds in raw texts; ``unit`` as for `Tagger.tag_texts`, by default as the
        training text of the last tagger was cut."""
        cut = self.cut_texts(texts, unit=unit)
        return layered_texts(cut, self.tag(cut.corpus, decode=decode), self.layers)

    def cut_texts(self, texts: Iterable[str], *, unit: Unit | None = None) -> CutTexts:
        """Raw texts cut as `tag_texts` does; their ``corpus`` is what can be tagged."""
        self.check()
        units = [one.model_.facts.get("unit") for a in self.layers for one in a.annotator.taggers]
        inputs = input_columns(self.layers, self.representations)
        column = inputs[0] if len(inputs) == 1 else "word"
        return cut_texts(texts, unit or (units[-1] if units else None) or "line", column)

    def predict_marginals(
        self, data: Any, *, known: Iterable[str] = (), decode: Decode | None = None
    ) -> dict[str, list[list[dict[str, float]]]]:
        """Probability of every label at every token, by layer; with joint decoding those of the
        joint model, else those of each layer given what it reads."""
        how = self._how(decode)
        out: dict[str, list[list[dict[str, float]]]] = {name: [] for name in self.names}
        for part, given in self.split(data, known):
            found = find_marginals(self._decoder, part, how, given)
            for layer in self.layers:
                rows = found[layer.name].tolist()
                shares = [dict(zip(layer.labels, row, strict=True)) for row in rows]
                out[layer.name] += [shares[a:b] for a, b in pairwise(part.bounds.tolist())]
        return out

    def predict_nbest(self, data: Any, k: int) -> list[list[tuple[dict[str, list[str]], float]]]:
        """The k best joint labellings of each sequence, with their probabilities."""
        split = self.split(data)
        return [ranked for part, _ in split for ranked in find_n_best(self._decoder, part, k)]

    def reports(self, data: Any) -> list[Report]:
        """How joint decoding of this data is computed, and how far it is from exact decoding where
        that is affordable: a report for each set of layers that hang together."""
        self.check()
        return self._decoder.reports(
            add_representations(self.corpus_of(data), self.representations)
        )

    def explain(self, sequence: Any, *, top: int = 5) -> PipelineExplanation:
        """Where joint decoding decides otherwise than the cascade, and which features made it so.

        ``sequence`` is one of a corpus, or a list of tokens.
        """
        self.check()
        return explain_changes(self._decoder, self._represented(sequence), top)

    def explain_layer(
        self, name: str, sequence: Any, *, top: int = 10, why_not: str | None = None
    ) -> Explanation:
        """Why one layer gives its labels; ``why_not`` as for `Tagger.explain`.

        A tagger is asked where it reads the best labels of the others. Of several models that
        decide together, such as the pool that ``auto`` makes, each source has the weighted sum of
        what it adds in all of them.
        """
        self.check()
        given = self._represented(sequence)
        tagger = self[name]
        labelled = self._decoder.annotate(given, self.decode, {})
        if isinstance(tagger, Tagger):
            return tagger.explain(labelled[0], top=top, why_not=why_not)
        place = self.names.index(name)
        passed = self._decoder.column_to_pass(self.decode, {})
        return explain_annotator(
            self.layers[place],
            annotate_in_order(self.layers[:place], given, passed),
            cast("list[str]", labelled.lists(name)[0]),
            words=words_of(given[0], has_template=True),
            top=top,
            why_not=why_not,
            threads=self.threads,
        )

    def _represented(self, sequence: Any) -> Corpus:
        """One sequence of a corpus, or of tokens, with the columns of representations."""
        one = sequence.to_corpus() if hasattr(sequence, "to_corpus") else self.corpus_of([sequence])
        return add_representations(one, self.representations)

    def corpus_of(self, data: Any) -> Corpus:
        """Any data that a pipeline reads, as a corpus."""
        return as_corpus(data, self.layers, self.representations)

    def joint_scores(self, corpus: Corpus) -> JointScores:
        """Scores of all layers over a corpus, for joint decoding."""
        return self._decoder.joint_scores(add_representations(corpus, self.representations), {})

    def last_potentials(self, corpus: Corpus, decode: Decode) -> Potentials:
        """Scores of the last layer given what those below pass on; of data that `split` gives."""
        passed = self._decoder.column_to_pass(decode, {})
        filled = annotate_in_order(self.layers[:-1], corpus, passed)
        return self.layers[-1].annotator.potentials(filled, {})

    def split(
        self, data: Any, known: Iterable[str] = ()
    ) -> Iterator[tuple[Corpus, dict[str, Known]]]:
        """Data in parts that are decoded at a time, represented, with labels of layers that are
        known."""
        self.check()
        layers = [layer_named(name, self.layers) for name in known]
        corpus = add_representations(
            self.corpus_of(data), find_corpus_readers(self.representations)
        )
        for part in split_corpus(corpus, self.layers):
            given = {layer.name: known_labels(layer.name, layer.labels, part) for layer in layers}
            yield add_representations(part, self.representations), given

    @property
    def _decoder(self) -> Decoder:
        return Decoder(self.layers, self.lattice, self.inference, self.epsilon, self.threads)

    def _how(self, decode: Decode | None) -> Decode:
        how = self.decode if decode is None else decode
        check_choice("decoding", how, DECODINGS)
        return how
