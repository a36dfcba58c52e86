"""python-crfsuite's ``Tagger`` on our engine."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from dovetail.chain.inference import log_likelihoods
from dovetail.chain.model import ANY_LABEL
from dovetail.errors import DataError
from dovetail.interop.crfsuite_items import decode_name, read_items
from dovetail.interop.export import extract_weights
from dovetail.interop.models import import_content
from dovetail.io.files import write_text
from dovetail.numeric import exp

if TYPE_CHECKING:
    from dovetail import _native
    from dovetail.chain.model import ChainModel
    from dovetail.chain.tagger import Tagger as OurTagger


class ParsedDump:
    """A model's labels, attributes and weights by name, as python-crfsuite's ``info`` has them."""

    def __init__(self) -> None:
        self.header: dict[str, str] = {}
        self.labels: dict[str, str] = {}
        self.attributes: dict[str, str] = {}
        self.transitions: dict[tuple[str, str], float] = {}
        self.state_features: dict[tuple[str, str], float] = {}


class Tagger:
    """Labels for sequences, by a model of CRFsuite's or of ours.

    A tagger remembers the last sequence that it was given, so it is not for use by several threads;
    the model, ``dovetail.interop.import_model(path)``, is.
    """

    def __init__(self) -> None:
        self._tagger: OurTagger | None = None
        self._batch: _native.Batch | None = None
        self._marginals: list[list[float]] | None = None
        self._size = 0

    def open(self, name: str | os.PathLike[str]) -> contextlib.closing[Tagger]:
        """Open a model file; use it in a ``with`` block, or close it by hand."""
        with open(name, "rb") as file:  # a missing file is Python's own error, as there
            content = file.read()
        return self._opened(content, os.fspath(name))

    def open_inmemory(self, value: bytes) -> contextlib.closing[Tagger]:
        """Open a model from the content of a file."""
        return self._opened(bytes(memoryview(value)), "the model")

    def _opened(self, content: bytes, name: str) -> contextlib.closing[Tagger]:
        self.close()
        self._tagger, self._size = import_content(content, name, threads=1), len(content)
        return contextlib.closing(self)

    def close(self) -> None:
        """Let go of the model."""
        self._tagger = self._batch = self._marginals = None

    @property
    def _model(self) -> ChainModel:
        if self._tagger is None:
            raise DataError("The tagger is not opened")
        return self._tagger.model_

    def labels(self) -> list[str]:
        """The model's labels."""
        return list(self._model.labels)

    def set(self, xseq: Iterable[Any]) -> None:
        """The sequence that `tag`, `probability` and `marginal` are about."""
        self._batch = read_items(self._model.encode, [xseq])
        self._marginals = None

    def tag(self, xseq: Iterable[Any] | None = None) -> list[str]:
        """The best labels of a sequence, by default the one that was set last."""
        model = self._model
        if xseq is not None:
            self.set(xseq)
        if self._batch is None:
            return []
        codes = model.native.viterbi(self._batch, model.constraints, ANY_LABEL, 1)[0]
        labels = model.labels
        return [labels[code] for code in codes.tolist()]

    def probability(self, yseq: Iterable[str]) -> float:
        """The probability of a label sequence for the sequence that was set last."""
        model, batch = self._model, self._current()
        labels = [decode_name(label) for label in yseq]
        if not batch.n_tokens and not labels:
            return 1.0
        return float(exp(log_likelihoods(model, batch, [labels], 1)[0]))

    def marginal(self, y: str, pos: int) -> float:
        """The probability of a label at a place of the sequence that was set last."""
        model, batch = self._model, self._current()
        label = decode_name(y)
        if label not in model.labels:
            raise DataError(f"Failed to convert into label identifier: {label}")
        if not 0 <= pos < batch.n_tokens:
            raise DataError(f"The position, {pos} is out of range of {batch.n_tokens}")
        if self._marginals is None:
            found = model.native.posteriors(batch, model.constraints, ANY_LABEL, 1)[0]
            self._marginals = found.tolist()
        return self._marginals[pos][model.labels.index(label)]

    def _current(self) -> _native.Batch:
        if self._batch is None:
            raise DataError("give a sequence first: tagger.set(xseq)")
        return self._batch

    def info(self) -> ParsedDump:
        """The model's weights by name."""
        names, labels = self._model.names, self._model.labels
        assert self._tagger is not None
        weights = extract_weights(self._tagger)
        out = ParsedDump()
        out.labels = {label: str(number) for number, label in enumerate(labels)}
        out.attributes = {name: str(number) for number, name in enumerate(names)}
        out.header = {
            "size": str(self._size),
            "num_labels": str(len(labels)),
            "num_attrs": str(len(names)),
        }
        for feature, previous, label, weight in zip(
            *(column.tolist() for column in weights[2:]), strict=True
        ):
            if feature < 0:
                out.transitions[labels[previous], labels[label]] = weight
            elif previous < 0:
                out.state_features[names[feature], labels[label]] = weight
        return out

    def dump(self, filename: str | None = None) -> None:
        """The model as text, into a file or to standard output."""
        info = self.info()
        sections: dict[str, Iterable[str]] = {
            "FILEHEADER": (f"  {name}: {value}" for name, value in info.header.items()),
            "LABELS": (f"  {number:>5}: {name}" for name, number in info.labels.items()),
            "ATTRIBUTES": (f"  {number:>5}: {name}" for name, number in info.attributes.items()),
            "TRANSITIONS": (f"  (1) {a} --> {b}: {w:f}" for (a, b), w in info.transitions.items()),
            "STATE_FEATURES": (
                f"  (0) {a} --> {b}: {w:f}" for (a, b), w in info.state_features.items()
            ),
        }
        with write_text(sys.stdout if filename is None else filename) as file:
            for title, lines in sections.items():
                file.write("\n".join([f"{title} = {{", *lines, "}", "", ""]))
