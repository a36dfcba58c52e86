"""Representations that survive a change of domain, after Huang and Yates (2012)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from dovetail import DataError
from dovetail.compare import fingerprint
from experiments.common.experiment import Experiment, Say
from experiments.domains import entities
from experiments.domains.contexts import Context
from experiments.domains.data import DomainData, genre_data
from experiments.domains.features import (
    chinese_features,
    chinese_features_with_context,
    english_features,
)
from experiments.domains.published_results import WORDS
from experiments.domains.study import Arm, DomainStudy
from experiments.domains.systems import OURS, PAPER, System, further_systems, systems
from experiments.readers.brown import read_brown
from experiments.readers.genres import Genres
from experiments.readers.lcmc import GENRES, read_lcmc

DATA = ("lcmc", "radicals", "brown", *entities.DATA)
PRINTED = replace(PAPER, biased={**PAPER.biased, "scaling": "paper"})
RECIPES = {"paper": PAPER, "printed": PRINTED, "ours": OURS}
LAYERS = 7
FEWER_LAYERS = 3  # as the paper has it they are slow: so many where there is much text
N_LABELLED = round(0.9 * WORDS["news"])  # of the paper
N_READ = {genre: round(0.8 * WORDS[genre]) for genre in GENRES}
SETTINGS: Mapping[str, Mapping[str, Any]] = {
    "S": {"n_labelled": N_LABELLED, "n_read": N_READ},
    "M": {"n_labelled": N_LABELLED},
    "L": {},
}
"""S is as small as the paper's data, M has all text there is to read, L all labels too."""

PENALTIES = (0.01, 0.03, 0.1)
ENTITY_PENALTIES = (0.1, 0.3)
SIGMAS = (0.1, 1.0, 10.0, 100.0, 1000.0)
ALPHAS = (0.01, 1.0, 100.0)
NATS = (0.5, 1.0, 2.0, 4.0)
WEIGHTS = (0.3, 1.0, 3.0, 10.0)
STRENGTHS, SWITCHED, CONTEXTS = "Strengths", "Switched", "Contexts"
RANDOM_START = ", random start"
QUICK = ("CRF", "classes", "HMM", "HMM+E", "I-HMM", "P-HMM+D+E")
MAIN = (
    *QUICK,
    "I-classes",
    "HMM+D",
    "HMM+D+E",
    "I-HMM+E",
    "I-HMM+E, around",
    "I-HMM+D+E",
    "P-HMM+E",
)
ONE_LAYER = ("CRF", "HMM", "HMM+E", "HMM+D", "HMM+D+E")  # as the paper has it, layers are slow


