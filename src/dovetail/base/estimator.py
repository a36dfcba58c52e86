"""The base of everything that is trained and saved.

An estimator keeps each argument of its ``__init__`` as an attribute of the same name: these are its
parameters, and training never changes them. What training finds stands in attributes that end in an
underscore. `clone` of scikit-learn, and what is built on it, works with such objects.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

from dovetail.base.parameter_types import check_parameter_types
from dovetail.base.parameters import is_default, parameters_of, shown
from dovetail.errors import DataError, NotFittedError
from dovetail.io.model_file import ModelFile, Source

T = TypeVar("T")


class Estimator(ABC):
    """Parameters, the fitted state, files."""

    kind: ClassVar[str]
    """What it is, in words, and what its files say they hold."""

    fitted_by: ClassVar[str | None]
    """The attribute that training sets; None for what has nothing to train."""

    # Parameters

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name; with ``deep`` also those of estimators among them, as
        ``name__parameter``."""
        found = {name: getattr(self, name) for name in parameters_of(type(self))}
        for name, component in self._components().items() if deep else ():
            found.setdefault(name, component)
            for inner, value in component.get_params().items():
                found[f"{name}__{inner}"] = value
        return found

    def set_params(self, **parameters: Any) -> Self:
        """Change parameters; nothing is changed if one of them cannot be."""
        parts = [self, *self._components().values()]
        before = [dict(part.__dict__) for part in parts]
        try:
            for name in sorted(parameters, key=self._setting_order):
                self._set(name, parameters[name])
            self._check_parameters()
        except Exception:
            for part, state in zip(parts, before, strict=True):
                part.__dict__.clear()
                part.__dict__.update(state)
            raise
        return self

    def _setting_order(self, name: str) -> int:
        """A part is replaced before its parameters are set."""
        return name.count("__")

    def clone(self) -> Self:
        """The same parameters, not trained; estimators among them are cloned too."""
        return type(self)(**{k: clone(v) for k, v in self.get_params(deep=False).items()})

    def __sklearn_clone__(self) -> Self:
        return self.clone()

    def _components(self) -> dict[str, Estimator]:
        """Estimators that this one is made of, by name."""
        own = {name: getattr(self, name) for name in parameters_of(type(self))}
        return {name: value for name, value in own.items() if isinstance(value, Estimator)}

    def _check_parameters(self) -> None:
        """Refuse parameters that cannot be used: here, numbers and flags of a wrong type."""
        check_parameter_types(self)

    def _set(self, name: str, value: Any) -> None:
        first, _, rest = name.partition("__")
        component = self._components().get(first) if rest else None
        if component is not None:
            component.set_params(**{rest: value})
        elif name in parameters_of(type(self)):
            setattr(self, name, value)
        else:
            raise self._no_parameter(name)

    def _no_parameter(self, name: str) -> DataError:
        from difflib import get_close_matches  # loaded for this alone

        known = list(self.get_params())
        close = get_close_matches(name, known, n=1)
        hint = f"did you mean '{close[0]}'?" if close else f"there are {', '.join(known)}"
        return DataError(f"{type(self).__name__} has no parameter '{name}'; {hint}")

    # The fitted state

    @property
    def is_fitted(self) -> bool:
        """Whether it has been trained, or loaded, or has nothing to train."""
        return self.fitted_by is None or self.fitted_by in self.__dict__

    def check_fitted(self) -> None:
        """Refuse to go on with what has not been trained."""
        if not self.is_fitted:
            raise NotFittedError(f"this {self.kind} has not been trained: call fit, or load one")

    def __sklearn_is_fitted__(self) -> bool:
        return self.is_fitted

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """What only training gives, attributes and properties that need them: say so where it
            has not happened."""
            if not name.startswith("_") and (name.endswith("_") or hasattr(type(self), name)):
                self.check_fitted()
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    # Files

    @abstractmethod
    def to_bytes(self) -> bytes:
        """The file in memory."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it into one file: whole, or not at all."""
        from dovetail.io.files import atomic_write  # not needed to start and tag

        content = self.to_bytes()
        with atomic_write(path) as file:
            file.write(content)

    @classmethod
    @abstractmethod
    def load(cls, source: Source | ModelFile) -> Self:
        """From a file that `save` wrote, or from bytes."""

    # How it is shown

    def __repr__(self) -> str:
        values = self.get_params(deep=False)
        changed = [
            f"{name}={shown(values[name])}"
            for name, default in parameters_of(type(self)).items()
            if not is_default(values[name], default)
        ]
        return f"{type(self).__name__}({', '.join(changed)})"

    def _repr_html_(self) -> str:
        from dovetail.base.html import estimator_as_html  # for notebooks alone

        return estimator_as_html(self)


def clone(value: T) -> T:
    """An estimator with the same parameters, not trained. Of lists, tuples and mappings, the
    estimators in them are cloned; anything else is taken as it is.

    >>> from dovetail import Tagger
    >>> clone({"fields": Tagger(c2=0.1)})
    {'fields': Tagger(c2=0.1)}
    """
    if isinstance(value, Estimator):
        return value.clone()
    given: Any = value
    copied: Any = value
    if type(given) is list:
        copied = [clone(each) for each in given]
    elif type(given) is tuple:
        copied = tuple(clone(each) for each in given)
    elif type(given) is dict:
        copied = {key: clone(each) for key, each in given.items()}
    return copied  # type: ignore[no-any-return]
