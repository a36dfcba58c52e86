"""Errors in what a model file says of itself."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from dovetail.errors import DovetailError, ModelFileError
from dovetail.io.model_file import ModelFile


@contextmanager
def reading_description(file: ModelFile) -> Iterator[None]:
    """What is missing or of the wrong type in a file's facts is one clear sentence."""
    try:
        yield
    except DovetailError:
        raise
    except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError, RecursionError):
        raise ModelFileError(f"{file.source} is damaged: its description cannot be read") from None
