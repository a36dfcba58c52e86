"""A trained chain: labels, weights and constraints. Immutable, and safe to use from many
threads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from dovetail import _native
from dovetail.errors import DataError, ModelFileError
from dovetail.io.model_file import ModelFile, Source, open_model, to_bytes

if TYPE_CHECKING:
    from dovetail.features import Template

WEIGHT_ARRAYS = (
    "slots", "row", "dense", "pair_label", "pair_weight", "transitions",
    "edge_row", "cell", "cell_weight",
)  # fmt: skip
CONSTRAINT_ARRAYS = ("legal", "start", "end")
NAME_ARRAYS = ("names", "name_offsets")
ANY_LABEL: Any = memoryview(b"")


class ChainModel:
    """Inference over encoded features, on top of a model file's arrays.

    ``facts`` is what a person may want to know of the model, and what is needed to use it: labels,
    the span scheme, the feature set, the training.
    """

    def __init__(self, file: ModelFile) -> None:
        self.facts: dict[str, Any] = file.facts
        self.accepted: Template | None = None  # a template of the user's that has been compared
        self._file = file
        try:
            self.labels = tuple(str(label) for label in self.facts["labels"])
            weights: list[Any] = [file.array(name) for name in WEIGHT_ARRAYS]
            self.native = _native.Model(len(self.labels), *[*weights, file.verify])
            limits = [file.array(name) for name in CONSTRAINT_ARRAYS]
            self.constraints = _native.Constraints(len(self.labels), *limits)
        except (KeyError, TypeError) as error:
            raise ModelFileError(f"{file.source} is damaged: {error} is missing") from None
        except ModelFileError:
            raise
        except ValueError as error:
            raise ModelFileError(f"{file.source} is damaged: {error}") from None

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Any], facts: Mapping[str, Any]) -> ChainModel:
        """A model from freshly trained arrays (see ``_native.Problem.export``)."""
        return cls(open_model(to_bytes(arrays, facts), verify=False))

    @classmethod
    def load(cls, source: Source, verify: bool | None = None) -> ChainModel:
        return cls(open_model(source, verify))

    def damage(self, what: str) -> ModelFileError:
        """The error for a file that has something wrong in it."""
        return ModelFileError(f"{self._file.source} is damaged: {what}")

    def to_bytes(self) -> bytes:
        return bytes(self._file.content)

    def array(self, name: str) -> Any:
        """The bytes of one of the model's arrays, as a memoryview."""
        return self._file.array(name)

    def encode(self, sequences: Iterable[Iterable[Any]]) -> _native.Batch:
        """Known features of the given sequences, by number."""
        try:
            return self.native.encode(sequences)
        except _native.ItemError as error:
            raise DataError(str(error)) from None
        except ValueError as error:
            raise DataError(str(error)) from None

    def tag(self, sequences: Iterable[Iterable[Any]], threads: int) -> list[list[str]]:
        """Best labels, straight from feature lists."""
        try:
            return self.native.tag(sequences, self.labels, self.constraints, threads)
        except _native.ItemError as error:
            raise DataError(str(error)) from None
        except ValueError as error:
            raise DataError(str(error)) from error

    @property
    def has_saved_template(self) -> bool:
        """Whether its file holds the template that makes its features."""
        spec = self.facts.get("features")
        return (
            isinstance(spec, dict) and spec.get("kind") == "template" and not spec.get("functions")
        )

    @cached_property
    def template(self) -> Template:
        """The template that makes its features, for a model that was trained with one."""
        from dovetail.features.template import Template

        try:
            return Template.from_spec(self.facts["features"])
        except (LookupError, TypeError, AttributeError, RecursionError):
            raise ModelFileError(
                f"{self._file.source} is damaged: its template cannot be read"
            ) from None

    @cached_property
    def names(self) -> list[str]:
        """Names of all features."""
        raw = bytes(self._file.array("names"))
        places = self._file.array("name_offsets")
        whole = len(places) == 8 * (self.native.n_features + 1)
        offsets = places.cast("Q").tolist() if whole else []
        fit = whole and offsets[0] == 0 and offsets[-1] == len(raw)
        if not fit or any(a > b for a, b in pairwise(offsets)):
            raise ModelFileError(f"{self._file.source} is damaged: its feature names do not fit")
        return [raw[a:b].decode("utf-8", "replace") for a, b in pairwise(offsets)]
