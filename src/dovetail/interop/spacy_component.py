"""A tagger or a pipeline as a component of spaCy's: ``nlp.add_pipe("dovetail", config=...)``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dovetail.chain.tagger import Tagger
from dovetail.corpus import detect_scheme
from dovetail.errors import DataError, ModelFileError
from dovetail.interop.spacy import from_docs, sentences
from dovetail.io.files import atomic_write
from dovetail.io.loading import load
from dovetail.pipeline.pipeline import Pipeline

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Span

_FILE = "model.dovetail"


class DovetailComponent:
    """Sets entities of a `Doc` where the labels write spans, and tags where they are plain.

    Spans are also in ``doc.spans[spans_key]``, their probabilities in its ``attrs["scores"]``.
    ``layer`` is one of a pipeline, by default the last; ``columns`` are those that the model reads
    beside "word", by the attributes of tokens that they come from.
    """

    def __init__(
        self,
        model: Tagger | Pipeline | None = None,
        *,
        layer: str | None = None,
        columns: Mapping[str, str] | None = None,
        spans_key: str = "dovetail",
        file: str | None = None,
    ) -> None:
        self.model = model
        self.file = file
        self.layer = layer
        self.columns = {"word": "text", **(columns or {})}
        self.spans_key = spans_key

    def __call__(self, doc: Doc) -> Doc:
        return next(self.pipe([doc]))

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 128) -> Iterator[Doc]:
        """Tag documents in batches, as `nlp.pipe` asks for."""
        if self.model is None:
            said = "no model was given" if self.file is None else f"there is no file {self.file}"
            raise DataError(f"{said}: add_pipe('dovetail', config={{'model': path}})")
        given = iter(stream)
        while batch := list(islice(given, batch_size)):
            found = iter(self._tagged(batch))
            for doc in batch:
                self._annotate(doc, found)
                yield doc

    def _tagged(self, batch: list[Doc]) -> list[Any]:
        corpus = from_docs(batch, self.columns)
        if isinstance(self.model, Pipeline):
            name = self.layer or self.model.names[-1]
            return [tagging.layers[name] for tagging in self.model.tag(corpus)]
        assert self.model is not None
        return list(self.model.tag(corpus))

    def _annotate(self, doc: Doc, found: Iterator[Any]) -> None:
        from spacy.tokens import Span, SpanGroup

        plain = detect_scheme([self._labels()]) == "none"
        entities: list[Span] = []
        scores: list[float] = []
        for _, tokens, _ in sentences(doc):
            tagging = next(found)
            if plain:
                for token, label in zip(tokens, tagging.labels, strict=True):
                    token.tag_ = label
            for start, end, label, probability in tagging.spans:
                entities.append(Span(doc, tokens[start].i, tokens[end - 1].i + 1, label=label))
                scores.append(probability)
        if not plain:
            doc.set_ents(entities)
            group = SpanGroup(doc, name=self.spans_key, attrs={"scores": scores}, spans=entities)
            doc.spans[self.spans_key] = group

    def _labels(self) -> list[str]:
        if isinstance(self.model, Pipeline):
            return list(self.model[self.layer or self.model.names[-1]].labels_)
        return [] if self.model is None else self.model.labels_

    # spaCy's way of saving: the model goes with the pipeline, and its settings with the config

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:  # noqa: ARG002
        """The model file."""
        return b"" if self.model is None else self.model.to_bytes()

    def from_bytes(self, content: bytes, *, exclude: Iterable[str] = ()) -> DovetailComponent:  # noqa: ARG002
        """Take the model from a file's bytes."""
        self.model = open_any_model(content) if content else None
        return self

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
        """Write the model file into a folder."""
        folder = Path(path)
        folder.mkdir(parents=True, exist_ok=True)
        with atomic_write(folder / _FILE) as file:
            file.write(self.to_bytes(exclude=exclude))

    def from_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> DovetailComponent:
        """Read the model file in a folder."""
        return self.from_bytes((Path(path) / _FILE).read_bytes(), exclude=exclude)


def open_any_model(source: str | bytes) -> Tagger | Pipeline:
    """The tagger or pipeline in a file, or in its bytes."""
    model = load(source)
    if not isinstance(model, Tagger | Pipeline):
        raise ModelFileError(f"a spaCy component is a tagger or a pipeline, not a {model.kind}")
    return model


def make_component(
    nlp: Language,  # noqa: ARG001 - what spaCy calls a factory with
    name: str,  # noqa: ARG001
    model: str | None,
    layer: str | None,
    columns: dict[str, str],
    spans_key: str,
) -> DovetailComponent:
    """The component that a configuration of spaCy's describes.

    Once a pipeline is saved its model is part of it, and the file need not be there any more.
    """
    found = open_any_model(model) if model is not None and Path(model).exists() else None
    return DovetailComponent(found, layer=layer, columns=columns, spans_key=spans_key, file=model)


def _register() -> None:
    from spacy.language import Language

    Language.factory(
        "dovetail",
        assigns=["doc.ents", "doc.spans", "token.ent_iob", "token.ent_type", "token.tag"],
        default_config={"model": None, "layer": None, "columns": {}, "spans_key": "dovetail"},
        func=make_component,
    )


with suppress(ImportError):  # without spaCy there is nobody to tell
    _register()