@dataclass(frozen=True)
class DomainExperiment(Experiment):
    """Chinese and English parts of speech in many genres, entities in four data sets, two tasks
    switched, strengths of biases, distances in context; with ``quick`` a few systems on little
    Chinese text.

    ``n_draws`` is how many samples there are of small data; ``only`` names some studies.
    """

    only: tuple[str, ...] = ()

    def studies(
        self,
        threads: int | None,  # noqa: ARG002 - nothing is trained beforehand
        say: Say | None = None,  # noqa: ARG002
    ) -> dict[str, DomainStudy]:
        """The studies by name, the longest first."""
        if self.quick:
            made = [self._genres("Chinese", "S", "ours", only=QUICK)]
        else:
            both = ("paper", "ours")
            made = [
                self._genres("Chinese", "L", "ours", only=MAIN),
                self._genres("Chinese", "L", "paper", only=ONE_LAYER),
                *(self._entities(recipe) for recipe in both),
                *(self._genres("Chinese", "M", recipe) for recipe in both),
                self._genres("Chinese", "M, context", "ours", only=MAIN),
                self._genres("English", "M", "ours"),
                *(self._genres(lg, "S", r) for lg in ("Chinese", "English") for r in both),
                self._genres("Chinese", "S", "printed", only=ONE_LAYER),
                self._genres("English", "S", "printed", only=ONE_LAYER),
                self._entities("printed", only=ONE_LAYER),
                *(self._switched(label, r) for label in ("pos", "ner") for r in both),
                self._strengths(),
                self._contexts(),
            ]
        names = [study.name for study in made]
        if unknown := [name for name in self.only if name not in names]:
            raise DataError(f"there is no study '{unknown[0]}'; choose from {'; '.join(names)}")
        return {study.name: study for study in made if not self.only or study.name in self.only}

    def _genres(
        self, language: str, setting: str, recipe: str, only: Sequence[str] = ()
    ) -> DomainStudy:
        much = recipe != "ours" and setting != "S"
        found = systems(FEWER_LAYERS if much else LAYERS)
        if recipe == "ours":
            found |= further_systems(LAYERS)
        return self._study(
            f"{language} {setting}, {recipe}",
            partial(_genre_data, self.data, language, setting),
            {name: Arm(found[name], RECIPES[recipe]) for name in only or found},
            ["lcmc", "radicals"] if language == "Chinese" else ["brown"],
            n_seeds=self.n_draws if setting == "S" else 1,
        )

    def _entities(self, recipe: str, only: Sequence[str] = ()) -> DomainStudy:
        found = systems(LAYERS if recipe == "ours" else FEWER_LAYERS)
        return self._study(
            f"Entities, {recipe}",
            lambda seed: entities.entity_data(self.data),  # noqa: ARG005 - there is one sample
            {name: Arm(found[name], RECIPES[recipe]) for name in only or found},
            entities.FOLDERS,
            penalties=ENTITY_PENALTIES,
            scheme="IOB2",
        )

    def _switched(self, label: str, recipe: str) -> DomainStudy:
        biased = {f"HMM+E({of})": System(properties="E", labels=of) for of in ("pos", "ner")}
        return self._study(
            f"{SWITCHED} {label}, {recipe}",
            partial(entities.two_task_data, self.data, label),
            {n: Arm(s, RECIPES[recipe]) for n, s in {"HMM": System(), **biased}.items()},
            ["conll2003"],
            n_seeds=self.n_draws,
            scheme="IOB2" if label == entities.LABEL else "none",
        )

    def _strengths(self) -> DomainStudy:
        """The biases of the paper at many strengths: the grid of its Figure 2, and the distance of
        its Figure 4, with properties read as means and as printed; and ours."""
        arms = {"HMM": Arm(System(), PAPER)}
        arms["D+E as printed, sigma 100, alpha 0.01"] = Arm(System(properties="DE"), PRINTED)
        for sigma in SIGMAS:
            scaled = {**PAPER.biased, "sigma": sigma}
            for alpha in ALPHAS:
                recipe = replace(PAPER, biased=scaled, distance=alpha)
                arms[grid_name(sigma, alpha)] = Arm(System(properties="DE"), recipe)
            alone = replace(PAPER, biased=scaled, distance=1.0)
            arms[f"D, sigma {sigma:g}"] = Arm(System(properties="D"), alone)
            printed = replace(PAPER, biased={**scaled, "scaling": "paper"}, distance=1.0)
            arms[f"D as printed, sigma {sigma:g}"] = Arm(System(properties="D"), printed)
        for nats in NATS:
            recipe = replace(PAPER, biased={}, distance=nats)
            arms[f"D, {nats:g} nats"] = Arm(System(properties="D"), recipe)
        arms["HMM, ours"] = Arm(System(), OURS)
        for weight in WEIGHTS:
            of_labels = Arm(System(properties="E"), replace(OURS, entropy=weight))
            of_domains = Arm(System(properties="D"), replace(OURS, distance=weight))
            arms[f"E, weight {weight:g}, ours"] = of_labels
            arms[f"D, weight {weight:g}, ours"] = of_domains
        make = partial(_genre_data, self.data, "Chinese", "S")
        return self._study(STRENGTHS, make, arms, ["lcmc", "radicals"])

    def _contexts(self) -> DomainStudy:
        """States that are used alike in each class of words, and after each state; with a weight
        of 0 trained as long without a bias. From a random start too: from classes of words, states
        are theirs already."""
        kinds: dict[str, Context] = {"D per class": "class", "D on bigrams": "bigram"}
        arms = {}
        for start, recipe in (("", OURS), (RANDOM_START, replace(OURS, hmm={"start": "random"}))):
            without = Arm(System(context="class"), replace(recipe, distance=0.0))
            arms[f"HMM, trained as long{start}"] = without
            for weight in WEIGHTS[2:3] if start else WEIGHTS[:3]:
                biased = replace(recipe, distance=weight)
                if not start:
                    arms[f"D, weight {weight:g}"] = Arm(System(properties="D"), biased)
                for kind, context in kinds.items():
                    arms[f"{kind}, weight {weight:g}{start}"] = Arm(System(context=context), biased)
        make = partial(_genre_data, self.data, "Chinese", "S")
        return self._study(CONTEXTS, make, arms, ["lcmc", "radicals"])

    def _study(
        self,
        name: str,
        make: Callable[[int], DomainData],
        arms: Mapping[str, Arm],
        folders: Sequence[str],
        *,
        n_seeds: int = 1,
        penalties: Sequence[float] = PENALTIES,
        **more: Any,
    ) -> DomainStudy:
        return DomainStudy(
            name,
            make,
            arms,
            n_seeds=n_seeds,
            penalties=penalties,
            data_fingerprint=fingerprint(*(self.data / folder for folder in folders)),
            **more,
        )


def grid_name(sigma: float, alpha: float) -> str:
    """The name of a place in the grid."""
    return f"D+E, sigma {sigma:g}, alpha {alpha:g}"


def _genre_data(folder: Path, language: str, setting: str, seed: int) -> DomainData:
    size, _, context = setting.partition(", ")
    if language == "Chinese":
        own = chinese_features_with_context if context else chinese_features
        features = own(folder / "radicals")
    else:
        features = english_features()
    return genre_data(_read(folder, language), "pos", features, seed=seed, **SETTINGS[size])


@cache
def _read(folder: Path, language: str) -> Genres:
    if language == "Chinese":
        return read_lcmc(folder / "lcmc")
    return read_brown(folder / "brown")
