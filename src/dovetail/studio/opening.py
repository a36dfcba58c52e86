"""A project as the command line asks for it: made or opened, with files, labels and taggers."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from dovetail.chain.tagger import Tagger
from dovetail.errors import DataError
from dovetail.io.files import PathLike
from dovetail.io.loading import load
from dovetail.studio.annotation import DEFAULT_LAYER
from dovetail.studio.importing import Reading, check_labels, labels_in, read_source
from dovetail.studio.label_set import change_layers, extended
from dovetail.studio.layers import Layer, make_layers
from dovetail.studio.project import ME, MODELS, Project, Source

_log = logging.getLogger(__name__)
OLD, SAME = "old taggers", "same"
"""Settings: the names of old taggers, whose files are among the models, and what their types
mean."""


@dataclass(frozen=True)
class Wishes:
    """What a project is to have; ``labels`` by layer, ``renamed`` labels with those they become."""

    files: Sequence[PathLike] = ()
    labels: Mapping[str, Sequence[str]] = field(default_factory=dict)
    renamed: Mapping[str, str | None] = field(default_factory=dict)
    taggers: Sequence[PathLike] = ()
    same: Mapping[str, str] = field(default_factory=dict)
    annotators: Sequence[str] = ()
    reading: Reading = field(default_factory=Reading)


def open_project(folder: PathLike, wishes: Wishes) -> Project:
    """The project in a folder, which is made if there is none, with all that is wished for."""
    if Project.is_there(folder):
        project = Project.open(folder)
        try:
            _extend(project, wishes)
        except BaseException:
            project.close()
            raise
        return project
    return _create(Path(folder), wishes)


def parse_label_sets(given: Iterable[str]) -> dict[str, list[str]]:
    """Labels as the command line names them, by layer.

    >>> parse_label_sets(["SPEAKER,TIME", "topic=ART,MUSIC"])
    {'label': ['SPEAKER', 'TIME'], 'topic': ['ART', 'MUSIC']}
    """
    sets: dict[str, list[str]] = {}
    for one in given:
        name, _, labels = one.rpartition("=")
        layer = name.strip() or DEFAULT_LAYER
        if layer in sets:
            raise DataError(f"the labels of the layer {layer!r} are given twice")
        sets[layer] = [label.strip() for label in labels.split(",")]
    return sets


def parse_pairs(given: Iterable[str], option: str) -> dict[str, str]:
    """Pairs as the command line has them.

    >>> parse_pairs(["PER=SPEAKER"], "--same")
    {'PER': 'SPEAKER'}
    """
    pairs: dict[str, str] = {}
    for one in given:
        old, sign, new = one.partition("=")
        if not (old and sign):
            raise DataError(f"{option} takes OLD=NEW, not {one!r}")
        pairs[old.strip()] = new.strip()
    return pairs


def _create(folder: Path, wishes: Wishes) -> Project:
    if not wishes.files:
        raise DataError(f"{folder} is no project yet: give files to label, with --import FILE...")
    taggers = _load_taggers(wishes.taggers)
    sources = [read_source(file, wishes.reading, wishes.labels) for file in wishes.files]
    labels = dict(wishes.labels) or labels_in(sources)
    if not labels:
        raise DataError(
            "there are no labels yet: name them with --labels A,B (the files have none)"
        )
    check_labels(sources, labels)
    is_new = not folder.exists()
    project = Project.create(
        folder,
        make_layers(labels),
        wishes.annotators or [ME],
    )
    try:
        _add_taggers(project, taggers, wishes.same)
        project.add(sources, project.annotators[0])
    except BaseException:
        project.close()
        if is_new:
            with suppress(OSError):
                shutil.rmtree(folder)
        raise
    return project


def _extend(project: Project, wishes: Wishes) -> None:
    taggers = _load_taggers(wishes.taggers)
    layers = {layer.name: layer for layer in project.layers}
    for name, given in wishes.labels.items():
        taken = sum(len(layer.labels) for layer in layers.values())
        known = layers.get(name)
        layers[name] = extended(known, given) if known else Layer.of(name, given, taken)
    maps = _maps(project, layers, wishes)
    sources = _new_sources(project, [read_source(f, wishes.reading, layers) for f in wishes.files])
    check_labels(sources, {name: layer.names for name, layer in layers.items()})
    with project.database.transaction():
        change_layers(project, list(layers.values()), maps)
        for name in wishes.annotators:
            project.token_of(name)
        if sources:
            project.add(sources, project.annotators[0])
    _add_taggers(project, taggers, wishes.same)


def _maps(
    project: Project, layers: Mapping[str, Layer], wishes: Wishes
) -> dict[str, dict[str, str | None]]:
    """What becomes of the labels that are renamed, by layer."""
    if wishes.renamed and not wishes.labels:
        raise DataError("--rename goes with --labels, which name those that there are to be")
    maps: dict[str, dict[str, str | None]] = {}
    left = dict(wishes.renamed)
    for known in project.layers:
        for old in wishes.renamed:
            if old in known.names and old not in layers[known.name].names:
                maps.setdefault(known.name, {})[old] = wishes.renamed[old] or None
                left.pop(old, None)
    if left:
        raise DataError(f"{next(iter(left))} is no label that goes: there is nothing to rename")
    return maps


def _new_sources(project: Project, sources: Sequence[Source]) -> list[Source]:
    """The files that are not in the project already, by name and content."""
    known = project.files()
    fresh = [one for one in sources if (one.name, one.details.get("digest")) not in known]
    there = len(sources) - len(fresh)
    if there:
        _log.warning("%d files are in %s already", there, project.name)
    return fresh


def _load_taggers(paths: Iterable[PathLike]) -> dict[str, Tagger]:
    taggers: dict[str, Tagger] = {}
    for path in paths:
        found = load(path)
        if not isinstance(found, Tagger):
            raise DataError(f"{path} holds no single tagger: give the taggers of a pipeline alone")
        name = Path(path).name.partition(".")[0]
        if name in taggers:
            raise DataError(f"there are two taggers called {name!r}: rename one file")
        taggers[name] = found
    return taggers


def _add_taggers(project: Project, taggers: Mapping[str, Tagger], same: Mapping[str, str]) -> None:
    """Keep copies of old taggers with the project."""
    if not taggers and not same:
        return
    clash = [name for name in taggers if name in {layer.name for layer in project.layers}]
    if clash:
        raise DataError(f"{clash[0]!r} is the name of a tagger and of a layer: rename the file")
    for name, tagger in taggers.items():
        tagger.save(project.folder / MODELS / f"{name}.dovetail")
    known = project.setting(OLD, [])
    project.set_setting(OLD, [*known, *(name for name in taggers if name not in known)])
    project.set_setting(SAME, {**project.setting(SAME, {}), **same})


def old_taggers(project: Project) -> dict[str, Tagger]:
    """The old taggers of a project, by name."""
    names = project.setting(OLD, [])
    found = {name: load(project.folder / MODELS / f"{name}.dovetail") for name in names}
    return {name: tagger for name, tagger in found.items() if isinstance(tagger, Tagger)}
