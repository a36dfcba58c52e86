"""The systems of a recipe, trained and scored on splits of its last task's data.

none      the last task alone: it sees nothing of the others
cascade   it reads the best labels of the tasks below
soft      it reads their probabilities, in training too
lattice   it reads their likeliest labellings, in training too
stacked   as cascade, with a second tagger that also reads the first one's labels around a token
joint     trained as cascade, and decoded together with the tasks below
auto      a pool of models with transfer, or none, chosen by cross-validation
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from functools import cached_property
from pathlib import Path
from typing import Any, cast

from dovetail import __version__
from dovetail.base.training import was_interrupted
from dovetail.compare.ablation import WITHOUT, ablated_systems, leave_out, with_empty_columns
from dovetail.compare.changes import joint_changes
from dovetail.compare.copies import (
    describe_copies,
    describe_groups,
    group_units,
    unit_bounds,
    unit_texts,
)
from dovetail.compare.design import (
    describe_reach,
    make_splits,
    overlap_of_draws,
    overlap_of_splits,
)
from dovetail.compare.further_measures import further_counts
from dovetail.compare.plan import Cell, Plan
from dovetail.compare.representations import Learned, Representations
from dovetail.corpus import Corpus
from dovetail.corpus.sequences import sequence_keys
from dovetail.errors import DataError
from dovetail.evaluate import evaluate, span_reliability
from dovetail.io.fingerprint import fingerprint
from dovetail.pipeline.choices import Decode, Training
from dovetail.pipeline.decode.single import missing
from dovetail.pipeline.pipeline import Pipeline
from dovetail.pipeline.representations import add_representations
from dovetail.pipeline.stacking import stack_taggers
from dovetail.pipeline.tasks import name_task_in_errors
from dovetail.pipeline.train.cross_fitting import shared_parts
from dovetail.recipe import Comparison, Recipe, Task
from dovetail.recipe.schema.tagger import TAGGER

LEAST = 2  # parts that a cross-fitting needs


class Experiment:
    """Everything that `run` needs to compare the systems of a recipe."""

    def __init__(
        self,
        recipe: Recipe,
        *,
        threads: int | None = None,
        corpora: Mapping[str, Corpus] | None = None,
        empty: Sequence[str] = (),
    ) -> None:
        """``corpora`` are the data, if read already; ``empty`` names columns that templates may
        read, though no task writes them any more."""
        self.recipe = recipe
        self.comparison = recipe.compare or Comparison()
        self.threads = threads
        read = recipe.corpora() if corpora is None else corpora
        self.corpora = with_empty_columns(read, recipe.tasks, empty)
        self.task: Task = recipe.tasks[-1]
        if self.task.name not in self.corpora:
            raise DataError(f"{recipe.path}: the last task, '{self.task.name}', has no data")
        self.corpus = self.corpora[self.task.name]
        with name_task_in_errors(self.task.name, recipe.path):
            self.label = recipe.label_of(self.task, self.corpus)
        self.below = [task.name for task in recipe.tasks[:-1]]
        self._units, self.unit = unit_bounds(self.corpus)
        self._n_units = len(self._units) - 1
        test = recipe.test_corpus()
        if test is not None:
            test = with_empty_columns({self.task.name: test}, [self.task], empty)[self.task.name]
        self._test = test
        groups = self._copies[1] if self.comparison.group_copies else None
        self.splits = make_splits(self.comparison, self._n_units, groups, recipe.seed)
        self._latest: tuple[tuple[int, int, str], Pipeline] | None = None
        self._ablated: dict[str, Experiment] = {}
        self._shared = [name for name in self.below if self._shares_text(name)]
        for part in self.comparison.without:  # what cannot be left out is told at once
            self._without(part)

    @cached_property
    def _representations(self) -> Representations:
        return Representations(self.recipe, self.corpora, self._test, self.label, self.threads)

    def _learned(self, split: int, size: int) -> Learned:
        """Representations, and corpora that taggers may learn from."""
        numbers = self._sequences(self.splits[split].train[:size])
        return self._representations.learned_from(numbers)

    def _without(self, part: str) -> Experiment:
        """The same comparison, with a part of the recipe left out."""
        if part not in self._ablated:
            recipe = leave_out(self.recipe, part, self._representations.columns)
            empty = [part] if part in self.below else []
            kept = {task.name: self.corpora[task.name] for task in recipe.tasks if task.data}
            self._ablated[part] = Experiment(
                recipe, threads=self.threads, corpora=kept, empty=empty
            )
        return self._ablated[part]

    @cached_property
    def _copies(self) -> tuple[list[str], list[int]]:
        """The words of each unit, and the groups of near copies."""
        texts = unit_texts(self.corpus, self.corpus.names[0], self._units)
        return texts, group_units(texts)

    @cached_property
    def notes(self) -> list[str]:
        """What makes scores too good, or differences impossible to prove: known beforehand."""
        found = []
        if self._test is not None:
            found.append(
                describe_copies(self.corpus, self._test, self.corpus.names[0], "test text")
            )
        elif not self.comparison.group_copies:
            texts, groups = self._copies
            copies = describe_groups(groups, texts, self.unit)
            found.append(copies and f"{copies}; group_copies = true in [compare] prevents it")
        what = "splits" if self._test is None else "draws"
        for size in (size for size in self.plan.sizes if size not in self.plan.once):
            where = f"{size:,} {self.unit}"
            found.append(describe_reach(len(self.splits), self._overlap(0, size), what, where))
        return [note for note in found if note]

    def _overlap(self, split: int, size: int) -> float:
        """How much splits have in common, for the corrected test."""
        n_test = len(self.splits[split].test)
        return overlap_of_splits(size, n_test) if n_test else overlap_of_draws(size, self._n_units)

    @property
    def plan(self) -> Plan:
        """Systems x splits x sizes."""
        full = min(len(split.train) for split in self.splits)
        too_large = next((size for size in self.comparison.sizes if size > full), None)
        if too_large is not None:
            raise DataError(
                f"{self.recipe.path}: a training size of {too_large} is asked for, but there are "
                f"{full} {self.unit} to train on"
            )
        drawn = self.comparison.draws > 1
        sizes = sorted({*self.comparison.sizes, *([] if drawn else [full])})
        if min(sizes) < LEAST and {"stacked", "auto"} & {*self.comparison.systems}:
            raise DataError(
                f"{self.recipe.path}: stacked and auto need at least {LEAST} {self.unit} to train "
                f"on, not {min(sizes)}"
            )
        once = [full] if drawn and full in sizes else []
        systems = ablated_systems(self.comparison.systems, self.comparison.without, self.below)
        return Plan(systems, len(self.splits), sizes, once)

    @property
    def fingerprint(self) -> str:
        """Of all that results depend on, but not of how many of them are wanted."""
        recipe = self.recipe
        plain = {
            name: value
            for name, value in vars(recipe).items()
            if name not in ("compare", "path") and value != ()
        }
        shares: tuple[Any, ...] = (self.comparison.train, self.comparison.folds)
        if self.comparison.group_copies:
            shares += ("group_copies",)
        beside = f"{recipe.path.parent}{os.sep}"
        text = repr(plain).replace(beside, "")  # the same wherever the recipe is called from
        return fingerprint(__version__, text, repr(shares), *recipe.files, *self.comparison.test)

    @property
    def facts(self) -> dict[str, Any]:
        """What is compared, in words for a report."""
        found: dict[str, Any] = {
            "recipe": str(self.recipe.path),
            "task": self.task.name,
            "data": f"{self._n_units:,} {self.unit}, {self.corpus.n_tokens:,} tokens",
            "features": _name_features(self.task),
            "penalty": _describe_penalty(self.task),
            "seed": self.recipe.seed,
        }
        if self.below:
            found["tasks below"] = ", ".join(self.below)
        if self.comparison.without:
            found["left out in turn"] = ", ".join(self.comparison.without)
        if self.recipe.training is not None:
            found["training"] = f"as each system has it, not {self.recipe.training}"
        if self._test is not None:
            found["tested on"] = f"{len(self._test):,} sequences of {self.comparison.test[0]}"
            if self.comparison.draws > 1:
                found["draws"] = f"{self.comparison.draws} random samples of each size"
        elif self.comparison.folds is not None:
            found["splits"] = f"{len(self.splits)} folds"
        else:
            found["splits"] = (
                f"{len(self.splits)}, at random, {self.comparison.train:.0%} to train on"
            )
        if self.comparison.group_copies:
            found["copies"] = "near copies are on one side of every split"
        if self.notes:
            found["beware"] = ". ".join(self.notes)
        return found

    def work(self, cell: Cell) -> dict[str, Any]:
        """Train and score one system."""
        system, _, part = cell.system.partition(WITHOUT)
        if part:
            return self._without(part).work(replace(cell, system=system))
        pipeline = self._fit_or_reuse(cell.split, cell.size, _training_for(cell.system))
        test = self._test_part(cell.split)
        if cell.system == "none":
            test = self._empty_lower_columns(test)
        decode = "cascade" if cell.system == "stacked" else cast(Decode, cell.system)
        found = pipeline.predict(test, decode=decode)[self.task.name]
        report = evaluate(test.lists(self.label), found)
        scores = {name: _scores(counts) for name, counts in report.labels.items()}
        overall = _scores(report.micro)
        if report.kind != "spans":
            overall = dict.fromkeys(overall, report.accuracy)
        n_test = len(test) if self._test is not None else len(self.splits[cell.split].test)
        result = {"overall": overall, "types": scores, "n_train": cell.size, "n_test": n_test}
        result |= further_counts(test, test.lists(self.label), found, report)
        if self._test is not None:
            result["overlap"] = self._overlap(cell.split, cell.size)
        whole = cell.size == max(self.plan.sizes)
        if whole and report.kind == "spans" and pipeline.layers[-1].annotator.has_probabilities:
            tagged = pipeline.tag(test, decode=decode)
            found_spans = [one.layers[self.task.name].spans for one in tagged]
            result["reliability"] = asdict(span_reliability(test.lists(self.label), found_spans))
        if cell.system == "joint" and cell.split == 0 and whole:
            result["changes"] = joint_changes(pipeline, test, found, self.task.name, self.label)
        return result

    def _empty_lower_columns(self, corpus: Corpus) -> Corpus:
        """A corpus in which the columns of the tasks below are empty."""
        for name in self.below:
            corpus = corpus.with_column(name, missing(corpus))
        return corpus

    def _fit_or_reuse(self, split: int, size: int, training: str) -> Pipeline:
        """The pipeline of a system; cascade and joint share one training."""
        key = (split, size, training)
        if self._latest is None or self._latest[0] != key:
            self._latest = (key, self._train(split, size, training))
        return self._latest[1]

    def _train(self, split: int, size: int, training: str) -> Pipeline:
        train = self._train_part(split, size)
        known = self._learned(split, size).known
        fresh = self.recipe.pipeline(self.corpora, known.values(), threads=self.threads)
        tagger = fresh[self.task.name]
        own: dict[str, Any] = {self.task.name: tagger}
        if training == "stacked":
            settings = tagger.get_params(deep=False)
            own = stack_taggers(self.task.name, settings.pop("features"), **settings)
        if training == "none":
            with name_task_in_errors(self.task.name):
                empty = add_representations(self._empty_lower_columns(train), known.values())
                tagger.fit(empty, label=self.label)
            if was_interrupted(tagger.stopped_):
                raise KeyboardInterrupt
            return Pipeline({**known, **own}, threads=self.threads)
        data = dict.fromkeys(own, train)
        by_split = self._representations.by_split
        if self._shared or by_split:  # trained here, so that what they write is cross-fitted
            lower = {name: fresh[name] for name in self.below}
            learning = [name for name in self.below if name in self.corpora]
            data |= {name: self._lower_data(name, split, size) for name in learning}
        else:
            lower = self._lower
        pipeline = Pipeline(
            {**known, **lower, **own},
            weights={task.name: task.weight for task in self.recipe.tasks},
            lattice=self.recipe.lattice,
            inference=self.recipe.inference,
            epsilon=self.recipe.epsilon,
            threads=self.threads,
        )
        kind = cast(Training, training if training in ("soft", "lattice", "auto") else "cascade")
        labels = {task.name: task.label for task in self.recipe.tasks if task.label}
        labels = {name: label for name, label in labels.items() if name in data}
        labels.update(dict.fromkeys(own, self.label))
        how: dict[str, Any] = {"folds": self._folds(train), "seed": self.recipe.seed}
        if kind == "auto":
            how["same"] = self.recipe.same
        pipeline.fit(data, training=kind, labels=labels, **how)
        if pipeline.interrupted_:
            raise KeyboardInterrupt  # what is left of it is no result
        return pipeline

    def _folds(self, train: Corpus) -> int:
        """Parts of a cross-fitting: as the recipe says, or fewer where there is less text."""
        return max(2, min(self.recipe.folds, len({*sequence_keys(train)})))

    @cached_property
    def _lower(self) -> dict[str, Any]:
        """The trained tasks below where none shares text with the last: once for all splits."""
        if not self.below:
            return {}
        known, corpora = self._representations.once.known, self._representations.once.corpora
        whole = self.recipe.pipeline(self.corpora, known.values(), threads=self.threads)
        lower = Pipeline({**known, **{n: whole[n] for n in self.below}}, threads=self.threads)
        data = {name: corpora[name] for name in self.below if name in corpora}
        labels = {t.name: t.label for t in self.recipe.tasks if t.label and t.name in data}
        if data:
            lower.fit(data, labels=labels, folds=self.recipe.folds, seed=self.recipe.seed)
        return {name: lower[name] for name in self.below}

    def _shares_text(self, name: str) -> bool:
        corpus = self.corpora.get(name)
        if corpus is None:
            return False
        texts = [self.corpus] if self._test is None else [self.corpus, self._test]
        seed = self.recipe.seed
        return any(shared_parts(text, corpus, 2, seed) is not None for text in texts)

    def _lower_data(self, name: str, split: int, size: int) -> Corpus:
        """What a task below may learn from: nothing of the test part, where it shares that text."""
        corpus = self._learned(split, size).corpora[name]
        if name not in self._shared:
            return corpus
        if self.corpora[name] is self.corpus:
            return self._train_part(split, size)
        tested = set(sequence_keys(self._test_part(split)))
        kept = [s for s, key in enumerate(sequence_keys(corpus)) if key not in tested]
        return corpus.select(kept)

    def _train_part(self, split: int, size: int) -> Corpus:
        own = self._learned(split, size).corpora[self.task.name]
        if self._representations.by_split:
            return own
        return own.select(self._sequences(self.splits[split].train[:size]))

    def _test_part(self, split: int) -> Corpus:
        test = self.splits[split].test
        if self._test is not None:
            return self._test
        return self.corpus.select(self._sequences(test))

    def _sequences(self, units: Sequence[int]) -> list[int]:
        bounds = self._units
        return [s for u in sorted(units) for s in range(int(bounds[u]), int(bounds[u + 1]))]


def _name_features(task: Task) -> str:
    features = task.features or "by default"
    return features.name if isinstance(features, Path) else features


def _describe_penalty(task: Task) -> str:
    """The penalties that a task's tagger is trained with, as far as the recipe gives them."""
    if task.kind != "crf":
        return f"{task.settings.get('penalty', 'by default')}"
    given = {"c1": TAGGER["c1"].default, "c2": TAGGER["c2"].default, **task.settings}
    return f"c1 {given['c1']}, c2 {given['c2']}"


def _training_for(system: str) -> str:
    return "cascade" if system == "joint" else system


def _scores(counts: Any) -> dict[str, float]:
    return {"precision": counts.precision, "recall": counts.recall, "f1": counts.f1}
