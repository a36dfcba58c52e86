"""A recipe: read from a file, it builds and trains its pipeline."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dovetail.base.representation import Representation
from dovetail.corpus import Corpus
from dovetail.errors import DovetailError
from dovetail.io.files import PathLike
from dovetail.pipeline.decode.single import missing
from dovetail.pipeline.pipeline import Pipeline
from dovetail.pipeline.tasks import label_of, name_task_in_errors
from dovetail.recipe.build import build_pipeline, read_task_files
from dovetail.recipe.description import Description, Task
from dovetail.recipe.parse import parse_recipe
from dovetail.recipe.representations import Select, train_representations

if TYPE_CHECKING:
    from dovetail.pipeline.train.layerwise import Listener


class Recipe(Description):
    """A pipeline as a file describes it.

    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "news.conll").write_text("Ada B-PER\\nspoke O\\n")
    >>> _ = (folder / "talks.conll").write_text("by O\\nAda B-SPEAKER\\n")
    >>> _ = (folder / "recipe.toml").write_text('''
    ... [[task]]
    ... name = "ner"
    ... data = "news.conll"
    ... c2 = 0.1
    ... [[task]]
    ... name = "fields"
    ... data = "talks.conll"
    ... c2 = 0.1
    ... ''')
    >>> Recipe.read(folder / "recipe.toml").fit().predict([["by", "Ada"]])["fields"]
    [['O', 'B-SPEAKER']]
    """

    @classmethod
    def read(cls, path: PathLike) -> Recipe:
        """Read a recipe; whatever is wrong with it, or missing beside it, is told at once."""
        return cls(**vars(parse_recipe(Path(path))))

    def corpora(self) -> dict[str, Corpus]:
        """The data of each task that has some; the same files are the same corpus."""
        known: dict[Any, Corpus] = {}
        out: dict[str, Corpus] = {}
        for task in self.tasks:
            if not task.data:
                continue
            own = None if task.scheme is None else (task.name, task.scheme)
            key = task.data, task.format, task.columns, own
            if key not in known:
                with name_task_in_errors(task.name, self.path):
                    known[key] = read_task_files(task, task.data)
            out[task.name] = known[key]
        return out

    def test_corpus(self) -> Corpus | None:
        """The data that a comparison names to test the last task on."""
        if self.compare is None or not self.compare.test:
            return None
        return read_task_files(self.tasks[-1], self.compare.test)

    def pipeline(
        self,
        corpora: Mapping[str, Corpus] | None = None,
        representations: Iterable[Representation] | None = None,
        *,
        threads: int | None = None,
    ) -> Pipeline:
        """The pipeline, not yet trained; ``corpora`` are the data, if read already, and
        ``representations`` those that are to be used, if built already."""
        data = self.corpora() if corpora is None else corpora
        return build_pipeline(self, data, representations, threads)

    def fit(self, callback: Listener | None = None, *, threads: int | None = None) -> Pipeline:
        """The pipeline, trained. ``callback`` is called with a task's name and a `Progress`."""
        corpora = self.corpora()
        return self.train(self.pipeline(corpora, threads=threads), corpora, callback)

    def train(
        self,
        pipeline: Pipeline,
        corpora: Mapping[str, Corpus],
        callback: Listener | None = None,
        cluster: Any = None,
    ) -> Pipeline:
        """Train a pipeline as the recipe says, on these corpora, its representations first;
        ``cluster`` is that of `Pipeline.fit`."""
        corpora = self.learn(pipeline.representations, corpora)
        if not corpora:
            return pipeline
        pipeline.fit(
            corpora,
            training=self.training,
            labels={task.name: task.label for task in self.tasks if task.label and task.data},
            same=self.same,
            folds=self.folds,
            seed=self.seed,
            callback=callback,
            cluster=cluster,
        )
        for task in self.tasks:
            if task.name in pipeline.training_ and task.name in corpora:
                facts = pipeline.training_[task.name]
                pipeline.training_[task.name] = {**facts, **self._source_facts(task)}
        return pipeline

    def _source_facts(self, task: Task) -> dict[str, Any]:
        """The files and the feature set that a task learns from, by names that do not depend on
        where the recipe is."""

        def name(path: Path) -> str:
            folder = self.path.parent
            inside = path.is_relative_to(folder)
            return path.relative_to(folder).as_posix() if inside else path.name

        features = task.features or "default"
        return {
            "data": [name(path) for path in task.data],
            "features": name(features) if isinstance(features, Path) else features,
        }

    def learn(
        self,
        representations: Iterable[Representation],
        corpora: Mapping[str, Corpus],
        select: Select | None = None,
    ) -> dict[str, Corpus]:
        """Train the representations; the corpora of tasks, with columns that have not seen their
        labels where a representation learns from the same files. ``select`` may leave out text
        that one would learn from."""
        try:
            return train_representations(self, list(representations), corpora, select)
        except DovetailError as error:
            raise type(error)(f"{self.path}: {error}") from None

    def sizes(self, *, threads: int | None = None) -> dict[str, dict[str, Any]]:
        """Sizes that the training of each task would have, as its `dry_run` tells them.

        ``not_counted`` are tasks whose labels are among the features but not yet in the data.
        """
        corpora = self.corpora()
        pipeline = self.pipeline(corpora, threads=threads)
        found = {}
        for task in (task for task in self.tasks if task.data):
            corpus, tagger = corpora[task.name], pipeline[task.name]
            absent = [n for n in tagger.features.columns if n not in corpus.names]
            filled = corpus
            for name in absent:
                filled = filled.with_column(name, missing(corpus))
            with name_task_in_errors(task.name, self.path):
                sizes = tagger.dry_run(filled, label=self.label_of(task, corpus))
            found[task.name] = {**sizes, "not_counted": absent}
        return found

    def label_of(self, task: Task, corpus: Corpus) -> str:
        """The column that a task learns: the one it names, that of its name, or the last."""
        return label_of(task.name, corpus, task.label)
