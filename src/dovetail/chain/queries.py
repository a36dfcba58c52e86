"""What is asked of a trained tagger: labels, probabilities, explanations, what it has learned.

Only what tagging needs is imported here; NumPy and corpora come in when they are used.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from dovetail.base.estimator import Estimator
from dovetail.chain.inputs import encode_input, resolve_template, tag_input
from dovetail.cores import count_cores
from dovetail.data import is_dataset
from dovetail.errors import DataError, DovetailError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from dovetail._native import Batch
    from dovetail.chain.explain import Explanation
    from dovetail.chain.model import ChainModel
    from dovetail.chain.tagged_text import CutTexts, TaggedText
    from dovetail.chain.tagging import Decode, Tagging
    from dovetail.corpus import Unit
    from dovetail.features import Featurizer, Labels, Template


class TaggerQueries(Estimator):
    """A linear-chain CRF in use. `dovetail.chain.tagger.Tagger` adds how it comes to be trained."""

    features: Template | Featurizer | str | None
    threads: int | None
    model_: ChainModel

    @property
    def _threads(self) -> int:
        return self.threads or count_cores()

    def encode(self, data: Any) -> Batch:
        """The features of some data that the model has weights for, by number."""
        return encode_input(data, self.model_, self.features)

    def predict(
        self, data: Any, *, decode: Decode = "viterbi", allowed: Iterable[Labels] | None = None
    ) -> list[list[str]]:
        """Labels of every token: the best sequence, or each token's most probable label."""
        if decode == "viterbi" and allowed is None and not is_dataset(data):
            return tag_input(data, self.model_, self.features, self._threads)
        from dovetail.chain.inference import best_labels, mask_allowed

        model, batch = self.model_, self.encode(data)
        return best_labels(model, batch, decode, mask_allowed(model, batch, allowed), self._threads)

    def predict_marginals(
        self, data: Any, *, allowed: Iterable[Labels] | None = None
    ) -> list[list[dict[str, float]]]:
        """Probability of every label at every token."""
        from dovetail.chain.inference import label_probabilities, mask_allowed

        model, batch = self.model_, self.encode(data)
        return label_probabilities(model, batch, mask_allowed(model, batch, allowed), self._threads)

    def marginals(self, data: Any) -> npt.NDArray[np.float64]:
        """The same as an array [tokens x labels], the labels in the order of `labels_`."""
        from dovetail.chain.inference import marginals

        return marginals(self.model_, self.encode(data), self._threads)

    def predict_nbest(self, data: Any, k: int) -> list[list[tuple[list[str], float]]]:
        """The k best label sequences of each sequence, with their probabilities."""
        from dovetail.chain.inference import n_best

        return n_best(self.model_, self.encode(data), k, self._threads)

    def tag(
        self, data: Any, *, decode: Decode = "viterbi", allowed: Iterable[Labels] | None = None
    ) -> list[Tagging]:
        """Labels with token confidences, span and sequence probabilities."""
        from dovetail.chain.inference import check_decoder, mask_allowed
        from dovetail.chain.tagging import tag_batch

        check_decoder(decode)
        model, batch = self.model_, self.encode(data)
        masks = mask_allowed(model, batch, allowed)
        try:
            return tag_batch(model, batch, decode=decode, allowed=masks, threads=self._threads)
        except ValueError as error:
            raise DataError(str(error)) from None

    def tag_texts(self, texts: Iterable[str], *, unit: Unit | None = None) -> list[TaggedText]:
        """What is found in raw texts: of each its spans, by characters, with probabilities.

        A text is cut into lines, paragraphs or nothing (``document``) by ``unit``: by default as
        the training text was cut, or else into lines.
        """
        from dovetail.chain.tagged_text import TaggedText

        cut = self.cut_texts(texts, unit=unit)
        by_spans = self.model_.facts["scheme"] != "none"
        found = cut.place(self.tag(cut.data), by_spans=by_spans)
        return [TaggedText(*one) for one in zip(cut.texts, found, strict=True)]

    def cut_texts(self, texts: Iterable[str], *, unit: Unit | None = None) -> CutTexts:
        """Raw texts cut as `tag_texts` does; their ``data`` is what can be tagged."""
        from dovetail.chain.tagged_text import cut_texts

        template, reads = self.template_, self.reads_
        return cut_texts(
            texts,
            unit or self.model_.facts.get("unit") or "line",
            reads[0] if len(reads) == 1 else "word",
            needs_corpus=template is None or not template.reads_words_alone,
        )

    def log_likelihood(self, data: Any, labels: Iterable[Sequence[str]]) -> list[float]:
        """Log-probability of the given labels of each sequence."""
        from dovetail.chain.inference import log_likelihoods

        return log_likelihoods(self.model_, self.encode(data), labels, self._threads)

    def sample(self, data: Any, n: int, *, seed: int = 0) -> list[list[list[str]]]:
        """n label sequences for each sequence, drawn from the model's distribution."""
        from dovetail.chain.inference import sample_labels

        return sample_labels(self.model_, self.encode(data), n, seed)

    def explain(self, sequence: Any, *, top: int = 10, why_not: str | None = None) -> Explanation:
        """What each feature and each neighbour adds to every decision in one sequence of a corpus,
        of tokens, or of token features.

        Each label is set against its strongest rival, or against ``why_not``, a label or a type of
        span that was expected.
        """
        from dovetail.chain.explain import explain, words_of

        model = self.model_
        try:
            batch = self.encode(sequence if hasattr(sequence, "to_corpus") else [sequence])
            words = words_of(sequence, has_template=self.template_ is not None)
            return explain(model, batch, top, self._threads, words=words, why_not=why_not)
        except DovetailError:
            raise
        except ValueError as error:
            raise DataError(str(error)) from None

    # Looking inside

    @property
    def labels_(self) -> list[str]:
        return list(self.model_.labels)

    @property
    def template_(self) -> Template | None:
        """The template that it was trained with; None where features were given otherwise."""
        return resolve_template(self.model_, self.features)

    @property
    def reads_(self) -> tuple[str, ...]:
        """Columns that it reads, as far as that is known."""
        template = self.template_ if self.is_fitted else self.features
        return getattr(template, "columns", ())

    @property
    def c2_(self) -> float | None:
        """The L2 penalty that training used, also where ``c2`` left it open; of an imported model
        it is not known."""
        return self.training_.get("prior_c2")

    @property
    def n_features_(self) -> int:
        return self.model_.native.n_features

    @property
    def training_(self) -> dict[str, Any]:
        """Facts of the training: settings, sizes, why and when it stopped."""
        return dict(self.model_.facts["training"])

    @property
    def label_column_(self) -> str | None:
        """The corpus column that the tagger was trained on."""
        return self.model_.facts["label"]  # type: ignore[no-any-return]

    @property
    def n_weights_(self) -> int:
        from dovetail.chain.weights import weight_table

        return len(weight_table(self.model_).weight)

    def top_weights(self, n: int = 20, *, label: str | None = None) -> list[tuple[str, str, float]]:
        """The n largest weights (feature, label, weight), of one label or of all."""
        from dovetail.chain.weights import largest_weights

        return largest_weights(self.model_, n, label)

    def transitions(self) -> dict[tuple[str, str], float]:
        """Weight of every transition from one label to the next."""
        model = self.model_
        rows = model.native.transitions().tolist()
        return {
            (a, b): rows[i][j]
            for i, a in enumerate(model.labels)
            for j, b in enumerate(model.labels)
        }
