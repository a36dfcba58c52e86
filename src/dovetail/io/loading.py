"""One call that opens everything Dovetail saves, and the models of other programs.

A model file says what kind of thing it holds. The table below says which class opens that kind;
classes are named, not imported, so that nothing is loaded but what the file needs.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib import import_module
from typing import Any, NamedTuple

from dovetail.cores import check_threads
from dovetail.errors import DataError
from dovetail.io.description import reading_description
from dovetail.io.model_file import (
    TAGGER,
    ModelFile,
    Source,
    is_model_file,
    open_model,
    unknown_kind,
)


class Opener(NamedTuple):
    """The class that opens a kind of file, and what it must or may be told beside the file."""

    where: str
    options: tuple[str, ...] = ()


OPENERS: dict[str, Opener] = {
    TAGGER: Opener("dovetail.chain.tagger:Tagger", ("features", "threads")),
    "linear tagger": Opener("dovetail.multitask.linear:LinearTagger", ("features", "threads")),
    "shared structure": Opener("dovetail.multitask.structure:Structure", ("features", "threads")),
    "hidden Markov model": Opener("dovetail.representation.hmm.hmm:HMM", ("threads",)),
    "biased hidden Markov model": Opener(
        "dovetail.representation.hmm.biased.biased:BiasedHMM", ("threads",)
    ),
    "layered hidden Markov model": Opener("dovetail.representation.hmm.layered:LayeredHMM"),
    "set of word classes": Opener("dovetail.representation.word_classes:WordClasses"),
    "set of word vectors": Opener("dovetail.representation.word_vectors:WordVectors"),
    "table of words": Opener("dovetail.representation.word_table:WordTable"),
    "document context": Opener("dovetail.representation.consistency:Consistency"),
    "pipeline": Opener("dovetail.pipeline.pipeline:Pipeline", ("layers", "threads")),
}
IMPORTED = Opener("dovetail.interop.models:import_model", ("features", "threads"))
FIND_PROGRAM = "dovetail.interop.models:find_program"


def load(
    source: Source | ModelFile,
    *,
    features: Any = None,
    layers: Mapping[str, Any] | None = None,
    threads: int | None = None,
    verify: bool | None = None,
    mmap: bool | None = None,
) -> Any:
    """Open whatever a file, or bytes, hold: a tagger, a pipeline, a representation of words, or a
    model of CRFsuite, CRF++ or Wapiti.

    ``features`` is needed where features are made by a function of your own, and ``layers`` where
    a pipeline has annotators of your own: no file can hold these. ``verify`` makes sure that
    nothing in the file has changed since it was written. It reads the whole file; by default that
    is done up to 64 MB. ``mmap`` maps the file instead of reading it: processes share what is
    mapped, and a model opens at once, but who cuts the file short or writes over it ends the
    processes that use it. By default only files above 64 MB are mapped.

    >>> from dovetail import Tagger
    >>> content = Tagger(c2=0.1).fit([[["w=a"], ["w=b"]]], [["A", "B"]]).to_bytes()
    >>> load(content).predict([[["w=b"]]])
    [['B']]
    """
    given = {"features": features, "layers": layers, "threads": threads}
    options = {name: value for name, value in given.items() if value is not None}
    if is_imported(source):
        what = "a model of another program"
        return _resolved(IMPORTED.where)(source, **_taken(options, IMPORTED, what))
    check_threads(threads)
    file = open_model(source, verify, mmap=mmap)
    if file.kind not in OPENERS:
        raise unknown_kind(file)
    opener = OPENERS[file.kind]
    with reading_description(file):
        return _resolved(opener.where).load(file, **_taken(options, opener, f"a {file.kind}"))


def kind_of(source: Source) -> str:
    """What a file holds; a model of another program becomes a tagger."""
    return TAGGER if is_imported(source) else open_model(source, verify=False).kind


def is_imported(source: Source | ModelFile) -> bool:
    """Whether this is a model of another program: CRFsuite, CRF++ or Wapiti."""
    if isinstance(source, ModelFile):
        return False
    if isinstance(source, bytes | bytearray | memoryview):
        head = bytes(source[:64])
    else:
        try:
            with open(os.fspath(source), "rb") as file:
                head = file.read(64)
        except (OSError, TypeError, ValueError):
            return False
    return not is_model_file(head) and _resolved(FIND_PROGRAM)(head) is not None


def _taken(options: dict[str, Any], opener: Opener, what: str) -> dict[str, Any]:
    """The options that an opener takes. Threads change no result: what has no use for them may be
    told all the same."""
    odd = next((name for name in options if name not in (*opener.options, "threads")), None)
    if odd is not None:
        raise DataError(f"{what} takes no {odd} when it is opened: leave it out")
    return {name: value for name, value in options.items() if name in opener.options}


def _resolved(where: str) -> Any:
    module, _, name = where.partition(":")
    return getattr(import_module(module), name)
