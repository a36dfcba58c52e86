"""The models that are served, by name: opened once, and again when their files are replaced.

A file is read whole, not mapped: whoever writes over it changes nothing of what is being served.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

from dovetail.chain.tagger import Tagger
from dovetail.corpus.schemes import detect_scheme
from dovetail.errors import DataError, DovetailError, ModelFileError
from dovetail.io.loading import is_imported, load
from dovetail.io.model_file import ModelFile
from dovetail.pipeline import Pipeline
from dovetail.pipeline.choices import DECODINGS
from dovetail.pipeline.decode.inputs import input_columns
from dovetail.pipeline.layers.linear import is_linear_tagger

CHAIN_DECODINGS = ("viterbi", "marginal")
Stamp = tuple[int, int, int]


@dataclass(frozen=True, eq=False)
class ServedModel:
    """A model as it was when its file was read; ``version`` is a digest of the file."""

    name: str
    version: str
    labeller: Tagger | Pipeline

    @cached_property
    def decodings(self) -> tuple[str, ...]:
        """The ways to decode it, the default first."""
        if isinstance(self.labeller, Tagger):
            return CHAIN_DECODINGS
        default = self.labeller.decode
        return (default, *(one for one in DECODINGS if one != default))

    @cached_property
    def layers(self) -> dict[str, list[str]]:
        """The labels of each layer; a single tagger is one layer, called by its column."""
        model = self.labeller
        if isinstance(model, Tagger):
            return {model.label_column_ or "labels": model.labels_}
        return {layer.name: list(layer.labels) for layer in model.layers}

    @cached_property
    def has_spans(self) -> dict[str, bool]:
        """By layer, whether the labels write spans, as B-PER does, or are plain, as NN is."""
        return {name: detect_scheme([labels]) != "none" for name, labels in self.layers.items()}

    @property
    def reads(self) -> list[str]:
        """The columns of a token; none where tokens are given by their features."""
        model = self.labeller
        if isinstance(model, Tagger):
            return [name for name in model.reads_ if not name.startswith("@")]
        return input_columns(model.layers, model.representations)

    @property
    def explains(self) -> list[str]:
        """The layers whose decisions can be explained."""
        if isinstance(self.labeller, Tagger):
            return list(self.layers)
        return [name for name in self.layers if isinstance(self.labeller[name], Tagger)]

    @cached_property
    def reads_whole_corpora(self) -> bool:
        """Whether what it says of a sequence depends on others that are tagged with it."""
        return any(one.reads_corpus_ for one in getattr(self.labeller, "representations", ()))

    def to_dict(self) -> dict[str, Any]:
        """What clients may know of it."""
        kind = "tagger" if isinstance(self.labeller, Tagger) else "pipeline"
        layers = {
            name: {"labels": labels, "spans": self.has_spans[name]}
            for name, labels in self.layers.items()
        }
        return {
            "name": self.name,
            "kind": kind,
            "version": self.version,
            "reads": self.reads,
            "layers": layers,
            "decodings": list(self.decodings),
            "explains": self.explains,
        }


class ServedModels:
    """Models by name, each from a file.

    `refresh` opens files again that were replaced. A model that cannot be opened then leaves the
    old one where it is. Who has got a model keeps it, whatever happens to its file.
    """

    def __init__(self, files: Mapping[str, str | os.PathLike[str]], *, threads: int | None = None):
        if not files:
            raise DataError("give at least one model to serve")
        self._files = {name: Path(path) for name, path in files.items()}
        self._threads = threads
        self._stamps = {name: _stamp(path) for name, path in self._files.items()}
        self._models = {name: self._open(name) for name in self._files}

    @classmethod
    def from_arguments(cls, given: Iterable[str], *, threads: int | None = None) -> ServedModels:
        """Models as a command line names them: FILE, called as the file, or NAME=FILE."""
        files: dict[str, str] = {}
        for argument in given:
            name, equals, path = argument.partition("=")
            if not equals or Path(argument).exists():
                name, path = Path(argument).stem, argument
            if not name:
                raise DataError(f"'{argument}' gives a model no name: write NAME={path}")
            if name in files:
                raise DataError(f"two models would be called '{name}': name one, NAME={path}")
            files[name] = path
        return cls(files, threads=threads)

    @property
    def by_name(self) -> Mapping[str, ServedModel]:
        """The models as they are now, in the order in which they were given."""
        return MappingProxyType(self._models)

    def refresh(self) -> Iterator[tuple[str, str | None]]:
        """Open what was replaced; for each such file the model's name, and None or what is wrong
        with the file."""
        for name, path in self._files.items():
            stamp = _stamp(path)
            if stamp is None or stamp == self._stamps[name]:
                continue  # of a file that is gone, the model stays
            self._stamps[name] = stamp
            try:
                self._models = {**self._models, name: self._open(name)}
            except DovetailError as error:
                yield name, str(error)
            else:
                yield name, None

    def _open(self, name: str) -> ServedModel:
        path = self._files[name]
        try:
            content = path.read_bytes()
        except OSError as error:
            raise ModelFileError(
                f"cannot open the model {path}: {error.strerror or error}"
            ) from None
        version = hashlib.sha256(content).hexdigest()[:12]
        return ServedModel(name, version, open_labeller(content, str(path), self._threads))


def open_labeller(content: bytes, source: str, threads: int | None) -> Tagger | Pipeline:
    """The tagger or the pipeline that a file holds; a linear tagger is a pipeline of its own."""
    opened: Any
    if is_imported(content):
        opened = load(content, threads=threads)
    elif len(content) < 16:
        raise ModelFileError(f"{source} is not a model file: it has only {len(content)} bytes")
    else:
        file = ModelFile(memoryview(content), source, verify=True)
        file.verify_all()
        opened = load(file, threads=threads)
    if isinstance(opened, Tagger | Pipeline):
        return opened
    if not is_linear_tagger(opened):
        raise ModelFileError(
            f"{source} holds a {opened.kind}, which gives no labels: put it before a tagger in a "
            "pipeline"
        )
    return Pipeline({opened.label_column_: opened}, decode="cascade", threads=threads)


def _stamp(path: Path) -> Stamp | None:
    """What changes when a file is replaced; None of one that cannot be seen."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns
