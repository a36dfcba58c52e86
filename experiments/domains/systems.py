"""Systems that carry a tagger to other domains: representations, and how taggers read them.

CRF        the tagger alone
classes    it reads exchange classes of words; I-classes: several sets, which differ by their start
HMM        it reads states of a hidden Markov model; +E: biased to tell the labels of the source,
           +D: biased to be used alike in source and target
I-HMM      it reads several such models, which differ by where they start
P-HMM      it reads several, each biased not to tell the states of those before it
around     it also reads the states of both neighbours
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any, Literal

from dovetail import Corpus, Template, column
from dovetail.representation import HMM, BiasedHMM, Distance, Entropy, LayeredHMM, WordClasses
from experiments.domains.contexts import Context, context_distances, learn_alike
from experiments.domains.data import DomainData

AROUND = ", around"
SEEDS_APART = 100  # more than layers, each of which takes the next seed


@dataclass(frozen=True)
class Recipe:
    """How representations are learned and read.

    ``hmm`` has settings of all models, ``biased`` those of biases; ``entropy``, ``distance`` and
    ``repel`` are weights of the three. One of ``values`` is that of a state in the tagger. With
    ``left_out``, states of labelled text have not seen its labels.
    """

    hmm: Mapping[str, Any]
    entropy: float
    distance: float
    repel: float
    values: Sequence[float]
    left_out: bool
    biased: Mapping[str, Any] = field(default_factory=dict)


PAPER = Recipe(
    hmm={
        "start": "random",
        "update": "em",
        "rare": "one",
        "soft": False,
        "rounds": 35,
        "tolerance": 1e-5,
    },
    entropy=1.0,
    distance=0.01,  # alpha
    repel=100.0,  # beta
    values=(1.0,),
    left_out=False,
    biased={"sigma": 100.0, "scaling": "mean"},  # as printed they do even less: see strengths
)
OURS = Recipe(
    hmm={},
    entropy=0.3,
    distance=0.3,
    repel=0.3,
    values=(0.5, 0.3, 0.2, 0.1),
    left_out=True,
)


@dataclass(frozen=True)
class System:
    """What is learned: ``properties`` are the letters of biases, ``labels`` the column of that
    towards a task where it is not the tagger's own. ``context`` is that in which states are to be
    used alike."""

    kind: Literal["none", "classes", "hmm"] = "hmm"
    properties: str = ""
    layers: int = 1
    repelled: bool = False
    labels: str | None = None
    context: Context | None = None


def systems(layers: int) -> dict[str, System]:
    """Those of the paper, and classes."""
    both = System(properties="DE")
    return {
        "CRF": System("none"),
        "classes": System("classes"),
        "HMM": System(),
        "HMM+E": System(properties="E"),
        "HMM+D": System(properties="D"),
        "HMM+D+E": both,
        "I-HMM+D+E": replace(both, layers=layers),
        "P-HMM+D+E": replace(both, layers=layers, repelled=True),
    }


def further_systems(layers: int) -> dict[str, System]:
    """Layers without all biases, and with the states of neighbours; classes with a bias and in
    layers."""
    towards_labels = System(layers=layers, properties="E")
    return {
        "I-HMM": System(layers=layers),
        "I-HMM+E": towards_labels,
        "I-HMM+E" + AROUND: towards_labels,
        "P-HMM+E": System(layers=layers, properties="E", repelled=True),
        "classes+E": System("classes", properties="E"),
        "I-classes": System("classes", layers=layers),
    }


@dataclass(frozen=True)
class Represented:
    """Labelled text with the columns of a representation, how other text gets them, and what is
    known of it besides."""

    train: Corpus
    development: Corpus
    annotate: Callable[[Corpus], Corpus]
    columns: Sequence[str]
    properties: Mapping[str, float] = field(default_factory=dict)


def represented(
    data: DomainData, system: System, recipe: Recipe, *, seed: int, states: int
) -> Represented:
    """Learn a system's representation from the source and from text of the targets."""
    if system.kind == "none":
        return Represented(data.train, data.development, lambda corpus: corpus, ())
    first_seed = seed * SEEDS_APART
    declared: dict[str, Distance | Entropy] = {
        "E": Entropy(system.labels or data.label, recipe.entropy),
        "D": Distance(recipe.distance),
    }
    properties: list[Distance | Entropy] = [declared[letter] for letter in system.properties]
    if system.kind == "classes":
        return _in_classes(data, system.layers, properties, first_seed, states)
    if system.context is not None:
        return _alike(data, system.context, recipe, first_seed, states)
    own = {**recipe.hmm, "value": 1.0, "seed": first_seed, "threads": 1}
    biased = bool(properties)
    of = BiasedHMM(states, properties, **own, **recipe.biased) if biased else HMM(states, **own)
    repel = recipe.repel if system.repelled else 0.0
    learned = LayeredHMM(system.layers, of, repel=repel).fit(data.train, data.text)
    if "E" in system.properties and recipe.left_out:
        train = learned.annotate_left_out(data.train, data.text)
    else:
        train = learned.annotate(data.train)
    development = learned.annotate(data.development)
    return Represented(train, development, learned.annotate, learned.names_)


def _alike(
    data: DomainData, context: Context, recipe: Recipe, seed: int, states: int
) -> Represented:
    """A model whose states are used alike in each context."""
    settings = {**recipe.hmm, "value": 1.0, "seed": seed, "threads": 1}
    learned = learn_alike(context, recipe.distance, states, data.train, data.text, **settings)
    train, development = learned.annotate(data.train), learned.annotate(data.development)
    apart = context_distances(learned, states, data.train, data.text, seed=seed)
    return Represented(train, development, learned.annotate, [learned.name_], apart)


def _in_classes(
    data: DomainData, layers: int, properties: Sequence[Distance | Entropy], seed: int, states: int
) -> Represented:
    """Sets of classes; where labels bias them, those of the training text are cross-fitted."""
    sets = [
        WordClasses(states, properties, name=f"class{k + 1}", seed=seed + k) for k in range(layers)
    ]
    train = data.train
    for classes in sets:
        classes.fit(data.train, data.text)
        if classes.biased_by_:
            own = classes.annotate_cross_fitted(data.train, data.text)
            train = train.with_column(classes.name_, own.column(classes.name_))
        else:
            train = classes.annotate(train)

    def annotate(corpus: Corpus) -> Corpus:
        return reduce(lambda made, classes: classes.annotate(made), sets, corpus)

    names = [classes.name_ for classes in sets]
    return Represented(train, annotate(data.development), annotate, names)


def reading(
    features: Template, columns: Sequence[str], value: float, *, around: bool = False
) -> Template:
    """Features, and those of a representation's columns with a value of their own; those of
    neighbours with half of it."""
    more = [value * column(name) for name in columns]
    if around:
        more += [value / 2 * column(name)[offset] for name in columns for offset in (-1, 1)]
    tables, lexicons = features.tables, features.lexicons
    return Template(*features.expressions, *more, tables=tables, lexicons=lexicons)
