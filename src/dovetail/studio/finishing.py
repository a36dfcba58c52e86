"""The end of labelling: a model, and all that is needed to make the same model again."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from dovetail.base.training import DATED
from dovetail.corpus import write_jsonl
from dovetail.errors import DataError, TrainingError
from dovetail.studio.annotation import Annotation
from dovetail.studio.exporting import to_labelled
from dovetail.studio.opening import OLD, SAME
from dovetail.studio.project import MODELS, Project
from dovetail.studio.settled import agreed_annotations, whose_labels

FINISHED = "finished"


@dataclass(frozen=True)
class Finished:
    """The folder with what was made, the model of each layer with the documents it learned from,
    layers of which nothing is done, and the time that its trainings have for today's."""

    folder: Path
    models: dict[str, tuple[Path, int]]
    empty: tuple[str, ...]
    epoch: int

    def to_text(self) -> str:
        """What was made and what to do with it."""
        lines = []
        for layer, (model, count) in self.models.items():
            recipe = model.with_suffix(".toml")
            lines += [
                f"{layer}: {model}, from {count} document{'s' * (count != 1)}",
                f"  again: {DATED}={self.epoch} dovetail train {recipe} --model again.dovetail",
            ]
        lines += [f"{layer}: no document is done" for layer in self.empty]
        models = " ".join(str(model) for model, _ in self.models.values())
        return "\n".join([*lines, f"Serve it: dovetail serve {models}"])


def finish(project: Project, *, threads: int | None = None) -> Finished:
    """Train a model for each layer on what is done, and save it with its data, its recipe and the
    old taggers that it reads, in a folder of the project."""
    folder = project.folder / FINISHED
    folder.mkdir(exist_ok=True)
    old = project.setting(OLD, [])
    for name in old:
        shutil.copyfile(project.folder / MODELS / f"{name}.dovetail", folder / f"{name}.dovetail")
    find = agreed_annotations(project, whose_labels(project))
    epoch = project.journal.last_time()
    models: dict[str, tuple[Path, int]] = {}
    empty: list[str] = []
    for layer in project.layers:
        documents = [
            project.document(id)
            for id in project.document_ids()
            if find(id).get(layer.name, Annotation()).done
        ]
        if not any(find(document.id)[layer.name].spans for document in documents):
            empty.append(layer.name)
            continue
        corpus = to_labelled(documents, find, [layer.name])
        write_jsonl(corpus, folder / f"{layer.name}.jsonl", label=layer.name)
        recipe = folder / f"{layer.name}.toml"
        recipe.write_text(
            _recipe(layer.name, old, project.setting(SAME, {}), set(layer.names), epoch),
            encoding="utf-8",
        )
        model = folder / f"{layer.name}.dovetail"
        _train(recipe, model, epoch, threads)
        models[layer.name] = model, len(documents)
    if not models:
        raise DataError("there is nothing to train on: no document with a span is done")
    return Finished(folder, models, tuple(empty), epoch)


def _train(recipe: Path, model: Path, epoch: int, threads: int | None) -> None:
    """Train in a process of its own, in which it is the time of the last action."""
    arguments = ["train", str(recipe), "--model", str(model), "--force"]
    arguments += [] if threads is None else ["--threads", str(threads)]
    done = subprocess.run(
        [sys.executable, "-m", "dovetail", *arguments],
        env={**os.environ, DATED: str(epoch)},
        capture_output=True,
        encoding="utf-8",
    )
    if done.returncode:
        said = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        raise TrainingError(f"{recipe} cannot be trained: {said[-1].removeprefix('dovetail: ')}")


def _recipe(layer: str, old: list[str], same: dict[str, str], labels: set[str], epoch: int) -> str:
    """The recipe of one layer, above the old taggers."""
    lines = [
        "# Made by dovetail label. The same model again, to the byte:",
        f"#     {DATED}={epoch} dovetail train {layer}.toml --model again.dovetail",
    ]
    if old:
        lines += ['decode = "auto"']
        meant = {key: value for key, value in same.items() if value in labels}
        if meant:
            pairs = ", ".join(f"{_quoted(key)} = {_quoted(value)}" for key, value in meant.items())
            lines += [f"same = {{ {pairs} }}"]
    for name in old:
        lines += [
            "",
            "[[task]]",
            f"name = {_quoted(name)}",
            f"model = {_quoted(f'{name}.dovetail')}",
        ]
    lines += [
        "",
        "[[task]]",
        f"name = {_quoted(layer)}",
        f"data = {_quoted(f'{layer}.jsonl')}",
        'label = "label"',
    ]
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
