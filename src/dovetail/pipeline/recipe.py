"""Recipes: a pipeline, its data and its settings in one small TOML file.

    decode = "joint"

    [[task]]
    name = "ner"
    data = "news.conll"

    [[task]]
    name = "fields"
    data = ["talks1.conll", "talks2.conll"]
    features = "fields"
    reads = ["ner"]

Paths are relative to the recipe. `RECIPE`, `TASK`, `REPRESENTATIONS` and `COMPARE` of `recipe_keys`
have all keys.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dovetail.corpus import Corpus
from dovetail.corpus.formats import joined, read_filled
from dovetail.errors import DataError, DovetailError
from dovetail.io.files import PathLike
from dovetail.pipeline.choices import Decode, System, Training
from dovetail.pipeline.recipe_linear import compounded, linear_tagger, trained
from dovetail.pipeline.recipe_representations import Wanted, learn
from dovetail.pipeline.representations import columns_of, reading
from dovetail.pipeline.tasks import label_of, naming

if TYPE_CHECKING:
    from dovetail.chain.tagger import Tagger
    from dovetail.features import Template
    from dovetail.pipeline.pipeline import Pipeline
    from dovetail.pipeline.train.layerwise import Listener
    from dovetail.representation import Representation


@dataclass(frozen=True)
class Task:
    """One layer: what it learns from, or the trained tagger that it is.

    ``reads`` names tasks before it whose labels it reads; None stands for all of them, or for
    those that a template file names. ``settings`` are those of its Tagger, or what its kind has.
    """

    name: str
    data: tuple[Path, ...] = ()
    model: Path | None = None
    format: str | None = None
    columns: tuple[str | None, ...] | None = None
    label: str | None = None
    features: str | Path | None = None
    lexicons: Mapping[str, Path] = field(default_factory=dict)
    tables: Mapping[str, Path] = field(default_factory=dict)
    reads: tuple[str, ...] | None = None
    conjoin: bool = False
    compound: bool = False
    kind: str = "crf"
    weight: float = 1.0
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Comparison:
    """What `dovetail compare` does with the last task: which systems, on which splits of its data.

    Either ``splits`` random ones with a share ``train`` to train on, or ``folds``, or fixed
    ``test`` data. ``sizes`` are those of a learning curve, beside the whole.
    """

    systems: tuple[System, ...] = ("none", "cascade", "soft", "stacked", "joint")
    splits: int = 10
    train: float = 0.5
    folds: int | None = None
    test: tuple[Path, ...] = ()
    sizes: tuple[int, ...] = ()


@dataclass(frozen=True)
class Recipe:
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

    path: Path
    tasks: tuple[Task, ...]
    decode: Decode = "joint"
    training: Training | None = None  # as `Pipeline.fit` has it
    folds: int = 5
    seed: int = 0
    same: Mapping[str, str] = field(default_factory=dict)
    inference: str = "auto"
    epsilon: float = 1e-4
    lattice: int | None = None
    representations: tuple[Wanted, ...] = ()
    compare: Comparison | None = None

    @classmethod
    def read(cls, path: PathLike) -> Recipe:
        """Read a recipe; whatever is wrong with it, or missing beside it, is told at once."""
        from dovetail.pipeline.recipe_file import parsed

        return parsed(Path(path))

    @property
    def names(self) -> list[str]:
        """Names of the tasks, from the first to the last."""
        return [task.name for task in self.tasks]

    def corpora(self) -> dict[str, Corpus]:
        """The data of each task that has some; the same files are the same corpus."""
        known: dict[Any, Corpus] = {}
        out: dict[str, Corpus] = {}
        for task in self.tasks:
            if not task.data:
                continue
            key = task.data, task.format, task.columns
            if key not in known:
                with naming(task.name, self.path):
                    known[key] = self._corpus(task, task.data)
            out[task.name] = known[key]
        return out

    def test_corpus(self) -> Corpus | None:
        """The data that a comparison names to test the last task on."""
        if self.compare is None or not self.compare.test:
            return None
        return self._corpus(self.tasks[-1], self.compare.test)

    def pipeline(
        self,
        corpora: Mapping[str, Corpus] | None = None,
        representations: Iterable[Representation] | None = None,
        *,
        threads: int | None = None,
    ) -> Pipeline:
        """The pipeline, not yet trained; ``corpora`` are the data, if read already, and
        ``representations`` those that are to be used, if made already."""
        from dovetail.pipeline.pipeline import Pipeline

        data = self.corpora() if corpora is None else corpora
        if representations is None:
            representations = self._representations(data, threads)
        parts: dict[str, Any] = {one.name_: one for one in representations}
        represented = list(parts.values())
        for task in self.tasks:
            with naming(task.name, self.path):
                parts[task.name] = self._tagger(task, data, represented, threads)
        try:
            return Pipeline(
                parts,
                decode=self.decode,
                weights={task.name: task.weight for task in self.tasks},
                lattice=self.lattice,
                inference=self.inference,
                epsilon=self.epsilon,
                threads=threads,
            )
        except DovetailError as error:
            raise type(error)(f"{self.path}: {error}") from None

    def fit(self, callback: Listener | None = None, *, threads: int | None = None) -> Pipeline:
        """The pipeline, trained. ``callback`` is called with a task's name and a `Progress`."""
        corpora = self.corpora()
        return self.train(self.pipeline(corpora, threads=threads), corpora, callback)

    def train(
        self,
        pipeline: Pipeline,
        corpora: Mapping[str, Corpus],
        callback: Listener | None = None,
    ) -> Pipeline:
        """Train a pipeline as the recipe says, on these corpora, its representations first."""
        corpora = self.learn(pipeline.representations, corpora)
        if not corpora:
            return pipeline
        return pipeline.fit(
            corpora,
            training=self.training,
            labels={task.name: task.label for task in self.tasks if task.label and task.data},
            same=self.same,
            folds=self.folds,
            seed=self.seed,
            callback=callback,
        )

    def learn(
        self, representations: Iterable[Representation], corpora: Mapping[str, Corpus]
    ) -> dict[str, Corpus]:
        """Train the representations; the corpora of tasks, with columns that have not seen their
        labels where a representation learns from the same files."""
        files = {task.name: task.data for task in self.tasks}
        try:
            made = list(representations)
            return learn(self.representations, made, corpora, files, self.folds, self.seed)
        except DovetailError as error:
            raise type(error)(f"{self.path}: {error}") from None

    def sizes(self, *, threads: int | None = None) -> dict[str, dict[str, Any]]:
        """Sizes that the training of each task would have, as its `dry_run` tells them.

        ``not_counted`` are tasks whose labels are among the features but not yet in the data.
        """
        from dovetail.pipeline.decode.single import missing

        corpora = self.corpora()
        pipeline = self.pipeline(corpora, threads=threads)
        found = {}
        for task in (task for task in self.tasks if task.data):
            corpus, tagger = corpora[task.name], pipeline[task.name]
            wanted = [n for n in tagger.features.columns if n not in corpus.names]
            filled = corpus
            for name in wanted:
                filled = filled.with_column(name, missing(corpus))
            with naming(task.name, self.path):
                sizes = tagger.dry_run(filled, label=self.label_of(task, corpus))
            found[task.name] = {**sizes, "not_counted": wanted}
        return found

    def label_of(self, task: Task, corpus: Corpus) -> str:
        """The column that a task learns: the one it names, that of its name, or the last."""
        return label_of(task.name, corpus, task.label)

    def _corpus(self, task: Task, paths: tuple[Path, ...]) -> Corpus:
        options = {} if task.columns is None else {"columns": task.columns}
        return joined(read_filled(path, task.format, **options) for path in paths)

    def _representations(
        self, corpora: Mapping[str, Corpus], threads: int | None
    ) -> list[Representation]:
        made: list[Representation] = []

        def first(name: str) -> tuple[Tagger, str]:
            task = replace(self.tasks[self.names.index(name)], reads=())
            tagger = self._tagger(task, corpora, made, threads)
            return tagger, self.label_of(task, corpora[name])

        try:
            for wanted in self.representations:
                made.append(wanted.made(threads, self.seed, first))
        except DovetailError as error:
            raise type(error)(f"{self.path}: {error}") from None
        return made

    def _tagger(
        self,
        task: Task,
        corpora: Mapping[str, Corpus],
        represented: Sequence[Representation],
        threads: int | None,
    ) -> Any:
        from dovetail.chain.tagger import Tagger

        if task.model is not None:
            return trained(task.model, threads)
        template = self._template(task, corpora[task.name], represented)
        if task.kind != "crf":
            return linear_tagger(task, template, threads)
        settings = {"seed": self.seed, **task.settings}
        return Tagger(features=template, threads=threads, **settings)

    def _template(
        self, task: Task, corpus: Corpus, representations: Sequence[Representation]
    ) -> Template:
        """What a task sees: features of its own columns, the columns of representations, and the
        labels of the tasks it reads."""
        from dovetail.features.resolution import features_of_corpus
        from dovetail.features.sets import OF_WORDS_AND_TAGS
        from dovetail.features.template_file import ready_made, template_from_file

        label = self.label_of(task, corpus)
        represented = columns_of(representations)
        before = self.names[: self.names.index(task.name)]
        files = task.lexicons, task.tables
        if isinstance(task.features, Path):
            columns = list(dict.fromkeys([*corpus.names, *represented, *before]))
            template = template_from_file(str(task.features), columns, *files, _remedy)
            reads = task.reads or ()
        else:
            reads = tuple(before) if task.reads is None else task.reads
            written = {label, *self.names, *(t.label for t in self.tasks if t.label), *represented}
            inputs = [name for name in corpus.names if name not in written]
            if not inputs:
                raise DataError(f"there is no column to make features of beside '{label}'")
            if task.features is None:
                template = features_of_corpus(None, corpus, label, inputs)
            else:
                tagged = task.features in OF_WORDS_AND_TAGS and len(inputs) == 1
                columns = [*inputs, *reads[:1]] if tagged else inputs
                template = ready_made(task.features, columns, *files)
        made = template.reading(*reads, conjoined=task.conjoin)
        if task.compound:
            made = compounded(template, reads, [n for n in corpus.names if n != label])
        return made if isinstance(task.features, Path) else reading(made, representations)


def _remedy(kind: str, name: str) -> str:
    return f'{kind}s = {{ {name} = "FILE" }}'
