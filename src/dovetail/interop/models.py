"""One call for the models of all programs that we can read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dovetail.chain.tagger import Tagger
from dovetail.errors import DataError, ModelFileError
from dovetail.interop import crfpp_model, wapiti_model
from dovetail.interop.crfsuite_model import MAGIC, read_crfsuite
from dovetail.interop.foreign import Reader, content_of, tagger_of
from dovetail.interop.observations import (
    default_columns,
    template_of,
    weights_of_observations,
)
from dovetail.io.model_file import Source, is_model_file

if TYPE_CHECKING:
    from dovetail.features import Featurizer


def import_model(
    source: Source,
    *,
    features: Featurizer | None = None,
    columns: Sequence[str] | None = None,
    threads: int | None = None,
) -> Tagger:
    """A model of CRFsuite, CRF++ or Wapiti, from a file or from bytes, as a tagger of ours.

    CRFsuite's models know features by name only. ``features`` is the function that makes them of a
    sequence of a corpus; without it, the tagger reads feature lists. Models of CRF++ and Wapiti
    have a template, which becomes the tagger's; ``columns`` names the columns that it reads, by
    default ``word``, ``column2``, and so on.
    """
    content, name = content_of(source)
    return imported(content, name, features=features, columns=columns, threads=threads)


def looks_foreign(content: bytes) -> bool:
    """Whether this is the beginning of a model that `import_model` reads."""
    return (
        content.startswith(MAGIC)
        or wapiti_model.looks_like_wapiti_model(content)
        or crfpp_model.looks_like_crfpp_model(content)
    )


def imported(
    content: bytes,
    name: str,
    *,
    features: Featurizer | None = None,
    columns: Sequence[str] | None = None,
    threads: int | None = None,
) -> Tagger:
    """The same, from the content of a file of that name."""
    if content.startswith(MAGIC):
        if columns is not None:
            raise DataError(f"{name} is a model of CRFsuite, which knows no columns")
        weights = read_crfsuite(content, name)
        return tagger_of(
            weights, program="CRFsuite", source=name, features=features, threads=threads
        )
    if is_model_file(content):  # a brace alone may be part of the cost factor of CRF++
        return Tagger.load(content, features=features, threads=threads)
    for program, module, looks_right, read in (
        ("Wapiti", wapiti_model, wapiti_model.looks_like_wapiti_model, wapiti_model.read_wapiti),
        ("CRF++", crfpp_model, crfpp_model.looks_like_crfpp_model, crfpp_model.read_crfpp),
    ):
        if not looks_right(content):
            continue
        if features is not None:
            raise DataError(f"{name} is a model of {program}, which has its own template")
        reader, found = Reader(content, name), read(content, name)
        template = template_of(reader, found.lines, columns or default_columns(found.lines))
        weights = weights_of_observations(reader, found, template, module.OUTSIDE)
        return tagger_of(weights, program=program, source=name, features=template, threads=threads)
    raise ModelFileError(
        f"{name} is no model that can be imported: it is none of CRFsuite, CRF++ or Wapiti"
    )
