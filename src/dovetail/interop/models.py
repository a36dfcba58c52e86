"""One call for the models of all programs that we can read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dovetail.chain.tagger import Tagger
from dovetail.errors import DataError, ModelFileError
from dovetail.interop.crfpp_model import is_crfpp_model, read_crfpp
from dovetail.interop.crfsuite_model import is_crfsuite_model, read_crfsuite
from dovetail.interop.foreign import Weights, make_tagger, read_content
from dovetail.interop.observations import Observations, find_weights
from dovetail.interop.wapiti_model import is_wapiti_model, read_wapiti
from dovetail.io.model_file import Source, is_model_file

if TYPE_CHECKING:
    from dovetail.features import Featurizer


@dataclass(frozen=True)
class Program:
    """A program whose models can be read.

    ``recognizes`` is given the first bytes of a file; ``read`` the whole content and the name that
    error messages call it by. What it reads are weights of features known by name, or observations
    with the template that made them.
    """

    name: str
    recognizes: Callable[[bytes], bool]
    read: Callable[[bytes, str], Weights | Observations]


PROGRAMS = (
    Program("CRFsuite", is_crfsuite_model, read_crfsuite),
    Program("CRF++", is_crfpp_model, read_crfpp),
    Program("Wapiti", is_wapiti_model, read_wapiti),
)


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
    content, name = read_content(source)
    return import_content(content, name, features=features, columns=columns, threads=threads)


def find_program(content: bytes) -> Program | None:
    """The program whose models begin like this."""
    return next((program for program in PROGRAMS if program.recognizes(content)), None)


def import_content(
    content: bytes,
    name: str,
    *,
    features: Featurizer | None = None,
    columns: Sequence[str] | None = None,
    threads: int | None = None,
) -> Tagger:
    """The same as `import_model`, from the content of a file of that name."""
    if is_model_file(content):  # a brace alone may be part of the cost factor of CRF++
        return Tagger.load(content, features=features, threads=threads)
    program = find_program(content)
    if program is None:
        *names, last = (program.name for program in PROGRAMS)
        raise ModelFileError(
            f"{name} is no model that can be imported: it is none of {', '.join(names)} or {last}"
        )
    found = program.read(content, name)
    if isinstance(found, Weights):
        if columns is not None:
            raise DataError(f"{name} is a model of {program.name}, which knows no columns")
        return make_tagger(
            found, program=program.name, source=name, features=features, threads=threads
        )
    if features is not None:
        raise DataError(f"{name} is a model of {program.name}, which has its own template")
    weights, template = find_weights(found, name, columns)
    return make_tagger(
        weights, program=program.name, source=name, features=template, threads=threads
    )
