"""Several hidden Markov models as one representation: independent, or repelled by one another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dovetail.base.representation import Representation
from dovetail.base.training import was_interrupted
from dovetail.corpus import Column, Corpus
from dovetail.errors import DataError
from dovetail.io.model_file import ModelFile, Source
from dovetail.representation.annotation import Corpora
from dovetail.representation.bias.predict import Predict
from dovetail.representation.file import open_representation_file, to_bytes
from dovetail.representation.hmm.biased.biased import BiasedHMM
from dovetail.representation.hmm.hmm import HMM
from dovetail.representation.hmm.steps import Progress

LayerCallback = Callable[[int, Progress], bool | None]


class LayeredHMM(Representation):
    """Layers of hidden Markov models over the same text, each with a column of its own.

    Independent layers (I-HMM) differ by their seeds. Repelled ones (P-HMM) are also biased against
    telling the states of those before them, see `Predict`.

    Parameters
    ----------
    layers
        How many.
    of
        The model that each layer is like, an `HMM` or a `BiasedHMM`; its name gets numbers.
    repel
        Weight of the bias against earlier layers, in nats a token; 0 makes layers independent.

    >>> corpus = Corpus.from_lists({"word": [["a", "cat", "sat"], ["the", "dog", "ran"]] * 3})
    >>> layered = LayeredHMM(2, HMM(2, min_count=1, rounds=3)).fit(corpus)
    >>> layered.annotate(corpus).names
    ('word', 'state1', 'state2')
    """

    kind = "layered hidden Markov model"
    fitted_by = "layers_"

    layers_: list[HMM]
    stopped_: str

    def __init__(self, layers: int = 7, of: HMM | None = None, *, repel: float = 0.0) -> None:
        self.layers = layers
        self.of = of
        self.repel = repel
        self._check_parameters()

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.layers < 1:
            raise DataError(f"there cannot be {self.layers} layers; give at least 1")
        if not (np.isfinite(self.repel) and self.repel >= 0):
            raise DataError(f"repel is {self.repel}; give a number of at least 0")

    @property
    def pattern(self) -> HMM:
        """The model that each layer is like."""
        return HMM() if self.of is None else self.of

    @property
    def name_(self) -> str:
        return self.pattern.name

    @property
    def reads_(self) -> tuple[str, ...]:
        return self.pattern.reads_

    @property
    def names_(self) -> tuple[str, ...]:
        return self._names(len(self.layers_) if self.is_fitted else self.layers)

    def _names(self, n: int) -> tuple[str, ...]:
        return tuple(f"{self.name_}{k + 1}" for k in range(n))

    @property
    def chooses_value_(self) -> bool:
        return self.pattern.chooses_value_

    @property
    def biased_by_(self) -> tuple[str, ...]:
        return self.pattern.biased_by_

    @property
    def labels_(self) -> list[str]:
        return self.pattern.labels_

    def fit(
        self,
        source: Corpora,
        target: Corpora | None = None,
        *,
        held_out: Corpora | None = None,
        patience: int = 3,
        callback: LayerCallback | None = None,
    ) -> LayeredHMM:
        """Train all layers; ``callback`` is called with a layer's number and a `Progress`.

        ``held_out`` and ``patience`` are those of `HMM.fit`, for each layer. Ctrl-C ends the
        training with the layers that there are, the last of them as it is then.
        """
        options: dict[str, Any] = {"held_out": held_out, "patience": patience}
        texts = [source] if target is None else [source, target]
        corpora = [[c] if isinstance(c, Corpus) else list(c) for c in texts]
        trained: list[HMM] = []
        stopped = ""
        for number, name in enumerate(self._names(self.layers)):
            layer = self._layer(number)
            own: Any = None if callback is None else _with_number(callback, number + 1)
            try:
                if trained and self.repel:
                    last = trained[-1]
                    corpora = [[_with_states(last, last.name_, c) for c in p] for p in corpora]
                if isinstance(layer, BiasedHMM):
                    layer.fit(*corpora, callback=own, **options)
                else:
                    layer.fit([c for part in corpora for c in part], callback=own, **options)
            except KeyboardInterrupt:
                if not trained:
                    raise
                stopped = f"interrupted before '{name}' had a round; the layers before it are kept"
                break
            trained.append(layer)
            stopped = layer.stopped_
            if was_interrupted(stopped):
                break
        self.layers_, self.stopped_ = trained, stopped
        return self

    def _layer(self, number: int) -> HMM:
        """A layer to be trained, like the given one but for its seed, name and repulsion."""
        pattern = self.pattern
        *earlier, name = self._names(number + 1)
        own = {**pattern.get_params(deep=False), "seed": pattern.seed + number, "name": name}
        if self.repel and earlier:
            properties = [*own.pop("properties", ()), Predict(earlier, self.repel)]
            return BiasedHMM(properties=properties, **own)
        return type(pattern)(**own)

    def columns(self, corpus: Corpus) -> dict[str, Column]:
        found: dict[str, Column] = {}
        for layer in self.layers_:
            found.update(layer.columns(corpus))
        return found

    def annotate_left_out(self, source: Corpora, target: Corpora | None = None) -> Corpus:
        """The labelled training text with columns that have not seen its labels, see
        `BiasedHMM`."""
        corpora = [source] if target is None else [source, target]
        texts = [[c] if isinstance(c, Corpus) else list(c) for c in corpora]
        out = texts[0][0] if len(texts[0]) == 1 else Corpus.concatenate(texts[0])
        plain = out
        for layer, name in zip(self.layers_, self.names_, strict=True):
            if isinstance(layer, BiasedHMM):
                out = out.with_column(name, layer.annotate_left_out(*texts).column(name))
            else:
                out = out.with_column(name, layer.columns(plain)[name])
            if self.repel:
                texts = [[_with_states(layer, name, c) for c in part] for part in texts]
        return out

    def to_bytes(self) -> bytes:
        parts = [layer.to_bytes() for layer in self.layers_]
        arrays = {
            f"layer {k}": np.frombuffer(part + b" " * (-len(part) % 8), np.uint8)
            for k, part in enumerate(parts)
        }
        biased = [isinstance(layer, BiasedHMM) for layer in self.layers_]
        shape = {"layers": self.layers, "repel": self.repel}
        facts = {"settings": shape, "biased": biased, "stopped": self.stopped_}
        return to_bytes(self.kind, arrays, facts)

    @classmethod
    def load(cls, source: Source | ModelFile) -> LayeredHMM:
        """Layers from a file or from bytes."""
        with open_representation_file(source, cls.kind) as file:
            layers = [
                (BiasedHMM if biased else HMM).load(file.raw(f"layer {k}"))
                for k, biased in enumerate(file.facts["biased"])
            ]
            of = layers[0].clone().set_params(name=layers[0].name.removesuffix("1"))
            made = cls(of=of, **file.facts["settings"])
            made.layers_, made.stopped_ = list(layers), str(file.facts["stopped"])
        return made


def _with_states(layer: HMM, name: str, corpus: Corpus) -> Corpus:
    return corpus.with_column(name, Column(layer.best_states(corpus), tuple(layer.labels_)))


def _with_number(callback: LayerCallback, number: int) -> Callable[[Progress], bool | None]:
    return lambda progress: callback(number, progress)
